"""A lake as DataFrames and SQL names, and the views over the log against the functions that finished commits before."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from muster.pipeline import open_lake, register_views
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.schemas import TABLES, spark_schema
from tests.pipeline.lake.delta_lakes import make_lake, publish, rows_of
from tests.pipeline.oracle.commit_rows import finished_commit_rows

HOLE_AT = 20


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "lake"


def log_row(offset: int, **said: Any) -> dict[str, Any]:
    place = {"cluster": "c", "log_topic": "__consumer_offsets", "log_partition": 3, "log_offset": offset}
    times = {"record_ms": 1_000 + offset, "batch_base_offset": offset, "dt": f"2026-11-1{offset % 3}"}
    plain = {"is_transactional": False, "is_control": False, "producer_id": -1, "batch_leader_epoch": 7}
    return {**place, **times, **plain, **said}


def commit_row(offset: int, chance: random.Random) -> dict[str, Any]:
    tombstone = chance.random() < 0.15
    in_transaction = chance.choice([False, False, True, None])
    return log_row(
        offset,
        record_type=chance.choice([0, 1]),
        group_id=chance.choice(["a", "b"]),
        topic=chance.choice(["t", "u"]),
        partition=chance.choice([0, 1]),
        committed_offset=None if tombstone else chance.randrange(5),
        commit_ms=None if tombstone else 900 + offset,
        is_tombstone=tombstone,
        is_transactional=in_transaction,
        producer_id=chance.choice([1, 2]) if in_transaction else -1,
    )


def random_log(seed: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    rows = []
    for offset in (n for n in range(80) if n != HOLE_AT):
        if chance.random() < 0.2:
            marker = {"control_type": chance.choice([0, 1, None]), "producer_id": chance.choice([1, 2])}
            rows.append(log_row(offset, is_control=True, is_transactional=True, **marker))
        elif chance.random() < 0.1:
            rows.append(log_row(offset, record_type=1, problem="cannot be decoded", value=b"?"))
        else:
            rows.append(commit_row(offset, chance))
    return rows


def finished(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`s_offset_commit` as the functions over Arrow batches make it."""
    commits = [
        {**row, "key_version": row["record_type"]}
        for row in log
        if row.get("record_type") is not None and "problem" not in row
    ]
    extra = [pa.field("producer_id", pa.int64()), pa.field("is_transactional", pa.bool_())]
    decoded = pa.RecordBatch.from_pylist(commits, schema=pa.schema([*TABLES["s_offset_commit"], *extra]))
    columns = [
        ("producer_id", pa.int64()),
        ("log_offset", pa.int64()),
        ("control_type", pa.int32()),
        ("record_ms", pa.int64()),
    ]
    markers = pa.Table.from_pylist([r for r in log if r.get("control_type") is not None], schema=pa.schema(columns))
    batches = finished_commit_rows(lambda: [decoded], lambda: [decoded], markers, HOLE_AT + 1)
    return [row for batch in batches for row in batch.to_pylist()]


def test_table_of_a_round_has_the_documented_columns(spark: Any, root: Path) -> None:
    make_lake(root, {"g_lag": rows_of("g_lag", [{"cluster": "c", "group_id": "g", "lag": 5}])})
    lake = open_lake(spark, root)
    publish(root, replaced={"g_lag": rows_of("g_lag", [{"cluster": "c", "group_id": "other", "lag": 6}])})
    assert [row.group_id for row in lake.table("g_lag").collect()] == ["g"], "it stays at its round"
    assert lake.table("g_lag").schema == spark_schema("g_lag")
    assert lake.table("g_status").collect() == []
    with pytest.raises(LakeError, match="no table g_wrong; it has b_journal_event"):
        lake.table("g_wrong")


def test_views_have_sql_names(spark: Any, root: Path) -> None:
    make_lake(root, {"g_lag": rows_of("g_lag", [{"cluster": "c", "group_id": "g", "lag": 5}])})
    publish(root, appended={"log": rows_of("log", random_log(0)[:9])})
    names = register_views(spark, root, prefix="x_")
    try:
        found = spark.sql("select group_id, (select count(*) from x_b_log_record) as records from x_g_lag").collect()
        assert [tuple(row) for row in found] == [("g", 9)]
    finally:
        for name in names:
            spark.catalog.dropTempView(name)


def test_records_of_the_log_have_their_batch_and_the_day_of_their_directory(spark: Any, root: Path) -> None:
    broken = log_row(-1, problem="a batch that cannot be read")
    publish(root, appended={"log": rows_of("log", [*random_log(1), broken])})
    records = open_lake(spark, root).table("b_log_record")
    assert records.columns == TABLES["b_log_record"].names
    rows = {row.log_offset: row for row in records.collect()}
    assert sorted(rows) == [n for n in range(80) if n != HOLE_AT]
    assert (rows[4].dt, rows[4].leader_epoch) == ("2026-11-11", 7)


def test_day_is_that_of_the_log_where_the_lake_lies_under_a_day_too(spark: Any, tmp_path: Path) -> None:
    root = tmp_path / "dt=1999-12-31" / "lake"
    publish(root, appended={"log": rows_of("log", [log_row(0), log_row(1)])})
    days = open_lake(spark, root).table("log").select("dt").orderBy("dt").collect()
    assert [row.dt for row in days] == ["2026-11-10", "2026-11-11"]


@pytest.mark.parametrize("seed", range(3))
def test_commits_are_finished_as_before(seed: int, spark: Any, root: Path) -> None:
    log = random_log(seed)
    extent = {"log_topic": "__consumer_offsets", "faithful_from": HOLE_AT + 1}
    state = rows_of("state", [{"cluster": "c", "log_partition": 3, "kind": "extent", "extent": extent}])
    journal = log_row(5, log_topic="__group_journal")
    publish(root, appended={"log": rows_of("log", [*log[:40], journal]), "state": state})
    publish(root, appended={"log": rows_of("log", log[40:])})
    commits = open_lake(spark, root).table("s_offset_commit")
    assert dict(commits.dtypes) == {
        field.name: field.dataType.simpleString() for field in spark_schema("s_offset_commit")
    }
    found = [row.asDict() for row in commits.orderBy("log_offset").collect()]
    assert found == finished(log)
