"""Every table of the streaming query against the rules applied to the whole log at once.

On the log of a real Kafka, on that of a Muster with real clients (which has a journal), and on a generated one with every kind of
commit. The generated one is cut into micro-batches, so that state and open rows have a share in it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from bench.pipeline_log import write_log
from muster.pipeline.lake.reader import Lake
from muster.pipeline.schemas import GOLD
from tests.pipeline.oracle.silver import SILVER
from tests.pipeline.real_histories import history_of
from tests.pipeline.stream.lakes import LakeRun, oracle, oracle_rows, rows_in, source_of

VIEWS = ("s_offset_commit", "s_leo")
COMPARED = tuple(table for table in (*SILVER, *GOLD) if table not in VIEWS)
GENERATED = int(os.environ.get("MUSTER_GENERATED_RECORDS", "20000"))


def expected_of(lake: Lake, data: Path, cluster: str) -> dict[str, pl.DataFrame]:
    assert lake.round.gold_at_ms is not None
    assert lake.round.newest_ms is not None
    return oracle([data], cluster, lake.round.gold_at_ms, lake.round.newest_ms)


@pytest.fixture(scope="module")
def of_kafka(data: Path, whole: Lake) -> dict[str, pl.DataFrame]:
    return expected_of(whole, data, "kafka")


@pytest.mark.parametrize("table", COMPARED)
def test_tables_of_a_real_kafka_log(whole: Lake, of_kafka: dict[str, pl.DataFrame], table: str) -> None:
    assert rows_in(whole, table) == oracle_rows(of_kafka, table)


def test_tables_of_real_clients_and_their_journal(
    spark: Any, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = Path(history_of(tmp_path_factory).data)
    lake = LakeRun(spark, tmp_path / "lake", source_of(data, "muster"), offsets_per_partition=60).run()
    expected = expected_of(lake, data, "muster")
    assert [table for table in COMPARED if rows_in(lake, table) != oracle_rows(expected, table)] == []
    assert len(rows_in(lake, "b_journal_event")) > 0


def test_tables_of_a_generated_log(spark: Any, tmp_path: Path) -> None:
    records = write_log(tmp_path / "data", GENERATED)
    cut = {"offsets_per_partition": records // 12}
    lake = LakeRun(spark, tmp_path / "lake", source_of(tmp_path / "data", "made"), **cut).run()
    assert lake.round.records == records
    expected = expected_of(lake, tmp_path / "data", "made")
    assert [table for table in COMPARED if rows_in(lake, table) != oracle_rows(expected, table)] == []
