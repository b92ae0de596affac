"""The finishing of commits without Spark gives what Spark's gives, on random logs with transactions, tombstones and rewinds."""

from __future__ import annotations

from random import Random
from typing import Any

import pyarrow as pa

from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.commit_rows import faithful_from, finished_commit_rows
from muster.pipeline.tables.log_extent import log_extent
from muster.pipeline.tables.offset_commits import finished_offset_commits
from tests.pipeline.tables.rows import Row, arrow, commit, frame, log_record

SEEDS = range(12)


def random_log(seed: int) -> tuple[list[Row], list[Row]]:
    """(commits, markers) of one log partition, which is a cluster of its own."""
    random = Random(seed)
    commits: list[Row] = []
    markers: list[Row] = []
    offset = -1
    for _ in range(random.randint(1, 120)):
        offset += random.choice((1, 1, 1, 1, 1, 1, 1, 1, 1, 4))  # compaction leaves holes
        at_ms = 1_000 + offset * 10 + random.randint(-30, 30)
        place: Row = {"cluster": str(seed), "group_id": random.choice("gh"), "topic": random.choice("tu")}
        place |= {"partition": random.randint(0, 2)}
        match random.randint(0, 9):
            case 0:
                commits.append(commit(offset, None, at_ms, **place))
            case 1 | 2:
                pending = {"is_transactional": True, "producer_id": random.randint(1, 3)}
                commits.append(commit(offset, random.randint(0, 9), at_ms, **place, **pending))
            case 3:
                marker: Row = {"log_partition": 0, "log_offset": offset, "record_ms": at_ms, "producer_epoch": 0}
                marker |= {
                    "cluster": str(seed),
                    "producer_id": random.randint(1, 3),
                    "control_type": random.randint(0, 1),
                }
                markers.append(marker)
            case 4:
                commits.append(commit(offset, random.randint(0, 9), at_ms, **place, is_transactional=None))
            case _:
                commits.append(commit(offset, random.randint(0, 9), at_ms, **place))
    return commits, markers


def by_arrow(commits: list[Row], markers: list[Row], faithful_from: int, batch_rows: int) -> list[Row]:
    table = arrow("s_offset_commit", commits, decoded=True)
    marks = pa.Table.from_pylist(markers, schema=ROW_TABLES["txn_marker"])
    batches = finished_commit_rows(lambda: table.to_batches(max_chunksize=batch_rows), marks, faithful_from)
    rows: list[Row] = pa.Table.from_batches(batches, schema=TABLES["s_offset_commit"]).to_pylist()
    return rows


def test_same_rows_as_spark_however_the_log_is_cut_into_batches(spark: Any) -> None:
    logs = {seed: random_log(seed) for seed in SEEDS}
    commits = [row for of_log, _ in logs.values() for row in of_log]
    markers = [row for _, of_log in logs.values() for row in of_log]
    records = [log_record(row["log_offset"], cluster=row["cluster"]) for row in commits + markers]
    marks = spark.createDataFrame(pa.Table.from_pylist(markers, schema=ROW_TABLES["txn_marker"]))
    extent = log_extent(frame(spark, "b_log_record", records))
    finished = finished_offset_commits(frame(spark, "s_offset_commit", commits, decoded=True), marks, extent)
    starts = {row["cluster"]: row["faithful_from"] for row in extent.collect()}
    for seed, logs_of in logs.items():
        numbers = pa.array(sorted(row["log_offset"] for rows in logs_of for row in rows), pa.int64())
        assert faithful_from([numbers.slice(0, 5), numbers.slice(5, 0), numbers.slice(5)]) == starts[str(seed)]
    expected = sorted(
        (row.asDict() for row in finished.collect()), key=lambda row: (int(row["cluster"]), row["log_offset"])
    )
    for batch_rows in (1, 7, 1_000):
        found = [
            row
            for seed, (rows, marks_of) in logs.items()
            for row in by_arrow(rows, marks_of, starts[str(seed)], batch_rows)
        ]
        assert found == expected


def test_log_without_commits_gives_no_rows() -> None:
    assert by_arrow([], [], 0, 10) == []
    assert faithful_from([]) is None
