"""Offsets in a real shard, with members that joined and a log that may fail; and the log's bytes read back (law 2)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from muster.core.config import GroupConfig
from muster.core.records import GroupErased, OffsetErased
from muster.core.requests import OffsetCommit, OffsetDelete
from muster.core.shard import Shard
from muster.log.record_codec import decode_record, encode_record
from muster.wire import errors
from muster.wire.consumer_protocol import Subscription, encode_subscription
from tests.core.commit_entries import Entry, by_topic
from tests.core.world import SESSION_MS, World

CONFIG = GroupConfig(
    offsets_retention_ms=100_000, offsets_retention_check_interval_ms=10_000, initial_rebalance_delay_ms=0
)


def stable_world(topic: str = "t", *, config: GroupConfig = CONFIG) -> tuple[World, str]:
    """A group of one member that subscribes to `topic`; it never sends a heartbeat by itself."""
    world = World(config)
    join = world.join(protocols=(("range", encode_subscription(Subscription(topics=[topic]))),), session=1_000_000)
    world.advance(0)
    member_id = join.reply.member_id
    assert world.sync(member_id, 1, {member_id: b"all"}).reply.error == errors.NONE
    return world, member_id


def test_a_commit_keeps_its_member_alive() -> None:
    """Spec 4.1 row 6."""
    world = World()
    (member_id,) = world.stable(None)
    for _ in range(3):
        world.advance(SESSION_MS - 1)
        assert world.commit(member_id=member_id, generation=1).reply.errors == [errors.NONE]
    assert world.remaining("session", "g", member_id) == SESSION_MS
    world.advance(SESSION_MS)
    assert world.commit(member_id=member_id, generation=1).reply.errors == [errors.UNKNOWN_MEMBER_ID]


def test_a_lost_append_is_not_coordinator_and_the_old_value_stays() -> None:
    """T168: and the group can expire later, the lost commit holds nothing back."""
    world = World(CONFIG)
    world.commit(1)
    world.hold()
    lost = world.commit(2)
    assert lost.waiting
    world.fail(errors.NOT_LEADER_OR_FOLLOWER)
    assert lost.reply.errors == [errors.NOT_COORDINATOR]
    assert world.fetch().listed() == [("t", [(0, 1, -1, "", 0)])]
    world.advance(200_000)
    assert not world.shard.groups


def test_a_lost_append_keeps_the_codes_of_entries_that_were_refused_anyway() -> None:
    """Spec 4.1 step 8."""
    world = World()
    entries: list[Entry] = [("t", 0, 1, -1, "x" * 5000, None), ("t", 1, 1, -1, "", None)]
    world.hold()
    call = world.ask(OffsetCommit("g", -1, "", None, None, by_topic(entries), True))
    world.fail(errors.KAFKA_STORAGE_ERROR)
    assert call.reply.errors == [errors.OFFSET_METADATA_TOO_LARGE, errors.NOT_COORDINATOR]  # type: ignore[attr-defined]


def test_offsets_of_a_topic_that_is_no_longer_read_expire_others_stay() -> None:
    """T196 with subscriptions as clients send them."""
    world, member_id = stable_world("read")
    for topic in ("read", "unread"):
        world.commit(5, topic=topic, member_id=member_id, generation=1)
    world.advance(110_000)
    assert [topic for topic, _ in world.fetch().listed()] == ["read"]
    assert world.appended[-1] == [OffsetErased("g", "unread", 0)]


def test_offset_delete_refuses_what_the_member_reads() -> None:
    """T147 with subscriptions as clients send them."""
    world, member_id = stable_world("read")
    for topic in ("read", "unread"):
        world.commit(5, topic=topic, member_id=member_id, generation=1)
    reply = world.ask(OffsetDelete("g", [("read", 0), ("unread", 0)])).reply
    assert reply.errors == (errors.GROUP_SUBSCRIBED_TO_TOPIC, errors.NONE)  # type: ignore[attr-defined]


def test_an_emptied_group_goes_a_retention_after_its_last_member() -> None:
    """T194, T213: the time it became Empty comes back from the log, too."""
    world, member_id = stable_world()
    world.commit(5, member_id=member_id, generation=1)
    world.advance(50_000)
    world.leave(member_id)
    emptied_ms = world.now_ms
    world = world.restart()
    world.advance(99_000)
    assert world.group.protocol_type == "consumer"
    assert world.group.state_timestamp_ms == emptied_ms
    world.advance(11_000)
    assert world.appended[-1] == [OffsetErased("g", "t", 0), GroupErased("g")]
    assert not world.shard.groups
    assert [e.cause for e in world.journal if e.kind == "group_removed"] == ["expired"]


def test_a_lost_expiry_is_not_told_and_tried_again() -> None:
    """Spec 4.7: write failures are ignored."""
    world = World(CONFIG)
    world.commit(1)
    world.hold()
    world.advance(100_000)
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    assert "group_removed" not in world.kinds()
    assert world.fetch().topics
    world.advance(10_000)
    assert world.kinds().count("group_removed") == 1
    assert not world.shard.groups


def test_a_group_of_one_pending_id_goes_and_the_id_is_unknown() -> None:
    """T203a."""
    world = World(CONFIG)
    given_id = world.join(known=True, session=60_000).reply.member_id
    world.advance(10_000)
    assert not world.shard.groups
    assert world.join(given_id, known=True, session=60_000).reply.error == errors.UNKNOWN_MEMBER_ID


def test_deleting_a_group_takes_a_commit_that_is_on_its_way() -> None:
    """Whoever commits later starts with nothing."""
    world = World()
    world.commit(1, topic="old")
    world.hold()
    late, deletion = world.commit(2, topic="late"), world.delete()
    world.release()
    assert late.reply.errors == [errors.NONE]
    assert deletion.reply.error == errors.NONE
    world.commit(3, topic="new")
    assert [topic for topic, _ in world.fetch().listed()] == ["new"]


def test_topics_that_are_deleted_lose_their_offsets_for_good() -> None:
    """T179."""
    world = World()
    world.commit(1, topic="gone")
    world.commit(1, topic="kept")
    world.apply(world.shard.on_topics_deleted(["gone"], world.now_ms))
    assert [topic for topic, _ in world.fetch().listed()] == ["kept"]
    assert [topic for topic, _ in world.restart().fetch().listed()] == ["kept"]


def reloaded(world: World) -> Shard:
    """A shard made from the bytes of the log."""
    shard = Shard(world.shard.config, lambda: "id")
    for log_offset, record in enumerate(world.log):
        shard.replay(decode_record(*encode_record(record)), log_offset)
    shard.on_loaded(world.now_ms)
    return shard


steps = st.one_of(
    st.tuples(st.just("commit"), st.sampled_from("gh"), st.sampled_from("tu"), st.integers(0, 5)),
    st.tuples(st.just("too large"), st.sampled_from("gh"), st.just("t"), st.just(0)),
    st.tuples(st.just("retention"), st.sampled_from("gh"), st.sampled_from("tu"), st.integers(-2, 90_000)),
    st.tuples(st.just("delete offset"), st.sampled_from("gh"), st.sampled_from("tu"), st.just(0)),
    st.tuples(st.just("delete group"), st.sampled_from("gh"), st.just(""), st.just(0)),
    st.tuples(st.just("delete topic"), st.just(""), st.sampled_from("tu"), st.just(0)),
    st.tuples(st.just("wait"), st.just(""), st.just(""), st.integers(1, 60_000)),
    st.tuples(st.just("hold"), st.just(""), st.just(""), st.just(0)),
    st.tuples(st.just("release"), st.just(""), st.just(""), st.just(0)),
    st.tuples(st.just("fail"), st.just(""), st.just(""), st.just(0)),
)


def take(world: World, step: tuple[str, str, str, int]) -> None:
    action, group, topic, number = step
    match action:
        case "commit":
            world.commit(number, group=group, topic=topic)
        case "too large":
            world.commit(number, group=group, topic=topic, metadata="x" * 5000)
        case "retention":
            world.ask(OffsetCommit(group, -1, "", None, number, by_topic([(topic, 0, 1, 4, None, b"i" * 16)]), True))
        case "delete offset":
            world.ask(OffsetDelete(group, [(topic, 0)]))
        case "delete group":
            world.delete(group)
        case "delete topic":
            world.apply(world.shard.on_topics_deleted([topic], world.now_ms))
        case "wait":
            world.advance(number)
        case "hold":
            world.hold()
        case "release":
            world.release()
        case "fail":
            world.fail(errors.KAFKA_STORAGE_ERROR)


@settings(max_examples=200, deadline=None)
@given(st.lists(steps, max_size=25))
def test_what_is_loaded_from_the_bytes_of_the_log_is_what_was_live(history: list[tuple[str, str, str, int]]) -> None:
    """Laws 2 and 3: facts come from replay only; everybody is answered once; nothing acknowledged is on its way for ever."""
    world = World(CONFIG, orderly=True)
    for step in history:
        take(world, step)
    world.release()
    assert not any(call.waiting for call in world.calls)
    assert not list(world.shard.offsets.on_the_way())
    again = reloaded(world)
    assert again.offsets == world.shard.offsets
    assert again.offsets.count == sum(1 for _ in world.shard.offsets)
    with_offsets = {group_id for group_id in world.shard.groups if world.shard.offsets.of_group(group_id)}
    assert with_offsets <= again.groups.keys() <= world.shard.groups.keys()
