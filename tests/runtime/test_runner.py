"""Carrying out: replies after durability, one group waiting for its own records, failures, slow disks, broken invariants."""

from __future__ import annotations

import sys

import pytest

from muster.core.replies import (
    CommitReply,
    DeleteReply,
    DescribeReply,
    FetchReply,
    HeartbeatReply,
    JoinReply,
    SyncReply,
)
from muster.core.requests import DeleteGroup, DescribeGroup
from muster.core.shard import Shard
from muster.log.contract import StorageError
from muster.runtime.coordinator_shards import RELOAD_AFTER_FAILURE_MS, ShardState
from muster.wire.errors import (
    COORDINATOR_NOT_AVAILABLE,
    INVALID_COMMIT_OFFSET_SIZE,
    MEMBER_ID_REQUIRED,
    NONE,
    NOT_COORDINATOR,
    REBALANCE_IN_PROGRESS,
    UNKNOWN_MEMBER_ID,
    UNKNOWN_SERVER_ERROR,
)
from tests.core.commit_entries import by_topic
from tests.forms import interpreted_only
from tests.runtime.test_coordinator import stable_group
from tests.runtime.world import World, beat, commit, fetch, join, sync


def offset(world: World) -> int:
    return world.send(fetch()).as_(FetchReply).listed()[0][1][0][1]


def test_a_commit_is_answered_and_visible_only_when_it_is_durable() -> None:
    world = World().start()
    world.ask(commit(1))
    ticket = world.send(commit(2))
    assert not ticket.answered
    assert offset(world) == 1
    world.settle()
    assert ticket.as_(CommitReply).errors == [NONE]
    assert offset(world) == 2


def test_a_stable_fetch_waits_for_commits_in_flight_and_sees_them() -> None:
    world = World().start()
    world.ask(commit(1))
    world.send(commit(2))
    stable = world.send(fetch(stable=True))
    assert not stable.answered
    world.settle()
    assert stable.as_(FetchReply).listed() == [("t", [(0, 2, -1, "", NONE)])]


def test_T168_a_failed_append_gives_not_coordinator_and_the_old_value_stays() -> None:
    world = World().start()
    world.ask(commit(1))
    world.store.failure = lambda topic, partition: StorageError("disk full")
    assert world.ask(commit(2)).as_(CommitReply).errors == [NOT_COORDINATOR]
    assert offset(world) == 1
    world.store.failure = None
    assert world.ask(commit(3)).as_(CommitReply).errors == [NONE]
    assert offset(world) == 3


def test_commits_behind_a_failed_one_in_the_same_tick_fail_with_it() -> None:
    world = World().start()
    world.store.failure = lambda topic, partition: StorageError("disk full")
    tickets = [world.send(commit(2)), world.send(commit(3))]
    world.settle()
    assert [ticket.as_(CommitReply).errors for ticket in tickets] == [[NOT_COORDINATOR]] * 2
    assert offset(world) == -1


def test_T027_a_slow_disk_gives_an_error_in_time_and_the_value_stays_in_the_log() -> None:
    world = World().start()
    ticket = world.send(commit(2))
    world.advance_in_flight(4_999)
    assert not ticket.answered
    world.advance_in_flight(1)
    assert ticket.as_(CommitReply).errors == [COORDINATOR_NOT_AVAILABLE]
    assert offset(world) == -1
    world.settle()
    assert offset(world) == 2


def test_a_commit_too_large_for_one_batch_gets_its_own_error() -> None:
    """Deviates from 4.3.1 as decided: 28 and not -1 (spec 4.3)."""
    world = World().start()
    request = commit(2)
    request.topics = by_topic(("t", partition, 2, -1, "x" * 4_000, None) for partition in range(300))
    assert world.ask(request).as_(CommitReply).errors == [INVALID_COMMIT_OFFSET_SIZE] * 300
    assert world.ask(commit(2)).as_(CommitReply).errors == [NONE]


def test_a_group_with_more_offsets_than_fit_into_one_batch_can_be_deleted() -> None:
    """Spec 4.3: tombstones may be split."""
    world = World().start()
    name = "x" * 20_000
    for partition in range(100):
        request = commit(1, group=name)
        request.topics = by_topic([("t", partition, 1, -1, "", None)])
        assert world.ask(request).as_(CommitReply).errors == [NONE]
    assert world.ask(DeleteGroup(name)).as_(DeleteReply).error == NONE
    assert world.ask(fetch(name)).as_(FetchReply).listed()[0][1][0][1] == -1


def test_a_name_too_long_for_a_record_is_refused_and_harms_nobody() -> None:
    """Flexible versions carry group ids of any length; a record's key does not."""
    world = World().start()
    assert world.ask(commit(2, group="x" * 40_000)).as_(CommitReply).errors == [INVALID_COMMIT_OFFSET_SIZE]
    assert world.shard_state() is ShardState.ACTIVE


def test_member_id_required_does_not_wait_for_the_record_of_the_new_group() -> None:
    world = World().start()
    ticket = world.send(join(requires_known_member_id=True))
    assert ticket.as_(JoinReply).error == MEMBER_ID_REQUIRED


def test_events_of_a_group_wait_while_its_records_are_in_flight_and_commits_and_other_groups_do_not() -> None:
    world = World().start()
    (leader,) = stable_group(world)
    world.ask(join(leader))
    world.advance(1)
    storing = world.send(sync(leader, 2, (leader, b"plan")))
    behind = world.send(beat(leader, 2))
    assert (storing.answered, behind.answered) == (False, False)
    assert world.send(commit(1, member_id=leader, generation=2)).as_(CommitReply).errors == [REBALANCE_IN_PROGRESS]
    assert world.send(beat("nobody", 1, group="other")).as_(HeartbeatReply).error == UNKNOWN_MEMBER_ID
    assert world.send(DescribeGroup("g")).as_(DescribeReply).state == "CompletingRebalance"
    world.settle()
    assert (storing.as_(SyncReply).assignment, behind.as_(HeartbeatReply).error) == (b"plan", NONE)


def test_T104_when_the_assignment_cannot_be_stored_syncs_fail_and_a_new_rebalance_begins() -> None:
    world = World().start()
    joins = [world.ask(join()), world.ask(join())]
    world.advance(1)
    leader = joins[0].as_(JoinReply).leader
    follower = next(t.as_(JoinReply).member_id for t in joins if t.as_(JoinReply).member_id != leader)
    world.store.failure = lambda topic, partition: StorageError("disk full")
    tickets = [world.ask(sync(follower, 1)), world.ask(sync(leader, 1, (leader, b"a"), (follower, b"b")))]
    assert [ticket.as_(SyncReply).error for ticket in tickets] == [NOT_COORDINATOR] * 2
    assert world.ask(DescribeGroup("g")).as_(DescribeReply).state == "PreparingRebalance"


def test_what_waits_behind_a_disk_that_hangs_is_told_so_in_time() -> None:
    """Spec 1.4: offsets.commit.timeout.ms bounds every write, and what waits for one."""
    world = World().start()
    (leader,) = stable_group(world)
    world.ask(join(leader))
    world.advance(1)
    storing = world.send(sync(leader, 2, (leader, b"plan")))
    behind = world.send(beat(leader, 2))
    stable = world.send(fetch(stable=True))
    world.advance_in_flight(4_999)
    assert not any(ticket.answered for ticket in (storing, behind, stable))
    world.advance_in_flight(1)
    assert storing.as_(SyncReply).error == COORDINATOR_NOT_AVAILABLE
    assert behind.as_(HeartbeatReply).error == COORDINATOR_NOT_AVAILABLE
    assert stable.as_(FetchReply).error == COORDINATOR_NOT_AVAILABLE
    world.settle()
    assert world.ask(DescribeGroup("g")).as_(DescribeReply).state == "PreparingRebalance", "it began anew"


def test_T119_a_timer_that_is_due_while_its_group_is_busy_counts_what_came_before_it() -> None:
    """The session ends while the group's record is in flight; a heartbeat that waits in the queue saves the member."""
    world = World(min_session_timeout_ms=1_000).start()
    (leader,) = stable_group(world)
    world.ask(join(leader, session_timeout_ms=3_000))
    world.advance(1)
    world.send(sync(leader, 2, (leader, b"plan")))
    saved = world.send(beat(leader, 2))
    world.advance_in_flight(4_500)
    world.settle()
    assert saved.as_(HeartbeatReply).error == NONE
    world.advance(2_999)
    assert world.ask(DescribeGroup("g")).as_(DescribeReply).state == "Stable"
    world.advance(1)
    assert world.ask(DescribeGroup("g")).as_(DescribeReply).state == "Empty"


def test_a_timer_that_was_due_while_its_group_was_busy_fires_when_it_is_free_without_time_passing() -> None:
    """A clock that a test holds still must not hold back what is already due: here the session of a silent follower."""
    world = World(min_session_timeout_ms=1_000).start()
    joins = [world.ask(join(session_timeout_ms=3_000)), world.ask(join(session_timeout_ms=3_000))]
    world.advance(1)
    leader = joins[0].as_(JoinReply).leader
    world.send(sync(leader, 1, (leader, b"plan")))
    world.advance_in_flight(3_500)
    assert world.send(DescribeGroup("g")).as_(DescribeReply).state == "CompletingRebalance"
    world.settle()
    described = world.ask(DescribeGroup("g")).as_(DescribeReply)
    assert (described.state, [member.member_id for member in described.members]) == ("PreparingRebalance", [leader])


def test_a_session_that_ends_is_seen_at_its_time_on_the_clock() -> None:
    world = World().start()
    (member,) = stable_group(world)
    world.advance(9_999)
    assert world.ask(beat(member, 1)).as_(HeartbeatReply).error == NONE
    world.advance(10_000)
    assert world.ask(beat(member, 1)).as_(HeartbeatReply).error == UNKNOWN_MEMBER_ID


def test_a_broken_invariant_ends_the_shard_which_is_loaded_again(caplog: pytest.LogCaptureFixture) -> None:
    world = World(initial_rebalance_delay_ms=3_000).start()
    world.ask(commit(5, group="h"))
    parked = world.ask(join())
    runner = world.coordinator.places[0].runner
    assert runner is not None
    runner.shard.groups["g"] = "no group"  # type: ignore[assignment]
    assert world.ask(beat("m", 1)).as_(HeartbeatReply).error == UNKNOWN_SERVER_ERROR
    assert parked.as_(JoinReply).error == NOT_COORDINATOR, "who waited must look for the coordinator again"
    assert world.shard_state() is ShardState.FAILED
    assert "it will be loaded again" in caplog.text
    world.advance(RELOAD_AFTER_FAILURE_MS)
    assert world.shard_state() is ShardState.ACTIVE
    assert world.ask(fetch("h")).as_(FetchReply).listed() == [("t", [(0, 5, -1, "", NONE)])]


def test_a_shard_is_loaded_again_only_when_the_log_has_settled_what_the_failed_one_wrote() -> None:
    """Law 2: a record that becomes durable behind the load's back would be in the log and not in the facts."""
    world = World(initial_rebalance_delay_ms=3_000).start()
    world.ask(join())
    world.ask(commit(5, group="h"))
    told = world.send(commit(9, group="h"))
    runner = world.coordinator.places[0].runner
    assert runner is not None
    runner.shard.groups["g"] = "no group"  # type: ignore[assignment]
    world.send(beat("m", 1))
    assert told.as_(CommitReply).errors == [NOT_COORDINATOR]
    world.advance_in_flight(RELOAD_AFTER_FAILURE_MS)
    assert world.shard_state() is ShardState.LOADING
    world.settle()
    assert world.shard_state() is ShardState.ACTIVE
    assert world.ask(fetch("h")).as_(FetchReply).listed() == [("t", [(0, 9, -1, "", NONE)])]


@interpreted_only
def test_a_shard_that_fails_while_it_tells_of_slow_storage_answers_everybody_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World().start()
    joined = world.ask(join())
    world.advance(1)
    member = joined.as_(JoinReply).member_id
    synced = world.send(sync(member, 1, (member, b"all")))
    committed = world.send(commit(5, group="h"))

    def fail(*arguments: object) -> None:
        raise AssertionError("a broken invariant")

    monkeypatch.setattr(Shard, "on_append_overdue", fail)
    world.advance_in_flight(5_000)
    assert synced.as_(SyncReply).error == NOT_COORDINATOR
    assert committed.as_(CommitReply).errors == [NOT_COORDINATOR]
    assert world.shard_state() is ShardState.FAILED


def test_a_superseded_join_is_not_kept_once_its_connection_is_gone() -> None:
    """Spec 3.1: a newer JoinGroup replaces the parked one silently."""
    world = World(initial_rebalance_delay_ms=3_000).start()
    member = world.ask(join(requires_known_member_id=True)).as_(JoinReply).member_id
    runner = world.coordinator.places[0].runner
    assert runner is not None
    first = world.ask(join(member))
    second = world.ask(join(member))
    assert runner.parked == 2
    first.has_gone = True
    assert runner.parked == 1
    for number in range(200):  # whoever waits now makes the runner look for those who do not wait any more
        world.ask(join(f"unknown-{number}"))
        world.ask(join(group_id=f"g{number}"))
    assert sys.getrefcount(first) == 2, "only this test and the call itself hold it"
    world.advance(3_000)
    assert second.as_(JoinReply).error == NONE


def test_the_journal_tells_a_rebalance_from_its_start_to_its_end() -> None:
    world = World(initial_rebalance_delay_ms=3_000).start()
    joined = world.ask(join(reason="first day"))
    world.advance(3_000)
    member = joined.as_(JoinReply).member_id
    world.advance(250)
    world.ask(sync(member, 1, (member, b"all")))
    events = world.journal_events()
    kinds = [event["kind"] for event in events]
    assert kinds.index("rebalance_started") < kinds.index("join_completed") < kinds.index("rebalance_ended")
    started = next(event for event in events if event["kind"] == "rebalance_started")
    ended = next(event for event in events if event["kind"] == "rebalance_ended")
    assert (started["member"], started["cause"]) == (member, "first_member")
    assert (ended["join_phase_ms"], ended["sync_phase_ms"], ended["cause"]) == (3_000, 250, "assignment_stored")


def test_a_journal_that_cannot_be_written_is_counted_and_disturbs_nobody(caplog: pytest.LogCaptureFixture) -> None:
    world = World().start()
    world.store.failure = lambda topic, partition: StorageError("full") if topic == "__group_journal" else None
    stable_group(world)
    assert world.journal.dropped > 0
    assert caplog.text.count("the group journal loses events") == 1
