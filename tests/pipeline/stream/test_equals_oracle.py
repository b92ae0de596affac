"""Every table of the streaming query against the rules applied to the whole log at once.

On the log of a real Kafka, on that of a Muster with real clients (which has a journal), on a generated one with every kind of
commit, and on small random histories in which everything happens beside everything else. The generated ones are cut into
micro-batches, so that state and open rows have a share in it. `make pipeline-cluster` generates 100,000 records.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from bench.pipeline_log import write_log
from muster.pipeline.lake.reader import Lake
from tests.pipeline.real_histories import history_of
from tests.pipeline.stream.lakes import COMPARED, LakeRun, different_tables, oracle, oracle_rows, rows_in, source_of
from tests.pipeline.stream.random_data import RandomData

GENERATED = int(os.environ.get("MUSTER_GENERATED_RECORDS", "20000"))


@pytest.fixture(scope="module")
def of_kafka(data: Path, whole: Lake) -> dict[str, pl.DataFrame]:
    assert whole.round.gold_at_ms is not None
    assert whole.round.newest_ms is not None
    return oracle([data], "kafka", whole.round.gold_at_ms, whole.round.newest_ms)


@pytest.mark.parametrize("table", COMPARED)
def test_tables_of_a_real_kafka_log(whole: Lake, of_kafka: dict[str, pl.DataFrame], table: str) -> None:
    assert rows_in(whole, table) == oracle_rows(of_kafka, table)


def test_tables_of_real_clients_and_their_journal(
    spark: Any, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = Path(history_of(tmp_path_factory).data)
    lake = LakeRun(spark, tmp_path / "lake", source_of(data, "muster"), offsets_per_partition=60).run()
    assert different_tables(lake, data, "muster") == []
    assert len(rows_in(lake, "b_journal_event")) > 0


def test_tables_of_a_generated_log(spark: Any, tmp_path: Path) -> None:
    records = write_log(tmp_path / "data", GENERATED)
    cut = {"offsets_per_partition": records // 12}
    lake = LakeRun(spark, tmp_path / "lake", source_of(tmp_path / "data", "made"), **cut).run()
    assert lake.round.records == records
    assert different_tables(lake, tmp_path / "data", "made") == []


@pytest.mark.parametrize("seed", range(int(os.environ.get("MUSTER_RANDOM_HISTORIES", "2"))))
def test_tables_of_a_random_history(spark: Any, tmp_path: Path, seed: int) -> None:
    """Read in two runs, each in several micro-batches."""
    data = tmp_path / "data"
    written = RandomData(data, seed)
    for write in (written.write_half, written.write_rest):
        write()
        lake = LakeRun(spark, tmp_path / "lake", source_of(data, "random"), offsets_per_partition=150 + 40 * seed).run()
        assert different_tables(lake, data, "random") == []
    empty = [table for table in COMPARED if not rows_in(lake, table)]
    assert set(empty) <= {"g_abandoned", "g_rebalance_pause", "s_pending_offset"}
