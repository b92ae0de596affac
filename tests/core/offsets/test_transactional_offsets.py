"""Offsets inside transactions: pending until the end marker, then committed by their place in the log or gone (spec 4.6, 11.13)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.core.config import GroupConfig
from muster.core.offsets.pending import MOST_ENDED_PRODUCERS, PendingOffsets, ProducerState
from muster.core.records import (
    EndTransactionMarker,
    GroupErased,
    OffsetCommitted,
    OffsetErased,
    SingleRecord,
    TransactionalOffset,
)
from muster.core.requests import OffsetDelete, TxnOffsetCommit
from muster.wire import errors
from tests.core.commit_entries import by_topic
from tests.core.world import World

CONFIG = GroupConfig(offsets_retention_check_interval_ms=60_000, offsets_retention_ms=120_000)
UNSTABLE = (-1, errors.UNSTABLE_OFFSET_COMMIT)


# -- the end of a transaction


def test_T181_a_committed_transaction_shows_its_offsets_and_an_aborted_one_does_not() -> None:
    world = World()
    assert world.txn_commit(5).reply.errors == [errors.NONE]
    assert world.fetched() == (-1, errors.NONE)
    assert world.end(commit=True).reply.error == errors.NONE
    assert world.fetched(stable=True) == (5, errors.NONE)
    world.txn_commit(6)
    assert world.end(commit=False).reply.error == errors.NONE
    assert world.fetched(stable=True) == (5, errors.NONE)
    assert len(world.shard.offsets.pending) == 0


def test_T182_a_plain_commit_behind_the_transactional_one_stays() -> None:
    world = World()
    world.txn_commit(5)
    world.commit(4)
    world.end(commit=True)
    assert world.fetched(stable=True) == (4, errors.NONE)


def test_T183_a_transactional_commit_behind_the_plain_one_wins() -> None:
    world = World()
    world.commit(4)
    world.txn_commit(5)
    world.end(commit=True)
    assert world.fetched() == (5, errors.NONE)


@pytest.mark.parametrize("first_to_end", [1, 2])
def test_T184_of_two_producers_the_one_whose_record_is_further_on_in_the_log_wins(first_to_end: int) -> None:
    world = World()
    world.txn_commit(10, producer=1)
    world.txn_commit(20, producer=2)
    world.end(commit=True, producer=first_to_end)
    assert world.fetched(stable=True) == UNSTABLE
    world.end(commit=True, producer=3 - first_to_end)
    assert world.fetched(stable=True) == (20, errors.NONE)


def test_T185_a_marker_of_an_unknown_producer_is_written_and_changes_nothing() -> None:
    world = World()
    world.txn_commit(5)
    assert world.end(commit=True, producer=77).reply.error == errors.NONE
    assert world.log[-1] == EndTransactionMarker(77, 0, True, 0)
    assert world.fetched() == (-1, errors.NONE)


def test_the_last_offset_of_a_transaction_for_a_partition_counts() -> None:
    world = World()
    world.txn_commit(5)
    world.txn_commit(3)
    world.end(commit=True)
    assert world.fetched() == (3, errors.NONE)


def test_a_marker_ends_the_transaction_in_every_group_of_the_shard() -> None:
    world = World()
    world.txn_commit(5, group="g")
    world.txn_commit(6, group="h", topic="u")
    world.end(commit=True)
    assert world.fetched(group="g") == (5, errors.NONE)
    assert world.fetched(group="h", topic="u") == (6, errors.NONE)


def test_T191_an_open_transaction_survives_a_failover_and_is_completed_by_a_later_marker() -> None:
    world = World()
    world.commit(4)
    world.txn_commit(5)
    heir = world.restart()
    assert heir.fetched() == (4, errors.NONE)
    assert heir.fetched(stable=True) == UNSTABLE
    heir.end(commit=True)
    assert heir.fetched(stable=True) == (5, errors.NONE)


# -- who may commit


def test_an_unknown_group_is_made_without_a_generation_and_refused_with_one() -> None:
    """Every version says ILLEGAL_GENERATION, unlike OffsetCommit."""
    world = World()
    assert world.txn_commit(generation=3).reply.errors == [errors.ILLEGAL_GENERATION]
    assert not world.shard.groups
    assert world.txn_commit().reply.errors == [errors.NONE]
    assert world.describe().state == "Empty"


def test_T186_without_ids_a_stable_group_accepts_and_with_a_wrong_generation_it_does_not() -> None:
    world = World()
    (member,) = world.stable(None)
    assert world.txn_commit().reply.errors == [errors.NONE]
    assert world.txn_commit(member_id=member, generation=1).reply.errors == [errors.NONE]
    assert world.txn_commit(member_id=member, generation=9).reply.errors == [errors.ILLEGAL_GENERATION]
    assert world.txn_commit(member_id=member).reply.errors == [errors.ILLEGAL_GENERATION]
    assert world.txn_commit(member_id="stranger", generation=1).reply.errors == [errors.UNKNOWN_MEMBER_ID]
    assert world.txn_commit(instance="nobody").reply.errors == [errors.UNKNOWN_MEMBER_ID]


def test_the_instance_of_another_member_is_fenced() -> None:
    world = World()
    world.stable("one")
    refused = world.txn_commit(member_id="old", instance="one", generation=1)
    assert refused.reply.errors == [errors.FENCED_INSTANCE_ID]


def test_T187_completing_rebalance_is_no_obstacle() -> None:
    world = World()
    (member,) = world.completing(None)
    assert world.commit(member_id=member, generation=1).reply.errors == [errors.REBALANCE_IN_PROGRESS]
    assert world.txn_commit(member_id=member, generation=1).reply.errors == [errors.NONE]


def test_an_empty_group_ignores_ids_without_a_generation_and_knows_no_member_with_one() -> None:
    world = World()
    world.commit()
    assert world.txn_commit(member_id="any", instance="any").reply.errors == [errors.NONE]
    assert world.txn_commit(member_id="any", generation=0).reply.errors == [errors.UNKNOWN_MEMBER_ID]


def test_the_session_timer_is_not_restarted() -> None:
    """Unlike OffsetCommit (spec 4.6)."""
    world = World()
    (member,) = world.stable(None)
    world.advance(1_000)
    before = world.remaining("session", "g", member)
    world.txn_commit(member_id=member, generation=1)
    assert world.remaining("session", "g", member) == before


def test_metadata_are_judged_entry_by_entry_and_a_group_is_made_even_if_all_are_too_large() -> None:
    world = World()
    entries = by_topic([("t", 0, 1, -1, "x" * 5_000, None), ("t", 1, 2, 7, None, b"i" * 16)])
    call = world.ask(TxnOffsetCommit("g", -1, "", None, 9, 0, entries))
    assert getattr(call.reply, "errors", None) == [errors.OFFSET_METADATA_TOO_LARGE, errors.NONE]
    # T207a: whatever is known of the topic, a transactional commit stores no topic id; nor does it expire by itself.
    assert world.log == [TransactionalOffset(9, 0, OffsetCommitted("g", "t", 1, 2, 7, "", world.now_ms, -1, None))]
    assert world.txn_commit(group="h", metadata="x" * 5_000).reply.errors == [errors.OFFSET_METADATA_TOO_LARGE]
    assert world.describe("h").state == "Empty"


# -- epochs


def test_an_older_epoch_of_a_producer_is_fenced_by_its_newer_one_and_by_markers() -> None:
    world = World()
    world.txn_commit(5, epoch=3)
    assert world.txn_commit(6, epoch=2).reply.errors == [errors.INVALID_PRODUCER_EPOCH]
    assert world.end(commit=True, epoch=2).reply.error == errors.INVALID_PRODUCER_EPOCH
    assert world.end(commit=True, epoch=4).reply.error == errors.NONE
    assert world.txn_commit(6, epoch=3).reply.errors == [errors.INVALID_PRODUCER_EPOCH]
    assert world.txn_commit(7, epoch=4).reply.errors == [errors.NONE]
    assert world.restart().txn_commit(6, epoch=3).reply.errors == [errors.INVALID_PRODUCER_EPOCH]


def test_an_older_coordinator_is_fenced() -> None:
    world = World()
    world.txn_commit()
    assert world.end(commit=False, coordinator=5).reply.error == errors.NONE
    assert world.end(commit=True, coordinator=4).reply.error == errors.TRANSACTION_COORDINATOR_FENCED
    world.txn_commit()
    assert world.end(commit=True, coordinator=4).reply.error == errors.TRANSACTION_COORDINATOR_FENCED
    assert world.end(commit=True, coordinator=5).reply.error == errors.NONE
    assert world.end(commit=True, producer=10, coordinator=1).reply.error == errors.NONE


def test_a_marker_of_transaction_version_2_raises_the_epoch_of_what_it_ends_and_may_be_repeated() -> None:
    world = World()
    world.txn_commit(5, epoch=1)
    assert world.end(commit=True, epoch=1, raises=True).reply.error == errors.INVALID_PRODUCER_EPOCH
    assert world.end(commit=True, epoch=2, raises=True).reply.error == errors.NONE
    assert world.end(commit=True, epoch=2, raises=True).reply.error == errors.NONE
    assert world.fetched() == (5, errors.NONE)


def test_who_comes_after_a_marker_that_is_on_its_way_is_judged_by_it() -> None:
    """KIP-890: an offset behind the marker of its own transaction would be pending for ever."""
    world = World()
    world.txn_commit(5, epoch=1)
    world.hold()
    marker = world.end(commit=True, epoch=2, coordinator=3)
    late = world.txn_commit(6, epoch=1)
    older = world.end(commit=True, epoch=2, coordinator=2)
    assert marker.waiting
    assert late.reply.errors == [errors.INVALID_PRODUCER_EPOCH]
    assert older.reply.error == errors.TRANSACTION_COORDINATOR_FENCED
    following = world.txn_commit(7, epoch=2)
    assert world.end(commit=True, epoch=2, coordinator=3, raises=True).reply.error == errors.INVALID_PRODUCER_EPOCH
    world.release()
    assert (marker.reply.error, following.reply.errors) == (errors.NONE, [errors.NONE])
    assert world.fetched() == (5, errors.NONE)
    assert world.fetched(stable=True) == UNSTABLE


def test_a_marker_that_was_lost_fences_nobody() -> None:
    world = World()
    world.txn_commit(5, epoch=1)
    world.hold()
    marker = world.end(commit=True, epoch=2)
    world.fail(errors.NOT_LEADER_OR_FOLLOWER)
    assert marker.reply.error == errors.NOT_LEADER_OR_FOLLOWER
    assert world.txn_commit(6, epoch=1).reply.errors == [errors.NONE]
    assert world.end(commit=True, epoch=2).reply.error == errors.NONE
    assert world.fetched() == (6, errors.NONE)


def test_epochs_of_producers_without_a_transaction_are_remembered_up_to_a_limit() -> None:
    offsets = PendingOffsets()
    for producer in range(MOST_ENDED_PRODUCERS + 1):
        offsets.end(EndTransactionMarker(producer, 7, True, 3))
    assert offsets.producer(0) == ProducerState(-1, -1, False)
    assert offsets.producer(1) == offsets.producer(MOST_ENDED_PRODUCERS) == ProducerState(7, 3, False)


def test_a_failed_append_leaves_nothing_pending() -> None:
    world = World()
    world.hold()
    call = world.txn_commit(5)
    world.fail(errors.KAFKA_STORAGE_ERROR)
    assert call.reply.errors == [errors.NOT_COORDINATOR]
    assert len(world.shard.offsets.pending) == 0
    assert not list(world.shard.offsets.on_the_way())


# -- readers


def test_T175_a_pending_offset_is_unstable_for_those_who_ask_for_stable_ones() -> None:
    world = World()
    world.commit(4)
    world.commit(8, topic="other")
    world.txn_commit(5)
    assert world.fetched() == (4, errors.NONE)
    assert world.fetched(stable=True) == UNSTABLE
    assert world.fetched(topic="other", stable=True) == (8, errors.NONE)
    assert world.fetch(stable=True).listed() == [
        ("t", [(0, -1, -1, "", errors.UNSTABLE_OFFSET_COMMIT)]),
        ("other", [(0, 8, -1, "", errors.NONE)]),
    ]
    assert world.fetched(group="h", stable=True) == (-1, errors.NONE)


def test_T176_a_partition_with_nothing_but_a_pending_offset_is_absent_from_all() -> None:
    world = World()
    world.txn_commit(5)
    assert world.fetch(stable=True).listed() == []
    assert world.fetched(stable=True) == UNSTABLE
    world.commit(8, topic="other")
    assert world.fetch(stable=True).listed() == [("other", [(0, 8, -1, "", errors.NONE)])]


# -- what goes away


def test_T144_a_group_is_deleted_with_its_pending_offsets_and_the_marker_brings_nothing_back() -> None:
    world = World()
    world.commit(4)
    world.txn_commit(5)
    world.txn_commit(6, topic="u")
    before = len(world.log)
    assert world.delete().reply.error == errors.NONE
    assert world.log[before:] == [OffsetErased("g", "t", 0), OffsetErased("g", "u", 0), GroupErased("g")]
    assert world.end(commit=True).reply.error == errors.NONE
    assert not world.shard.groups
    assert world.shard.offsets.count == 0


def test_a_transactional_commit_on_its_way_is_deleted_with_its_group() -> None:
    world = World()
    world.commit(4, topic="u")
    world.hold()
    world.txn_commit(5)
    deleted = world.delete()
    world.release()
    assert deleted.reply.error == errors.NONE
    world.end(commit=True)
    assert world.shard.offsets.count == 0


def test_T193_an_offset_that_was_deleted_while_it_was_pending_does_not_appear() -> None:
    world = World()
    world.txn_commit(5, producer=1)
    world.txn_commit(6, producer=2)
    world.txn_commit(7, producer=1, topic="u")
    world.ask(OffsetDelete("g", [("t", 0)]))
    assert world.log[-1] == OffsetErased("g", "t", 0)
    assert world.fetched(stable=True) == (-1, errors.NONE)
    world.end(commit=True, producer=1)
    world.end(commit=True, producer=2)
    assert world.fetched() == (-1, errors.NONE)
    assert world.fetched(topic="u") == (7, errors.NONE)


def test_a_deleted_topic_takes_pending_offsets_with_it() -> None:
    world = World()
    world.txn_commit(5)
    world.txn_commit(6, topic="u")
    world.hold()
    world.txn_commit(7, group="h")
    world.apply(world.shard.on_topics_deleted(["t"], world.now_ms))
    world.release()
    assert world.log[-2:] == [OffsetErased("g", "t", 0), OffsetErased("h", "t", 0)]
    world.end(commit=True)
    assert [(group, topic) for group, topic, _, _ in world.shard.offsets] == [("g", "u")]


def test_T202_neither_the_offset_nor_the_group_expires_while_a_transaction_is_open() -> None:
    world = World(CONFIG)
    world.commit(4)
    world.commit(3, topic="old")
    world.txn_commit(5)
    world.txn_commit(5, group="without committed offsets", topic="u")
    world.advance(300_000)
    assert world.fetched() == (4, errors.NONE)
    assert world.fetched(topic="old") == (-1, errors.NONE)
    assert list(world.shard.groups) == ["g", "without committed offsets"]
    world.end(commit=False)
    world.advance(60_000)
    assert not world.shard.groups
    assert world.shard.offsets.count == 0


def test_a_group_whose_pending_offsets_were_all_deleted_stays_until_the_marker() -> None:
    """Spec 4.6: open transactions are tracked whether entries remain or not."""
    world = World(CONFIG)
    world.txn_commit(5)
    world.ask(OffsetDelete("g", [("t", 0)]))
    world.advance(300_000)
    assert "g" in world.shard.groups
    world.end(commit=True)
    world.advance(60_000)
    assert not world.shard.groups


# -- any history

GROUPS, TOPICS = st.sampled_from("gh"), st.sampled_from("tu")
steps = st.one_of(
    st.tuples(st.just("plain"), GROUPS, TOPICS, st.integers(0, 9)),
    st.tuples(st.just("transactional"), GROUPS, TOPICS, st.integers(0, 11)),
    st.tuples(st.just("transactional"), GROUPS, TOPICS, st.integers(0, 11)),
    st.tuples(st.just("end"), st.just(""), st.just(""), st.integers(0, 11)),
    st.tuples(st.sampled_from(["delete offset", "delete group", "delete topic"]), GROUPS, TOPICS, st.just(0)),
    st.tuples(st.sampled_from(["hold", "release", "fail"]), st.just(""), st.just(""), st.just(0)),
    st.tuples(st.just("wait"), st.just(""), st.just(""), st.integers(1, 90_000)),
)


def take(world: World, step: tuple[str, str, str, int]) -> None:
    action, group, topic, number = step
    match action:
        case "plain":
            world.commit(number, group=group, topic=topic)
        case "transactional":
            world.txn_commit(number, producer=number % 3, epoch=number % 2, group=group, topic=topic)
        case "end":
            world.end(commit=number % 4 > 0, producer=number % 3, epoch=number % 2, coordinator=number % 5 // 4)
        case "delete offset":
            world.ask(OffsetDelete(group, [(topic, 0)]))
        case "delete group":
            world.delete(group)
        case "delete topic":
            world.apply(world.shard.on_topics_deleted([topic], world.now_ms))
        case "hold":
            world.hold()
        case "release":
            world.release()
        case "fail":
            world.fail(errors.KAFKA_STORAGE_ERROR)
        case "wait":
            world.advance(number)


def committed_by(log: list[SingleRecord]) -> dict[tuple[str, str], int]:
    """What spec 4.6 says of this log, in the plainest words."""
    committed: dict[tuple[str, str], tuple[int, int]] = {}
    waiting: dict[int, dict[tuple[str, str], tuple[int, int]]] = {}
    for log_offset, record in enumerate(log):
        match record:
            case OffsetCommitted():
                committed[record.group_id, record.topic] = (log_offset, record.offset)
            case TransactionalOffset():
                entry = record.committed
                place = entry.group_id, entry.topic
                waiting.setdefault(record.producer_id, {})[place] = (log_offset, entry.offset)
            case OffsetErased():
                for offsets in (committed, *waiting.values()):
                    offsets.pop((record.group_id, record.topic), None)
            case EndTransactionMarker():
                for place, found in waiting.pop(record.producer_id, {}).items():
                    if record.commit:
                        committed[place] = max(found, committed.get(place, (-1, -1)))
            case _:
                pass
    return {place: offset for place, (_, offset) in committed.items()}


@settings(max_examples=300, deadline=None)
@given(st.lists(steps, max_size=40))
def test_in_every_history_the_log_decides_what_is_committed(history: list[tuple[str, str, str, int]]) -> None:
    """Laws 2 and 3 with transactions."""
    world = World(CONFIG, orderly=True)
    for step in history:
        take(world, step)
    world.release()
    assert not any(call.waiting for call in world.calls)
    assert not list(world.shard.offsets.on_the_way())
    shown = {(group, topic): stored.offset for group, topic, _, stored in world.shard.offsets}
    assert shown == committed_by(world.log)
    assert world.shard.offsets.count == len(shown)
    heir = world.restart()
    assert heir.shard.offsets == world.shard.offsets
    for producer in range(3):
        world.end(commit=False, producer=producer, epoch=9, coordinator=9)
    assert len(world.shard.offsets.pending) == 0
    assert not any(world.shard.offsets.pending.is_open_in(group) for group in "gh")
