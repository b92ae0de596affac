"""The life of shards: routing, loading, leadership, unloading (spec 1.4, 1.5; T010-T020)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from muster.core.hashing import partition_for
from muster.core.records import OffsetCommitted
from muster.core.records import Record as CoreRecord
from muster.core.replies import (
    CommitReply,
    DescribeReply,
    FetchReply,
    HeartbeatReply,
    JoinReply,
    LeaveReply,
    ListReply,
    SyncReply,
)
from muster.core.requests import DescribeGroup, LeaveGroup, LeavingMember, ListGroups
from muster.core.shard import Shard
from muster.log.contract import NotReadYet, StorageError
from muster.runtime.coordinator_shards import RELOAD_AFTER_READ_ERROR_MS, ShardState
from muster.runtime.loader import BYTES_A_STEP
from muster.wire.batch import Record, encode_batch, encode_pairs, parse_header
from muster.wire.errors import (
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    ILLEGAL_GENERATION,
    NONE,
    NOT_COORDINATOR,
    REBALANCE_IN_PROGRESS,
    UNKNOWN_MEMBER_ID,
)
from tests.coordinator_records import encode_records
from tests.forms import interpreted_only
from tests.runtime.world import HeldTicket, World, beat, commit, fetch, join, sync


def stable_group(world: World, members: int = 1) -> list[str]:
    """A Stable group `g` of that many members; their ids, the leader's first."""
    joins = [world.ask(join()) for _ in range(members)]
    world.advance(1)
    replies = [ticket.as_(JoinReply) for ticket in joins]
    assert [reply.error for reply in replies] == [NONE] * members
    leader = replies[0].leader
    ids = sorted((reply.member_id for reply in replies), key=lambda member: member != leader)
    generation = replies[0].generation
    plan = [(member, member.encode()) for member in ids]
    syncs = [world.ask(sync(member, generation, *(plan if member == leader else ()))) for member in reversed(ids)]
    assert [ticket.as_(SyncReply).error for ticket in syncs] == [NONE] * members
    return ids


def still_loading(world: World, partition: int = 0) -> None:
    """Stop a shard in the middle of loading."""
    world.coordinator.start(world.partitions)
    world.coordinator.elect(partition, 0)
    world.coordinator.places[partition].state = ShardState.LOADING


def everything() -> dict[str, object]:
    return {
        "join": join("m"),
        "sync": sync("m", 1),
        "heartbeat": beat("m", 1),
        "leave": LeaveGroup("g", (LeavingMember("m", None, None),)),
        "commit": commit(),
        "fetch": fetch(),
        "describe": DescribeGroup("g"),
    }


def errors_of(world: World) -> dict[str, int]:
    errors = {}
    for name, request in everything().items():
        reply = world.ask(request).reply  # type: ignore[arg-type]
        errors[name] = reply.errors[0] if isinstance(reply, CommitReply) else reply.error  # type: ignore[union-attr]
    return errors


def listed(world: World) -> tuple[int, list[ListReply]]:
    tickets: list[HeldTicket] = []

    def ticket() -> HeldTicket:
        tickets.append(HeldTicket())
        return tickets[-1]

    error = world.coordinator.list_groups(ListGroups((), ()), ticket)
    world.settle()
    return error, [ticket.as_(ListReply) for ticket in tickets]


def test_T010_before_the_coordinator_is_started_every_api_gets_coordinator_not_available() -> None:
    world = World()
    assert set(errors_of(world).values()) == {COORDINATOR_NOT_AVAILABLE}
    assert listed(world) == (COORDINATOR_NOT_AVAILABLE, [])
    assert world.ask(join("m")).as_(JoinReply).member_id == "m"


def test_T011_T012_while_a_shard_loads_heartbeats_succeed_and_syncs_say_rebalance() -> None:
    world = World()
    still_loading(world)
    errors = errors_of(world)
    assert errors.pop("heartbeat") == NONE
    assert errors.pop("sync") == REBALANCE_IN_PROGRESS
    assert set(errors.values()) == {COORDINATOR_LOAD_IN_PROGRESS}
    assert listed(world) == (COORDINATOR_LOAD_IN_PROGRESS, [])


def test_T013_a_shard_of_somebody_else_gets_not_coordinator() -> None:
    world = World(partitions=2)
    world.coordinator.start(2)
    mine = 1 - partition_for("g", 2)
    world.coordinator.elect(mine, 0)
    assert set(errors_of(world).values()) == {NOT_COORDINATOR}
    error, replies = listed(world)
    assert (error, [reply.groups for reply in replies]) == (NONE, [()])


def test_T014_one_shard_loading_does_not_touch_the_other() -> None:
    world = World(partitions=2)
    here = partition_for("g", 2)
    still_loading(world, 1 - here)
    world.coordinator.elect(here, 0)
    other = next(name for name in "abcdefgh" if partition_for(name, 2) != here)
    assert world.ask(fetch("g")).as_(FetchReply).error == NONE
    assert world.ask(fetch(other)).as_(FetchReply).error == COORDINATOR_LOAD_IN_PROGRESS


def test_T015_only_a_newer_epoch_unloads() -> None:
    world = World()
    world.coordinator.start(1)
    world.coordinator.elect(0, 5)
    runner = world.coordinator.places[0].runner
    world.coordinator.elect(0, 5)
    world.coordinator.resign(0, 5)
    assert world.coordinator.places[0].runner is runner
    world.coordinator.resign(0, 6)
    assert world.coordinator.places == {}
    assert world.ask(beat("m", 1)).as_(HeartbeatReply).error == NOT_COORDINATOR


def test_T016_parked_joins_get_not_coordinator_with_their_own_ids_when_the_shard_unloads() -> None:
    world = World(initial_rebalance_delay_ms=3_000).start()
    parked = [world.ask(join()), world.ask(join())]
    world.coordinator.resign(0)
    replies = [ticket.as_(JoinReply) for ticket in parked]
    assert [reply.error for reply in replies] == [NOT_COORDINATOR] * 2
    assert len({reply.member_id for reply in replies}) == 2
    assert all(reply.member_id for reply in replies)
    world.advance(1_000_000)


def test_T017_parked_syncs_get_not_coordinator_when_the_node_stops() -> None:
    world = World().start()
    joins = [world.ask(join()), world.ask(join())]
    world.advance(1)
    follower = next(t.as_(JoinReply) for t in joins if t.as_(JoinReply).leader != t.as_(JoinReply).member_id)
    parked = world.ask(sync(follower.member_id, follower.generation))
    assert not parked.answered
    world.coordinator.stop()
    assert parked.as_(SyncReply).error == NOT_COORDINATOR


def test_T018_after_a_failover_in_mid_rebalance_the_last_stored_generation_is_back() -> None:
    world = World().start()
    (first,) = stable_group(world)
    newcomer = world.ask(join())
    again = world.ask(join(first))
    world.advance(1)
    assert (newcomer.as_(JoinReply).generation, again.as_(JoinReply).generation) == (2, 2)
    world.coordinator.resign(0)
    world.coordinator.elect(0, 1)
    world.settle()
    described = world.ask(DescribeGroup("g")).as_(DescribeReply)
    assert (described.state, [member.member_id for member in described.members]) == ("Stable", [first])
    assert world.ask(beat(first, 2)).as_(HeartbeatReply).error == ILLEGAL_GENERATION
    assert world.ask(beat(first, 1)).as_(HeartbeatReply).error == NONE


def test_T019_members_of_a_loaded_group_expire_one_session_after_the_load() -> None:
    world = World().start()
    (member,) = stable_group(world)
    world.coordinator.resign(0)
    world.advance(60_000)
    world.coordinator.elect(0, 1)
    world.settle()
    world.advance(9_999)
    assert world.ask(DescribeGroup("g")).as_(DescribeReply).state == "Stable"
    world.advance(1)
    assert world.ask(DescribeGroup("g")).as_(DescribeReply).state == "Empty"
    assert world.ask(beat(member, 1)).as_(HeartbeatReply).error == UNKNOWN_MEMBER_ID


def test_offsets_are_there_after_a_reload() -> None:
    world = World().start()
    world.ask(commit(42))
    world.coordinator.resign(0)
    world.coordinator.elect(0, 1)
    world.settle()
    assert world.ask(fetch()).as_(FetchReply).listed() == [("t", [(0, 42, -1, "", NONE)])]


@interpreted_only
def test_shards_are_loaded_one_after_the_other_a_small_step_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients are served between two turns of the loop, so no turn may take long, however many shards are loading."""
    world = World(partitions=3)
    for partition in range(3):
        for offset in range(2 * BYTES_A_STEP // 100):
            records = encode_records([OffsetCommitted("g", "t", 0, offset, -1, "x" * 50, 1, -1, None)])
            batch = encode_pairs(records, 1)
            world.log(partition).append(batch, parse_header(batch, 0), 0, 1)
    world.commit.soon()
    world.settle()
    replayed: list[int] = []
    replay = Shard.replay

    def counted(shard: Shard, record: CoreRecord, log_offset: int) -> None:
        replayed[-1] += 1
        replay(shard, record, log_offset)

    monkeypatch.setattr(Shard, "replay", counted)
    world.coordinator.start(3)
    for partition in range(3):
        replayed.append(0)
        world.coordinator.elect(partition, 0)
    assert set(replayed) == {0}, "electing only begins"
    while world.shard_state(2) is ShardState.LOADING:
        replayed.append(0)
        world.loop.turn()
        if world.shard_state(0) is ShardState.LOADING:
            assert world.shard_state(1) is ShardState.LOADING
    assert sum(replayed) == 3 * (2 * BYTES_A_STEP // 100)
    assert max(replayed) <= BYTES_A_STEP // 100
    assert {world.shard_state(partition) for partition in range(3)} == {ShardState.ACTIVE}


def test_T206_unknown_record_types_are_skipped_and_counted() -> None:
    world = World()
    world.append_pairs([(b"\x00\x63abc", b"\x00\x00"), (b"\x00\x0b\x00\x01g", b"\x00\x00\x00\x00\x00\x01\x00")])
    world.start()
    assert world.coordinator.places[0].state is ShardState.ACTIVE
    assert world.coordinator.unknown_records == 2


KEY = bytes.fromhex("00010001670001740000" + "0000")


def value(offset: int) -> bytes:
    return b"\0\3" + offset.to_bytes(8, "big") + b"\xff\xff\xff\xff" + b"\0\0" + (0).to_bytes(8, "big")


@pytest.mark.parametrize(
    ("key", "content"),
    [
        (bytes.fromhex("000100036772700003666f6f00000003"), bytes.fromhex("00030000000000")),
        (bytes.fromhex("000100036772700003666f6f00000003"), b""),
        (b"\x00", b"\x00\x00"),
        (None, b"\x00\x00"),
    ],
)
def test_T211_what_cannot_be_decoded_is_skipped_counted_and_reported(
    key: bytes | None, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """Deviates: Kafka fails the load, and everybody who can write one such record can stop a coordinator for ever."""
    world = World(partitions=2)
    world.append_pairs([(key, content), (KEY, value(7)), (key, content)])
    world.start()
    assert world.coordinator.places[0].state is ShardState.ACTIVE
    assert world.coordinator.undecodable_records == 2
    assert "__consumer_offsets-0: 2 records cannot be decoded and were skipped, the first at offset 0" in caplog.text
    assert listed(world)[0] == NONE


def test_T211_what_a_disk_changed_fails_the_load_of_that_shard_alone(caplog: pytest.LogCaptureFixture) -> None:
    world = World(partitions=2)
    world.append_pairs([(b"\x00", b"\x00\x00")])
    log: Any = world.log(0)
    batch = log._segments[0].batches[0]
    log._segments[0].batches[0] = batch[:-1] + bytes([batch[-1] ^ 2])
    world.start()
    assert world.coordinator.places[0].state is ShardState.FAILED
    assert world.coordinator.places[1].state is ShardState.ACTIVE
    assert "__consumer_offsets-0 near offset 0" in caplog.text
    bad = next(name for name in "abcdefgh" if partition_for(name, 2) == 0)
    assert world.ask(fetch(bad)).as_(FetchReply).error == NOT_COORDINATOR
    assert listed(world)[0] == NONE


def transactional(offset: int) -> bytes:
    record = Record(0, 1, KEY, value(offset))
    return encode_batch([record], producer_id=9, producer_epoch=0, base_sequence=0, transactional=True)


def marker(kind: int) -> bytes:
    record = Record(0, 1, b"\0\0" + kind.to_bytes(2, "big"), bytes(6))
    return encode_batch([record], producer_id=9, producer_epoch=0, transactional=True, control=True)


@pytest.mark.parametrize(
    ("batches", "committed"),
    [
        ([transactional(5), marker(0)], -1),
        ([transactional(5), marker(1)], 5),
        ([transactional(5)], -1),
        ([transactional(5), encode_batch([Record(0, 1, KEY, value(6))]), marker(1)], 6),
        ([encode_batch([Record(0, 1, KEY, value(6))]), transactional(5), marker(1)], 5),
    ],
    ids=["aborted", "committed", "still open", "a later plain commit wins", "a later transactional one wins"],
)
def test_T212_offsets_of_transactions_count_from_their_marker_on(batches: list[bytes], committed: int) -> None:
    """Also T181 to T183 and T191, as far as loading goes."""
    world = World()
    for batch in batches:
        world.append_batch(batch)
    world.start()
    assert world.ask(fetch()).as_(FetchReply).listed()[0][1][0][1] == committed


def test_a_log_that_cannot_be_opened_fails_its_shard_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    world = World()

    def broken(partition: int) -> None:
        raise StorageError("no such disk")

    world.coordinator._open_log = broken  # type: ignore[assignment]
    world.start()
    assert world.coordinator.places[0].state is ShardState.FAILED
    assert "no such disk" in caplog.text


def test_a_log_that_cannot_be_read_for_a_while_is_loaded_when_it_can(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    world.append_pairs([(KEY, value(5))])
    log = world.log()
    read = log.read

    def broken(offset: int, max_bytes: int, *, at_least_one: bool = True) -> bytes:
        raise StorageError("input/output error")

    log.read = broken  # type: ignore[method-assign]
    world.start()
    assert world.shard_state() is ShardState.FAILED
    assert "until it can be read" in caplog.text
    log.read = read  # type: ignore[method-assign]
    world.advance(RELOAD_AFTER_READ_ERROR_MS)
    assert world.ask(fetch()).as_(FetchReply).listed() == [("t", [(0, 5, -1, "", NONE)])]


def test_while_a_database_is_asked_for_a_shard_s_records_the_loop_turns_and_the_shard_says_that_it_loads() -> None:
    world = World()
    world.append_pairs([(KEY, value(5))])
    log = world.log()
    read, asked = log.read, list[bool]()

    def read_when_asked(offset: int, max_bytes: int, *, at_least_one: bool = True) -> bytes:
        if True not in asked:
            raise NotReadYet("the database has to be asked")
        return read(offset, max_bytes, at_least_one=at_least_one)

    waiting: list[Callable[[], None]] = []

    def read_apart(look: Callable[[], None], then: Callable[[], None]) -> None:
        look()
        waiting.extend([look, then])

    log.read = read_when_asked  # type: ignore[method-assign]
    world.coordinator.read_apart = read_apart
    world.start()
    assert world.loop.is_idle, "nothing is waited for in the loop"
    assert world.shard_state() is ShardState.LOADING
    asked.append(True)
    for step in waiting:
        step()
    world.settle()
    assert world.shard_state() is ShardState.ACTIVE
    assert world.ask(fetch()).as_(FetchReply).listed() == [("t", [(0, 5, -1, "", NONE)])]


@interpreted_only
def test_a_broken_invariant_while_loading_fails_that_shard_and_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(self: Shard, record: object, log_offset: int) -> None:
        raise AssertionError("impossible")

    monkeypatch.setattr(Shard, "replay", broken)
    world = World(partitions=2)
    world.append_pairs([(KEY, value(5))])
    world.start()
    assert (world.shard_state(0), world.shard_state(1)) == (ShardState.FAILED, ShardState.ACTIVE)
    assert "impossible" in caplog.text


def test_a_leave_to_a_shard_that_moved_is_refused_as_a_whole() -> None:
    world = World()
    world.coordinator.start(1)
    reply = world.ask(LeaveGroup("g", (LeavingMember("m", None, None),))).as_(LeaveReply)
    assert (reply.error, reply.members) == (NOT_COORDINATOR, ())
