"""Every table of the streaming query against the rules applied to the whole log at once."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from muster.pipeline.lake.reader import Lake
from muster.pipeline.schemas import GOLD, SILVER
from tests.pipeline.stream.lakes import oracle, oracle_rows, rows_in

VIEWS = ("s_offset_commit", "s_leo")
COMPARED = tuple(table for table in (*SILVER, *GOLD) if table not in VIEWS)


@pytest.fixture(scope="module")
def expected(data: Path, whole: Lake) -> dict[str, pl.DataFrame]:
    assert whole.round.gold_at_ms is not None
    assert whole.round.newest_ms is not None
    return oracle([data], "kafka", whole.round.gold_at_ms, whole.round.newest_ms)


@pytest.mark.parametrize("table", COMPARED)
def test_tables_of_a_real_kafka_log_are_those_of_the_rules(
    whole: Lake, expected: dict[str, pl.DataFrame], table: str
) -> None:
    assert rows_in(whole, table) == oracle_rows(expected, table)
