"""Rounds: what becomes visible together, who may publish, and what is not a lake of ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from muster.pipeline.lake import rounds
from muster.pipeline.lake.errors import LakeError, StoreError
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.rounds import KEPT, known_rounds, last_round, open_or_create, publish_round
from tests.pipeline.lake.delta_lakes import make_lake, publish, rows_of


@pytest.fixture
def location(tmp_path: Path) -> Location:
    return Location.parse(tmp_path / "lake")


def lag(group: str) -> dict[str, pa.Table]:
    return {"g_lag": rows_of("g_lag", [{"cluster": "c", "group_id": group}])}


def groups(lake: Lake) -> list[str]:
    return sorted(lake.arrow("g_lag")["group_id"].to_pylist())


def test_new_lake_is_empty_and_has_an_identity(location: Location) -> None:
    first = open_or_create(location)
    assert (first.round, first.batch_id, first.versions, first.gold_round) == (0, -1, {}, None)
    assert open_or_create(location) == first == last_round(location)


def test_where_nothing_is_there_is_no_round(location: Location) -> None:
    assert last_round(location) is None
    assert location.local is not None
    assert not location.local.exists(), "a question makes no directory"


def test_round_that_follows_keeps_what_it_does_not_change(location: Location) -> None:
    first = open_or_create(location)
    second = first.following({"log": 3, "state": 1}, batch_id=0, records=10)
    third = second.following({"log": 4, "g_lag": 0}, batch_id=1, gold_at_ms=99)
    assert third.versions == {"log": 4, "state": 1, "g_lag": 0}
    assert (third.round, third.records, third.gold_round, third.gold_at_ms) == (2, 10, 2, 99)
    publish_round(location, second)
    publish_round(location, third)
    assert last_round(location) == third


def test_rounds_of_an_older_muster_are_read_and_followed(location: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    """They do not say which query and reader a log is read with, what the ends of its topics were, nor its journal."""
    older = [column for column in rounds.SCHEMA if column.name not in ("queries", "readers", "ends", "journals")]
    with monkeypatch.context() as patched:
        patched.setattr(rounds, "SCHEMA", pa.schema(older))
        first = open_or_create(location)
    assert last_round(location) == first
    said = {"queries": {"c": "an id"}, "readers": {"c": "own"}, "ends": {"c": "found 1"}, "journals": {"c": [0, 3]}}
    second = first.following({}, batch_id=0, **said)
    publish_round(location, second)
    assert known_rounds(location) == [first, second]


def test_reader_stays_at_the_round_that_it_opened(location: Location) -> None:
    make_lake(location.delta_url, lag("first"))
    before = Lake.open(location)
    publish(location.delta_url, replaced=lag("second"))
    assert groups(before) == ["first"]
    assert groups(Lake.open(location)) == ["second"]


def test_commits_without_a_round_are_not_seen(location: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    make_lake(location.delta_url, lag("first"))

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr("tests.pipeline.lake.delta_lakes.publish_round", die)
        with pytest.raises(KeyboardInterrupt):
            publish(location.delta_url, replaced=lag("second"))
    assert groups(Lake.open(location)) == ["first"]
    publish(location.delta_url, replaced=lag("second, repeated"))
    assert groups(Lake.open(location)) == ["second, repeated"]


def test_only_the_last_rounds_are_kept(location: Location) -> None:
    this = open_or_create(location)
    for batch_id in range(KEPT + 5):
        this = this.following({}, batch_id=batch_id)
        publish_round(location, this)
    kept = known_rounds(location)
    assert [each.round for each in kept] == list(range(6, KEPT + 6))


def test_round_is_published_once(location: Location) -> None:
    this = open_or_create(location).following({"log": 0}, batch_id=0)
    publish_round(location, this)
    with pytest.raises(LakeError, match="another writer published round 1"):
        publish_round(location, replace(this, records=5))
    assert last_round(location) == this


def test_second_writer_that_was_overtaken_is_refused(location: Location) -> None:
    start = open_or_create(location)
    publish_round(location, start.following({"log": 0}, batch_id=0))
    with pytest.raises(LakeError, match="another writer published round 1"):
        publish_round(location, start.following({"log": 0}, batch_id=1))


def test_lake_of_another_version_is_refused_with_both_numbers(location: Location) -> None:
    open_or_create(location)
    rows = pa.table({"schema_version": pa.array([99], pa.int32()), "anything": ["else"]})
    write_deltalake(location.delta_table_url("rounds"), rows, mode="overwrite", schema_mode="overwrite")
    with pytest.raises(LakeError, match=r"has schema version 99, this muster reads and writes 5.*pipeline migrate"):
        last_round(location)


def test_lake_of_the_old_layout_is_recognised(location: Location) -> None:
    assert location.local is not None
    location.local.mkdir()
    (location.local / "manifest.json").write_text('{"format": "muster-lake"}')
    for opening in (lambda: Lake.open(location), lambda: open_or_create(location)):
        with pytest.raises(LakeError, match=r"layout before Delta \(manifest.json\).*muster pipeline migrate"):
            opening()


def test_directory_with_other_things_does_not_become_a_lake(location: Location) -> None:
    assert location.local is not None
    location.local.mkdir()
    (location.local / "table=log").mkdir()
    (location.local / "notes.txt").touch()
    with pytest.raises(LakeError, match=r"is not empty and holds no lake \(notes.txt is there\)"):
        open_or_create(location)
    (location.local / "notes.txt").unlink()
    assert open_or_create(location).round == 0, "what a dead first round left does not count"


def test_file_is_no_lake(location: Location) -> None:
    assert location.local is not None
    location.local.touch()
    with pytest.raises(LakeError, match="is a file"):
        open_or_create(location)


def test_place_without_a_lake_is_refused_with_what_to_do(location: Location) -> None:
    with pytest.raises(LakeError, match=r"no lake at .*muster pipeline run --from DIR --lake"):
        Lake.open(location)


def test_store_that_does_not_answer_is_named() -> None:
    nowhere = Location.parse(
        "s3a://bucket/lake", None, {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_SKIP_SIGNATURE": "1"}
    )
    with pytest.raises(StoreError, match=r"s3a://bucket/lake cannot be read: .*check that the store can be reached"):
        last_round(nowhere)
