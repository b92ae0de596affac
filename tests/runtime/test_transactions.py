"""Transactions in `__consumer_offsets`: their batches byte for byte, their order among plain ones, and loading them again."""

from __future__ import annotations

from typing import Any

import pytest

from muster.core.records import (
    EndTransactionMarker,
    OffsetCommitted,
    OffsetErased,
    TransactionalOffset,
)
from muster.core.replies import CommitReply, FetchReply, MarkerReply
from muster.core.requests import TxnOffsetCommit
from muster.core.shard import Shard
from muster.log.contract import LedElsewhere, StorageError
from muster.log.record_codec import encode_record
from muster.runtime.coordinator_log import RecordsTooLarge
from muster.runtime.coordinator_shards import ShardState
from muster.wire.batch import (
    EndMarker,
    Record,
    check_crc,
    decode_records,
    encode_batch,
    encode_marker_batch,
    encode_pairs,
    iterate_batches,
)
from muster.wire.errors import (
    COORDINATOR_NOT_AVAILABLE,
    INVALID_GROUP_ID,
    KAFKA_STORAGE_ERROR,
    NONE,
    NOT_COORDINATOR,
    NOT_LEADER_OR_FOLLOWER,
    REQUEST_TIMED_OUT,
    UNSTABLE_OFFSET_COMMIT,
)
from tests.core.commit_entries import by_topic
from tests.forms import interpreted_only
from tests.runtime.test_offsets_log import Desk, offsets
from tests.runtime.world import HeldTicket, World, commit, fetch, join

NOW = 1_700_000_000_000


def pending(partition: int = 0, offset: int = 5, *, producer: int = 9, metadata: str = "") -> TransactionalOffset:
    return TransactionalOffset(producer, 2, OffsetCommitted("g", "t", partition, offset, 1, metadata, NOW))


def marker(commit: bool = True, *, producer: int = 9, epoch: int = 2, coordinator: int = 4) -> EndTransactionMarker:
    return EndTransactionMarker(producer, epoch, commit, coordinator)


def txn_commit(offset: int = 5, *, group: str = "g", producer: int = 9, epoch: int = 2) -> TxnOffsetCommit:
    return TxnOffsetCommit(group, -1, "", None, producer, epoch, by_topic([("t", 0, offset, -1, "", b"i" * 16)]))


def end(world: World, *, commit: bool = True, partition: int = 0, **changes: Any) -> HeldTicket:
    ticket = HeldTicket()
    world.coordinator.end_transaction(partition, marker(commit, **changes), ticket)
    return ticket


def fetched(world: World, *, stable: bool = False) -> tuple[int, int]:
    ((_, ((_, offset, _, _, error),)),) = world.ask(fetch(stable=stable)).as_(FetchReply).listed()
    return offset, error


# -- batches

GOLDEN_OFFSET = (
    "0000000000000000"  # base offset
    "0000005c"  # length
    "00000003"  # leader epoch
    "02"  # magic
    "{crc}"
    "0010"  # attributes: transactional
    "00000000"  # last offset delta
    "0000018bcfe56800"
    "0000018bcfe56800"  # timestamps
    "0000000000000009"  # producer id
    "0002"  # producer epoch
    "00000000"  # base sequence: 0 each time
    "00000001"  # one record
    "54"  # 42 bytes: attributes, timestamp delta, offset delta
    "000000"
    "18"  # key of 12 bytes: type 1, "g", "t", partition 0
    "000100016700017400000000"
    "30"  # value of 24 bytes: version 4 without tags (T207a): offset 5, leader epoch 1, "", commit timestamp
    "0004000000000000000500000001010000018bcfe5680000"
    "00"  # headers
)
GOLDEN_MARKER = (
    "0000000000000001"
    "00000042"
    "00000003"
    "02"
    "{crc}"
    "0030"  # attributes: transactional, control
    "00000000"
    "0000018bcfe56800"
    "0000018bcfe56800"
    "0000000000000009"
    "0002"
    "ffffffff"  # no sequence
    "00000001"
    "20"
    "000000"
    "08"
    "00000001"  # version 0, COMMIT
    "0c"
    "000000000004"  # version 0, coordinator epoch 4
    "00"
)


def test_T207a_a_transactional_commit_and_its_marker_have_their_golden_bytes() -> None:
    desk = Desk()
    assert desk.offsets.append([pending()], NOW, desk._hear) == 0
    assert desk.offsets.append([marker()], NOW, desk._hear) == 1
    desk.loop.run_until_idle()
    content = desk.log.read(0, 1 << 30)
    found = []
    for position, header in iterate_batches(content):
        check_crc(content, header, position)
        batch = content[position : position + header.size]
        found.append(batch.hex().replace(f"{header.crc:08x}", "{crc}"))
    assert found == [GOLDEN_OFFSET, GOLDEN_MARKER]


@pytest.mark.parametrize("compression", [0, 1])
def test_a_transaction_has_batches_of_its_own_between_the_plain_ones_of_the_tick(compression: int) -> None:
    desk = Desk(compression)
    outcomes: list[list[Any]] = [
        [offsets(0)],
        [offsets(1, 2)],
        [pending(0), pending(1)],
        [pending(2)],
        [offsets(3)],
        [marker()],
        [OffsetErased("g", "t", 1)],
    ]
    bases = [desk.offsets.append(records, NOW, desk._hear) for records in outcomes]
    assert bases == [0, 1, 3, 5, 6, 7, 8]
    assert not desk.heard
    desk.loop.run_until_idle()
    content = desk.log.read(0, 1 << 30)
    found = [
        (header.base_offset, header.is_transactional, header.is_control, header.producer_id, header.base_sequence)
        for position, header in iterate_batches(content)
        if len(decode_records(content, header, position)) == header.record_count
    ]
    plain_ones = (
        [(0, False, False, -1, -1)] if not compression else [(0, False, False, -1, -1), (1, False, False, -1, -1)]
    )
    assert found == [
        *plain_ones,
        (3, True, False, 9, 0),
        (5, True, False, 9, 0),
        (6, False, False, -1, -1),
        (7, True, True, 9, -1),
        (8, False, False, -1, -1),
    ]
    assert sum(count for count, _ in desk.heard) == len(outcomes)
    assert all(is_durable for _, is_durable in desk.heard)


def test_a_transactional_commit_that_does_not_fit_is_refused_and_leaves_no_trace() -> None:
    desk = Desk()
    desk.append(offsets(0))
    with pytest.raises(RecordsTooLarge, match=r"max\.message\.bytes"):
        desk.offsets.append([pending(partition) for partition in range(40)], NOW, desk._hear)
    with pytest.raises(RecordsTooLarge, match="metadata"):
        desk.offsets.append([pending(metadata="x" * 40_000)], NOW, desk._hear)
    assert desk.append(offsets(1)) == 1
    assert desk.batches() == [2]


def test_a_failed_commit_loses_transactional_batches_with_the_plain_ones() -> None:
    desk = Desk()
    desk.store.failure = lambda topic, partition: StorageError("disk full")
    for records in ([offsets(0)], [pending()], [marker()]):
        desk.offsets.append(list(records), NOW, desk._hear)
    desk.loop.run_until_idle()
    assert desk.heard == [(1, False), (1, False), (1, False)]
    desk.store.failure = None
    assert desk.append(offsets(2)) == 0


# -- the runner


def test_T181_pending_until_the_marker_is_durable() -> None:
    world = World().start()
    assert world.ask(txn_commit(5)).as_(CommitReply).errors == [NONE]
    assert fetched(world) == (-1, NONE)
    assert fetched(world, stable=True) == (-1, UNSTABLE_OFFSET_COMMIT)
    ticket = end(world)
    assert not ticket.answered
    world.settle()
    assert ticket.as_(MarkerReply).error == NONE
    assert fetched(world, stable=True) == (5, NONE)


def test_commits_of_one_tick_are_ordered_by_the_log() -> None:
    """T182, T183, in one tick."""
    world = World().start()
    for plain_first, expected in ((True, 5), (False, 4)):
        requests: list[Any] = [commit(4), txn_commit(5)]
        for request in requests if plain_first else requests[::-1]:
            world.send(request)
        end(world)
        assert fetched(world, stable=True) == (expected, NONE)


def test_a_transactional_commit_does_not_wait_for_group_records_but_stable_fetches_wait_for_it() -> None:
    world = World().start()
    world.send(join(requires_known_member_id=True))
    ticket = world.send(txn_commit(5))
    reader = world.send(fetch(stable=True))
    assert world.coordinator.places[0].runner is not None
    assert world.coordinator.places[0].runner.queued == 0
    assert world.coordinator.places[0].runner.parked == 2
    world.settle()
    assert ticket.as_(CommitReply).errors == [NONE]
    ((_, ((_, _, _, _, error),)),) = reader.as_(FetchReply).listed()
    assert error == UNSTABLE_OFFSET_COMMIT


def test_an_empty_group_id_is_refused() -> None:
    world = World().start()
    assert world.ask(txn_commit(group="")).as_(CommitReply).errors == [INVALID_GROUP_ID]


@pytest.mark.parametrize(
    ("failure", "code"),
    [(StorageError("full"), KAFKA_STORAGE_ERROR), (LedElsewhere("gone"), NOT_LEADER_OR_FOLLOWER)],
)
def test_a_marker_that_cannot_be_stored_is_answered_with_the_error_of_the_log(failure: StorageError, code: int) -> None:
    """The transaction coordinator tries again as after any write (spec 14.1)."""
    world = World().start()
    world.ask(txn_commit(5))
    world.store.failure = lambda topic, partition: failure
    ticket = end(world)
    world.settle()
    assert ticket.as_(MarkerReply).error == code
    world.store.failure = None
    assert fetched(world, stable=True) == (-1, UNSTABLE_OFFSET_COMMIT)


def test_who_waits_too_long_is_told_and_the_marker_may_still_be_durable() -> None:
    world = World().start()
    world.ask(txn_commit(5))
    committing, ending = world.send(txn_commit(6)), end(world)
    world.advance_in_flight(5_000)
    assert committing.as_(CommitReply).errors == [COORDINATOR_NOT_AVAILABLE]
    assert ending.as_(MarkerReply).error == REQUEST_TIMED_OUT
    world.settle()
    assert fetched(world, stable=True) == (6, NONE)


def test_who_waits_when_the_shard_is_unloaded_is_told() -> None:
    world = World().start()
    committing, ending = world.send(txn_commit(5)), end(world)
    world.coordinator.resign(0)
    assert committing.as_(CommitReply).errors == [NOT_COORDINATOR]
    assert ending.as_(MarkerReply).error == NOT_LEADER_OR_FOLLOWER
    assert end(world).as_(MarkerReply).error == NOT_LEADER_OR_FOLLOWER


@interpreted_only
def test_a_shard_that_fails_over_a_marker_answers_it(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World().start()

    def fail(*arguments: object) -> None:
        raise AssertionError("a broken invariant")

    monkeypatch.setattr(Shard, "on_marker", fail)
    assert end(world).as_(MarkerReply).error == NOT_LEADER_OR_FOLLOWER
    assert world.shard_state() is ShardState.FAILED


def test_T192_a_marker_that_comes_while_the_shard_is_not_loaded_is_not_written() -> None:
    world = World()
    assert end(world).as_(MarkerReply).error == NOT_LEADER_OR_FOLLOWER
    world.append_batch(encode_pairs([encode_record(pending().committed)], NOW))
    world.coordinator.start(1)
    world.coordinator.elect(0, 0)
    assert world.shard_state() is ShardState.LOADING
    assert end(world).as_(MarkerReply).error == NOT_LEADER_OR_FOLLOWER
    assert world.send(txn_commit()).as_(CommitReply).errors == [14]
    world.settle()
    assert end(world, partition=1).as_(MarkerReply).error == NOT_LEADER_OR_FOLLOWER
    world.coordinator.may_speak = lambda: False
    assert end(world).as_(MarkerReply).error == NOT_LEADER_OR_FOLLOWER
    assert world.log().end_offset == 1


# -- loading


def written(*records: Any, producer: int = 9, transactional: bool = True, compression: int = 0) -> bytes:
    pairs = [encode_record(record) for record in records]
    return encode_batch(
        [Record(at, NOW, key, value) for at, (key, value) in enumerate(pairs)],
        producer_id=producer,
        producer_epoch=2,
        base_sequence=0,
        transactional=transactional,
        compression=compression,
    )


def ended(commit: bool, producer: int = 9) -> bytes:
    return encode_marker_batch(EndMarker(commit, 4), producer, 2, NOW)


def plain(offset: int) -> bytes:
    return encode_pairs([encode_record(OffsetCommitted("g", "t", 0, offset, 1, "", NOW))], NOW)


def loaded(*batches: bytes) -> World:
    world = World()
    for batch in batches:
        world.append_batch(batch)
    return world.start()


@pytest.mark.parametrize("compression", [0, 1])
def test_T191_an_open_transaction_is_pending_again_and_a_later_marker_completes_it(compression: int) -> None:
    world = loaded(plain(4), written(pending().committed, compression=compression))
    assert fetched(world) == (4, NONE)
    assert fetched(world, stable=True) == (-1, UNSTABLE_OFFSET_COMMIT)
    end(world)
    assert fetched(world, stable=True) == (5, NONE)


def test_T191_an_open_transaction_is_loaded_with_the_epoch_that_fences_its_producers_past() -> None:
    world = loaded(written(pending().committed))
    assert world.ask(txn_commit(6, epoch=1)).as_(CommitReply).errors == [47]
    ticket = end(world, epoch=1)
    world.settle()
    assert ticket.as_(MarkerReply).error == 47


def test_T212_an_aborted_commit_leaves_nothing_and_a_plain_one_behind_it_counts() -> None:
    world = loaded(written(pending(0, 9).committed), ended(False), plain(7))
    assert fetched(world, stable=True) == (7, NONE)
    world = loaded(plain(7), written(pending(0, 9).committed), ended(False))
    assert fetched(world, stable=True) == (7, NONE)


def test_T193_tombstones_in_the_log_take_pending_offsets_of_every_producer() -> None:
    world = loaded(
        written(pending().committed),
        written(pending().committed, producer=10),
        encode_pairs([encode_record(OffsetErased("g", "t", 0))], NOW),
        ended(True),
        ended(True, producer=10),
    )
    assert fetched(world, stable=True) == (-1, NONE)


def test_the_producer_of_a_batch_decides_not_its_transactional_bit() -> None:
    """As in Kafka (spec 5.7)."""
    world = loaded(plain(4), written(pending().committed, transactional=False))
    assert fetched(world) == (4, NONE)
    assert fetched(world, stable=True) == (-1, UNSTABLE_OFFSET_COMMIT)
    world = loaded(written(pending().committed, producer=-1))
    assert fetched(world, stable=True) == (5, NONE)


def control(key: bytes | None, value: bytes) -> bytes:
    return encode_batch([Record(0, NOW, key, value)], producer_id=9, producer_epoch=2, transactional=True, control=True)


def test_other_control_records_end_nothing_and_undecodable_ones_are_counted() -> None:
    world = loaded(written(pending().committed), control(b"\0\0\0\2", bytes(6)), control(b"\0", b""))
    assert fetched(world, stable=True) == (-1, UNSTABLE_OFFSET_COMMIT)
    assert world.coordinator.undecodable_records == 1


def test_what_was_live_is_what_is_loaded_from_its_bytes() -> None:
    """Law 2, with epochs and what is still open."""
    world = World().start()
    requests: list[Any] = [commit(1), txn_commit(2), txn_commit(3, producer=10), commit(4, group="h")]
    for request in requests:
        world.send(request)
    end(world, producer=10)
    world.send(txn_commit(5, group="h", producer=11))
    world.settle()
    live = world.coordinator.shards()[0]
    world.coordinator.resign(0)
    world.coordinator.elect(0, 1)
    world.settle()
    again = world.coordinator.shards()[0]
    assert again is not live
    assert again.offsets == live.offsets
    assert len(again.offsets.pending) == 2
    assert list(again.groups) == list(live.groups)
