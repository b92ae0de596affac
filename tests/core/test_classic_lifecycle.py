"""Loading and unloading a shard, and what is a fact (spec 1.4, 5.3, 5.7; scenarios 11.1)."""

from __future__ import annotations

from muster.core.classic.states import DEAD, EMPTY, PREPARING_REBALANCE, STABLE
from muster.core.config import GroupConfig
from muster.core.records import (
    GroupErased,
    GroupStored,
    OffsetCommitted,
    OffsetErased,
    Record,
    StoredMember,
    UnknownRecord,
)
from muster.core.replies import JoinReply, SyncReply
from muster.core.shard import Shard
from muster.wire import errors
from tests.core.offsets.desk import is_simple
from tests.core.world import SESSION_MS, World


def shard_with(*records: Record) -> Shard:
    shard = Shard(GroupConfig(), lambda: "uuid")
    for log_offset, record in enumerate(records):
        shard.replay(record, log_offset)
    shard.on_loaded(1_000)
    return shard


def committed(group_id: str = "g", offset: int = 1) -> OffsetCommitted:
    return OffsetCommitted(group_id, "t", 0, offset, -1, "", 500)


MEMBER = StoredMember("m", "i", "client", "/h", 30_000, 10_000, b"meta", b"assigned")
STORED = GroupStored("g", "consumer", 3, "range", "m", 700, (MEMBER,))
EMPTIED = GroupStored("g", "consumer", 4, None, None, 800, ())


def test_unload_answers_parked_joins_with_their_own_ids() -> None:
    """T016: and every timer is gone; nothing is written."""
    world = World()
    calls = [world.join(), world.join()]
    world.join(known=True)
    ids, written = list(world.group.members), len(world.log)
    world.apply(world.shard.on_unload(world.now_ms))
    assert [call.reply for call in calls] == [JoinReply(errors.NOT_COORDINATOR, member_id) for member_id in ids]
    assert not world.timers
    assert len(world.log) == written
    assert world.state() is DEAD


def test_unload_answers_parked_syncs() -> None:
    """T017."""
    world = World()
    _, b = world.completing(None, None)
    parked = world.sync(b, 1)
    world.apply(world.shard.on_unload(world.now_ms))
    assert parked.reply == SyncReply(errors.NOT_COORDINATOR)
    assert not world.timers


def test_unload_twice_and_late_writes_change_nothing() -> None:
    """Spec 3.2: any state goes to Dead, Dead too; what comes back from the log finds nobody waiting."""
    world = World()
    (a,) = world.completing(None)
    world.hold()
    sync = world.sync(a, 1, {a: b"x"})
    world.apply(world.shard.on_unload(world.now_ms))
    world.apply(world.shard.on_unload(world.now_ms))
    world.release()
    assert sync.reply == SyncReply(errors.NOT_COORDINATOR)
    assert world.state() is DEAD


def test_failover_in_the_middle_of_a_rebalance_restores_the_generation_before() -> None:
    """T018: pending ids do not survive either."""
    before = World()
    a, b = before.stable(None, "two")
    pending = before.join(known=True).reply.member_id
    before.leave(pending)
    for member_id in (a, b):
        before.join(member_id)
    assert before.group.generation == 2
    world = before.restart()
    assert (world.state(), world.group.generation, list(world.group.members)) == (STABLE, 1, [a, b])
    assert world.heartbeat(a, 2).reply.error == errors.ILLEGAL_GENERATION
    assert world.heartbeat(a, 1).reply.error == errors.NONE
    assert world.sync(b, 1, instance="two").reply.assignment == b"\1"
    assert world.join(pending).reply.error == errors.UNKNOWN_MEMBER_ID


def test_group_with_nothing_but_a_pending_id_is_empty_after_a_failover() -> None:
    """T018."""
    before = World()
    pending = before.join(known=True).reply.member_id
    world = before.restart()
    assert world.state() is EMPTY
    assert world.join(pending).reply == JoinReply(errors.UNKNOWN_MEMBER_ID, pending)


def test_loaded_members_have_one_full_session_to_show_up() -> None:
    """T019."""
    before = World()
    a, b = before.stable(None, None)
    before.advance(9_000)
    world = before.restart()
    assert world.remaining("session", "g", a) == world.remaining("session", "g", b) == SESSION_MS
    world.advance(SESSION_MS - 1)
    assert len(world.group.members) == 2
    world.advance(1)
    assert world.state() is EMPTY


def test_loaded_group_that_is_too_large_rebalances() -> None:
    """T020."""
    before = World()
    before.stable(None, None, None)
    before.shard.config = GroupConfig(max_size=1)
    world = before.restart()
    assert world.state() is PREPARING_REBALANCE
    assert world.remaining("join", "g") == 30_000
    assert world.journal[-2].cause == "group_too_large"


def test_loaded_group_of_just_the_allowed_size_is_left_alone() -> None:
    """T020: more than the limit, not as many as the limit."""
    before = World()
    before.stable(None, None)
    before.shard.config = GroupConfig(max_size=2)
    assert before.restart().state() is STABLE


def test_subscriptions_are_known_after_loading() -> None:
    """Spec 5.7."""
    metadata = b"\0\0\0\0\0\1\0\1x\xff\xff\xff\xff"
    member = StoredMember("m", None, "c", "/h", 30_000, 10_000, metadata, b"")
    stored = GroupStored("g", "consumer", 3, "range", "m", 700, (member,))
    assert shard_with(stored).groups["g"].subscribed_topics == frozenset(("x",))
    assert shard_with(EMPTIED).groups["g"].subscribed_topics == frozenset()


def test_expiration_runs_one_interval_after_loading() -> None:
    """Spec 4.7."""
    assert World().remaining("expire") == 600_000


def test_members_are_loaded_with_the_one_protocol_that_was_stored() -> None:
    """Spec 5.7."""
    group = shard_with(STORED).groups["g"]
    assert (group.state, group.generation, group.leader, group.state_timestamp_ms) == (STABLE, 3, "m", 700)
    member = group.members["m"]
    assert member.protocols == (("range", b"meta"),)
    assert (member.assignment, member.instance_id, group.static_members) == (b"assigned", "i", {"i": "m"})
    assert group.protocol_counts == {"range": 1}


def test_missing_rebalance_timeout_is_the_session_timeout() -> None:
    """Spec 5.3: old values have none."""
    old = StoredMember("m", None, "c", "/h", -1, 10_000, b"", b"")
    group = shard_with(GroupStored("g", "consumer", 3, "range", "m", -1, (old,))).groups["g"]
    assert group.members["m"].rebalance_timeout_ms == 10_000
    assert group.state_timestamp_ms == -1


def test_stored_group_without_a_type_has_none() -> None:
    """Spec 5.7."""
    group = shard_with(GroupStored("g", "", 0, None, None, 5, ())).groups["g"]
    assert (group.protocol_type, group.state, is_simple(group)) == (None, EMPTY, True)


def test_last_record_of_a_group_counts() -> None:
    """Spec 5.7: it replaces whatever was there, offsets stay."""
    shard = shard_with(STORED, committed(), EMPTIED)
    assert (shard.groups["g"].state, shard.groups["g"].generation) == (EMPTY, 4)
    assert shard.offsets.of_group("g")


def test_offset_of_an_unknown_group_makes_a_simple_group() -> None:
    """Spec 5.7."""
    group = shard_with(committed()).groups["g"]
    assert (is_simple(group), group.state, group.protocol_type) == (True, EMPTY, None)


def test_offsets_behind_a_tombstone_of_their_group_are_not_shown_until_a_new_commit() -> None:
    """Spec 5.7, seen on a running 4.3.1."""
    shard = shard_with(committed(), GroupErased("g"))
    assert "g" not in shard.groups
    assert shard.offsets.of_group("g")
    shard.replay(OffsetCommitted("g", "other", 0, 9, -1, "", 500), 2)
    assert "g" in shard.groups
    assert list(shard.offsets.of_group("g")) == ["t", "other"]


def test_tombstones_of_unknown_keys_mean_nothing() -> None:
    """Spec 5.7: compaction may have removed their predecessors."""
    shard = shard_with(GroupErased("g"), OffsetErased("g", "t", 0), UnknownRecord(77))
    assert not shard.groups
    assert shard.counters.unknown_records == 1


def test_offset_tombstone_leaves_the_simple_group() -> None:
    """Spec 3.16: it goes with the next expiration run."""
    shard = shard_with(committed(), OffsetErased("g", "t", 0))
    assert "g" in shard.groups


def test_facts_do_not_change_before_records_are_durable() -> None:
    """Law 2."""
    world = World()
    (a,) = world.stable(None)
    fact = world.shard.facts["g"]
    world.hold()
    world.leave(a)
    world.commit()
    assert world.shard.facts["g"] is fact
    assert not world.shard.offsets.of_group("g")
    world.release()
    assert world.shard.facts["g"].members == ()
    assert world.shard.offsets.of_group("g")


def test_deleted_topics_take_their_offsets_along() -> None:
    """Spec 4.5."""
    world = World()
    world.commit(topic="gone")
    world.commit(topic="kept")
    world.apply(world.shard.on_topics_deleted(["gone"], world.now_ms))
    assert [topic for topic, _ in world.fetch().listed()] == ["kept"]


def test_everything_prints_on_one_line() -> None:
    """The console, the journal and the tests show the same words."""
    world = World()
    world.join(instance="i")
    member = next(iter(world.group.members.values()))
    assert repr(member) == "<Member i-uuid1 (i): new, join parked>"
    assert repr(world.group) == "<Group g: PreparingRebalance, generation 0, 1 members, 1 joined, leader i-uuid1>"
    world.advance(3_000)
    world.join(known=True)
    shown = "<Group g: CompletingRebalance, generation 1, 1 members, 1 to sync, 1 ids pending, leader i-uuid1>"
    assert repr(world.group) == shown
    assert repr(world.shard) == "<Shard: 1 groups, 0 offsets>"
    assert repr(world.journal[0]) == "<1000000 g g0 group_created: new_member>"
