"""What the journal is told of offsets that a transaction holds back: only what somebody felt, and never without end."""

from __future__ import annotations

from muster.core.journal import JournalEvent
from muster.core.offsets.waits import EVENTS_AN_HOUR, LONG_MS, NAME_CHARS, NAMED_PARTITIONS, TOLD_AFTER_MS
from muster.core.requests import OffsetFetch, TxnOffsetCommit
from muster.wire.i32_array import i32_array
from tests.core.commit_entries import by_topic
from tests.core.world import World


def commit(world: World, *, producer: int = 9, group: str = "g", partitions: int = 1, name: str = "payments-1") -> None:
    entries = by_topic([("t", number, 5, -1, "", None) for number in range(partitions)])
    world.ask(TxnOffsetCommit(group, -1, "", None, producer, 0, entries, name))


def ask(world: World, group: str = "g", *, stable: bool = True) -> None:
    world.ask(OffsetFetch(group, [("t", i32_array([0]))], stable, "reader", "/10.0.0.7"))


def told(world: World) -> list[JournalEvent]:
    return [event for event in world.journal if event.kind.startswith("offsets_")]


def test_a_transaction_that_nobody_waits_for_is_no_event() -> None:
    world = World()
    commit(world)
    world.advance(LONG_MS - 1)
    world.end(commit=True)
    assert told(world) == []
    assert world.shard.counters.unstable_offset_fetches == 0


def test_a_short_wait_is_counted_and_is_no_event() -> None:
    world = World()
    commit(world)
    world.advance(TOLD_AFTER_MS - 1)
    ask(world)
    world.end(commit=True)
    assert told(world) == []
    assert world.shard.counters.unstable_offset_fetches == 1


def test_the_first_long_wait_is_told_with_who_waits_for_which_transaction_and_its_end_with_how_long() -> None:
    world = World()
    commit(world)
    world.advance(400)
    ask(world)
    world.advance(800)
    ask(world)
    (awaited,) = told(world)
    assert (awaited.kind, awaited.cause, awaited.client_id, awaited.client_host) == (
        "offsets_awaited",
        "transaction_open",
        "reader",
        "/10.0.0.7",
    )
    assert awaited.detail == {
        "producer_id": 9,
        "producer_epoch": 0,
        "transactional_id": "payments-1",
        "offsets": 1,
        "partitions": {"t": [0]},
        "unstable_ms": 1_200,
        "refusals": 2,
        "waited_ms": 800,
    }
    world.advance(1_000)
    ask(world)
    world.end(commit=False, epoch=1)
    _, released = told(world)
    assert (released.kind, released.cause, released.client_id) == ("offsets_released", "transaction_aborted", "reader")
    assert (released.detail["unstable_ms"], released.detail["waited_ms"], released.detail["refusals"]) == (
        2_200,
        1_800,
        3,
    )


def test_offsets_that_were_unstable_for_long_are_told_of_when_they_are_released_though_nobody_waited() -> None:
    world = World()
    commit(world)
    world.advance(LONG_MS)
    world.end(commit=True)
    (released,) = told(world)
    assert (released.kind, released.cause, released.client_id) == ("offsets_released", "transaction_committed", None)
    assert "refusals" not in released.detail


def test_the_release_is_told_when_the_marker_is_durable_and_not_before() -> None:
    world = World()
    commit(world)
    world.advance(LONG_MS)
    world.hold()
    world.end(commit=True)
    assert told(world) == []
    world.release()
    assert [event.kind for event in told(world)] == ["offsets_released"]


def test_a_fetch_that_does_not_ask_for_stable_offsets_waits_for_nobody() -> None:
    world = World()
    commit(world)
    world.advance(TOLD_AFTER_MS)
    ask(world, stable=False)
    assert told(world) == []


def test_a_member_that_waits_is_named_by_its_member_id() -> None:
    world = World()
    (member_id,) = world.stable(None)
    member = world.shard.groups["g"].members[member_id]
    commit(world)
    world.advance(TOLD_AFTER_MS)
    world.ask(OffsetFetch("g", [("t", i32_array([0]))], True, member.client_id, member.client_host))
    assert told(world)[0].member_id == member_id


def test_a_group_and_a_transaction_are_told_of_once_and_all_together_so_often_an_hour() -> None:
    world = World()
    for producer in range(EVENTS_AN_HOUR):
        commit(world, producer=producer, group=f"g{producer}")
    world.advance(TOLD_AFTER_MS)
    for producer in range(EVENTS_AN_HOUR):
        for _ in range(2):
            ask(world, f"g{producer}")
    assert len(told(world)) == EVENTS_AN_HOUR // 2  # the other half is kept for their ends
    for producer in range(EVENTS_AN_HOUR):
        world.end(commit=True, producer=producer)
    kinds = [event.kind for event in told(world)]
    assert kinds.count("offsets_released") == EVENTS_AN_HOUR // 2
    assert world.shard.counters.unstable_offset_fetches == 2 * EVENTS_AN_HOUR

    commit(world)
    world.advance(3_600_000)
    ask(world)
    assert told(world)[-1].kind == "offsets_awaited"


def test_names_and_partitions_in_an_event_are_bounded() -> None:
    world = World()
    commit(world, partitions=NAMED_PARTITIONS + 5, name="x" * 5_000)
    world.advance(LONG_MS)
    world.end(commit=True)
    (released,) = told(world)
    assert released.detail["offsets"] == NAMED_PARTITIONS + 5
    assert released.detail["partitions"] == {"t": list(range(NAMED_PARTITIONS))}
    assert released.detail["transactional_id"] == "x" * NAME_CHARS
