"""Every table of the streaming query against the rules applied to the whole log at once.

On the log of a real Kafka, on that of a Muster with real clients (which has a journal), on a generated one with every kind of
commit, and on small random histories in which everything happens beside everything else. The generated ones are cut into
micro-batches, so that state and open rows have a share in it. `make pipeline-cluster` generates 100,000 records.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from bench.pipeline_log import write_log
from muster.pipeline.fold.kernel import FACTS
from muster.pipeline.lake.location import table_directory
from muster.pipeline.lake.reader import Lake
from tests.pipeline.real_histories import history_of
from tests.pipeline.stream.lakes import COMPARED, LakeRun, different_tables, oracle, oracle_rows, rows_in, source_of
from tests.pipeline.stream.random_data import RandomData

GENERATED = int(os.environ.get("TEST_GENERATED_RECORDS", "20000"))


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


@pytest.mark.parametrize("seed", range(int(os.environ.get("TEST_RANDOM_HISTORIES", "2"))))
def test_tables_of_a_random_history(spark: Any, tmp_path: Path, seed: int) -> None:
    """Read in two runs, each in several micro-batches. The second one reads nothing of the history that the first one left."""
    data = tmp_path / "data"
    written = RandomData(data, seed)

    def run() -> Lake:
        cut = {"offsets_per_partition": 150 + 40 * seed}
        return LakeRun(spark, tmp_path / "lake", source_of(data, "random"), **cut).run()

    written.write_half()
    lake = run()
    assert different_tables(lake, data, "random") == []
    written.write_rest()
    with _out_of_reach(lake, ("log", *FACTS, "g_lag_history", "b_leo_sample")):
        lake = run()
    assert different_tables(lake, data, "random") == []
    empty = [table for table in COMPARED if not rows_in(lake, table)]
    assert set(empty) <= {"g_abandoned", "g_rebalance_pause", "s_pending_offset"}


@contextmanager
def _out_of_reach(lake: Lake, tables: Iterable[str]) -> Iterator[None]:
    """The files of these tables are elsewhere meanwhile: whoever reads one fails."""
    root = lake.location.local
    assert root is not None
    files = [root / table_directory(table) / file.path for table in tables for file in lake.table_files(table)]
    assert len({file.relative_to(root).parts[0] for file in files}) > 10
    for file in files:
        file.rename(file.with_suffix(".moved"))
    yield
    for file in files:
        file.with_suffix(".moved").rename(file)
