"""The largest table, finished by the workers from files: the same rows as Spark's, whatever the order of the files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muster.pipeline import jobs_commits
from muster.pipeline.jobs_commits import fits_in_workers, in_log_order
from muster.pipeline.jobs_publish import _Tables
from muster.pipeline.lake import Lake
from muster.pipeline.tables.silver import finish_silver
from tests.pipeline.jobs.kafka_log import rows_in
from tests.pipeline.lake.lakes import append, bronze


def test_workers_and_spark_finish_commits_alike(spark: Any, whole: Path) -> None:
    with Lake.open(whole).write() as writer:
        by_spark = finish_silver(_Tables(spark, writer).stored(), spark)["s_offset_commit"].collect()
    expected = sorted(repr(sorted(row.asDict().items())) for row in by_spark)
    assert sorted(repr(sorted(row.items())) for row in rows_in(whole, "s_offset_commit")) == expected


def test_a_log_partition_that_is_too_large_for_a_worker_is_left_to_spark(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = Lake.open(whole).manifest
    assert fits_in_workers(manifest)
    monkeypatch.setattr(jobs_commits, "MOST_ROWS", 10)
    assert not fits_in_workers(manifest)


@pytest.mark.parametrize(
    "batches",
    [
        [[(0, "a"), (1, "a")], [(2, "a"), (3, "b")]],
        [[(0, "b"), (1, "a"), (2, "b")], [(3, "a")]],  # records around midnight lie in the files of two days
    ],
)
def test_rows_come_in_the_order_of_the_log(batches: list[list[tuple[int, str]]], tmp_path: Path) -> None:
    with Lake.open_or_create(tmp_path).write() as writer:
        for rows in batches:
            append(writer, {"b_log_record": [bronze(offset, offset, dt=dt) for offset, dt in rows]})
        paths = [file.path for file in reversed(writer.manifest.files("b_log_record"))]
    for columns in (None, ["log_offset"]):
        found = [batch.column("log_offset").to_pylist() for batch in in_log_order(tmp_path, paths, columns)]
        assert [offset for part in found for offset in part] == [0, 1, 2, 3]
