"""Streaming queries that are tracked: each run is one event of the journal, whatever it commits."""

from __future__ import annotations

from muster.core.offsets.tracked_query import TrackedQuery
from muster.core.requests import OffsetCommit
from tests.core.commit_entries import by_topic
from tests.core.world import World


def commit(world: World, metadata: str, offset: int = 5, generation: int = -1) -> None:
    entries = by_topic([("t", number, offset, -1, metadata, None) for number in range(3)])
    world.ask(OffsetCommit("etl", generation, "", None, None, entries, True))


def runs(world: World) -> list[object]:
    return [event.detail["run_id"] for event in world.journal if event.kind == "query_tracked"]


def test_first_commit_of_each_run_is_an_event_and_the_next_ones_are_not() -> None:
    world = World()
    for batch, run in enumerate("aaabbcb"):
        commit(world, TrackedQuery("f0", run, batch, 7).metadata(), offset=batch)
    assert runs(world) == ["a", "b", "c", "b"]
    (first, *_) = [event for event in world.journal if event.kind == "query_tracked"]
    assert (first.cause, first.generation, first.group_id) == ("new_run", -1, "etl")
    assert first.detail == {"query_id": "f0", "run_id": "a", "batch_id": 0, "duration_ms": 7}


def test_commits_of_others_are_no_events() -> None:
    world = World()
    for metadata in ("", "mine", "muster.spark/1 but not so", TrackedQuery("f0", None, 3, None).metadata()):
        commit(world, metadata)
    assert runs(world) == []


def test_refused_commit_is_no_event() -> None:
    world = World()
    commit(world, TrackedQuery("f0", "a", 1, 7).metadata(), generation=4)
    assert runs(world) == []
