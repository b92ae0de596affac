"""A run into Delta tables gives what a run into Parquet gives, and a second run changes no table's version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from muster.pipeline.old.jobs import RunSettings, Watch, gold_round, read_round
from muster.pipeline.old.lake import Lake
from muster.pipeline.old.manifest import DELTA
from muster.pipeline.schemas import GOLD, SILVER
from tests.pipeline.jobs.kafka_log import digest_of_rows, digests, source_of

deltalake = pytest.importorskip("deltalake", reason="the extra `delta` is not installed")


def _opened(root: Path) -> dict[str, Any]:
    return {table: deltalake.DeltaTable(str(root / f"table={table}")) for table in (*SILVER, *GOLD)}


def test_delta_run_equals_parquet_run_and_running_again_changes_nothing(
    spark: Any, data: Path, whole: Path, tmp_path: Path
) -> None:
    """Law 1 of issue 6, read back with delta-rs."""
    root = tmp_path / "delta"
    settings = RunSettings(batch_records=40)
    with Lake.open_or_create(root, DELTA).write() as writer:
        progress = read_round(spark, writer, source_of(data), settings, Watch())
        assert progress.batches > 1
        assert gold_round(spark, writer, source_of(data), settings, Watch())
    tables = _opened(root)
    rows = {name: digest_of_rows(pa.table(table.to_pyarrow_table()).to_pylist()) for name, table in tables.items()}
    assert rows == digests(whole)
    bronze = deltalake.DeltaTable(str(root / "table=b_log_record"))
    assert bronze.version() == progress.batches - 1, "one transaction a batch"
    with Lake.open_or_create(root).write() as writer:
        assert read_round(spark, writer, source_of(data), settings, Watch()).batches == 0
        assert not gold_round(spark, writer, source_of(data), settings, Watch())
    assert {name: table.version() for name, table in _opened(root).items()} == {
        name: table.version() for name, table in tables.items()
    }
