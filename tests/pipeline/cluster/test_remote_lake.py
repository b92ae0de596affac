"""The lake on HDFS and S3 without Spark: committed, published, read, compacted and claimed by the same code as a local one.

Files are put there through delta-rs's storage, in the place of Spark's writer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from muster.cli.main import main
from muster.pipeline.lake import commit, rounds
from muster.pipeline.lake.commit import Change, Signature, commit_all
from muster.pipeline.lake.compact import compact, vacuum
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.files import entries, list_batch, storage
from muster.pipeline.lake.location import Location, batch_directory, table_directory
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.retention import Retention
from muster.pipeline.lake.rounds import last_round, open_or_create, publish_round
from muster.pipeline.lake.writer_lock import RemoteClaim, only_writer
from tests.pipeline.cluster.hadoop import hadoop
from tests.pipeline.cluster.needs import Missing
from tests.pipeline.cluster.s3 import s3
from tests.pipeline.lake.delta_lakes import rows_of

DAY = 86_400_000
NOW = 20_773 * DAY  # 2026-11-16


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    root = tmp_path_factory.mktemp("stores")
    before = dict(os.environ)
    try:
        with hadoop(root / "hadoop") as files, s3(root / "s3") as bucket:
            os.environ.update(bucket.environment)
            yield {"hdfs": files.url, "s3a": bucket.url}
    except Missing as missing:
        pytest.skip(str(missing))
    finally:
        os.environ.clear()
        os.environ.update(before)


@pytest.fixture(params=["hdfs", "s3a"])
def location(stores: dict[str, str], request: pytest.FixtureRequest) -> Location:
    return Location.parse(f"{stores[request.param]}/{request.node.name.partition('[')[0]}")


def publish(location: Location, rows: dict[str, pa.Table], part: str = "part=new") -> None:
    last = open_or_create(location)
    batch = f"{last.round + 1:08d}-aa"
    store = storage(location)
    for table, content in rows.items():
        below = "dt=2026-11-16" if table == "log" else part
        held = content.drop_columns(["dt"]) if table == "log" else content
        with store.open_output_stream(
            f"{table_directory(table)}/{batch_directory(table, batch)}/{below}/part-0.parquet"
        ) as stream:
            pq.write_table(held, stream)
    found = list_batch(location, batch)
    replaced = frozenset() if part == "part=new" else frozenset([part.partition("=")[2]])
    changes = {table: Change(tuple(files), replaced) for table, files in found.items()}
    assert set(changes) == set(rows)
    versions = commit_all(location, Signature(last.round + 1, base=last.versions), changes)
    publish_round(location, last.following(versions, batch_id=last.batch_id + 1, gold_at_ms=NOW, newest_ms=NOW))


def lag(group: str) -> dict[str, pa.Table]:
    return {"g_lag": rows_of("g_lag", [{"cluster": "c", "group_id": group, "lag": 3}])}


def log(offset: int) -> dict[str, pa.Table]:
    return {"log": rows_of("log", [{"log_offset": offset, "record_ms": NOW, "dt": "2026-11-16"}])}


def put(location: Location, name: str) -> None:
    with storage(location).open_output_stream(name) as stream:
        pq.write_table(pa.table({"something": ["else"]}), stream)


def test_rounds_are_published_and_read_as_locally(location: Location, capsys: pytest.CaptureFixture[str]) -> None:
    publish(location, {**lag("old"), **log(0)}, part="part=now")
    before = Lake.open(location)
    publish(location, {**lag("new"), **log(1)}, part="part=now")
    after = Lake.open(location)
    assert before.arrow("g_lag")["group_id"].to_pylist() == ["old"]
    assert after.arrow("g_lag")["group_id"].to_pylist() == ["new"]
    assert sorted(after.arrow("log").select(["log_offset", "dt"]).to_pydict()["log_offset"]) == [0, 1]

    assert main(["lag", "--lake", location.given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["group"] == "new"
    assert main(["doctor", "--lake", location.given, "--json"]) == 0
    checks = {row["check"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert checks["files"]["verdict"] == "fine"


def test_small_files_are_merged_and_unused_ones_removed(location: Location) -> None:
    for offset in range(3):
        publish(location, log(offset))
    done = compact(location, Retention(), NOW)
    assert (done.files_before, done.files_after) == (3, 1)
    assert sorted(Lake.open(location).arrow("log")["log_offset"].to_pylist()) == [0, 1, 2]
    assert vacuum(location, NOW + 2 * DAY, grace_hours=0) >= 3
    assert sorted(Lake.open(location).arrow("log")["log_offset"].to_pylist()) == [0, 1, 2]


def test_versions_that_no_round_names_are_dropped_from_the_log(
    location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once: a store says when files were written, and nobody can make them older."""
    monkeypatch.setitem(commit.PROPERTIES, "delta.logRetentionDuration", "interval 0 seconds")
    monkeypatch.setattr(rounds, "KEPT", 2)
    for offset in range(22):
        publish(location, log(offset))
    assert (first_version(location, "log"), first_version(location, "rounds")) == (0, 0)
    vacuum(location, NOW, grace_hours=0)
    assert (first_version(location, "log"), first_version(location, "rounds")) == (19, 19)
    for each in rounds.known_rounds(location):
        assert Lake(location, each).arrow("log").num_rows == each.round


def first_version(location: Location, table: str) -> int:
    log_of_table = Location.parse(f"{location.given}/{table_directory(table)}/_delta_log")
    return min(int(name.partition(".")[0]) for name, _ in entries(log_of_table) if name.endswith(".json"))


def test_second_writer_is_refused_until_the_claim_is_given_back(location: Location) -> None:
    open_or_create(location)
    with only_writer(location), pytest.raises(LakeError, match="is being written to by process"), only_writer(location):
        pass
    with only_writer(location):
        pass
    first, second = RemoteClaim(location), RemoteClaim(location)
    seen = second._opened()
    first.take()
    with pytest.raises(LakeError, match="began at the same moment"):
        second._write(seen, {"id": "x"})


def test_overtaken_writer_publishes_nothing(location: Location) -> None:
    start = open_or_create(location)
    publish(location, log(0))
    with pytest.raises(LakeError, match="another writer published round 1"):
        publish_round(location, start.following({}, batch_id=7))


def test_place_without_a_lake_is_said(location: Location) -> None:
    assert last_round(location) is None
    with pytest.raises(LakeError, match="no lake at"):
        Lake.open(location)
    put(location, "notes.txt")
    with pytest.raises(LakeError, match=r"is not empty and holds no lake \(notes.txt is there\)"):
        open_or_create(location)
    put(location, "manifest.json")
    with pytest.raises(LakeError, match="layout before Delta"):
        Lake.open(location)
