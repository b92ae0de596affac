"""Random histories of members, topics, timers and failing appends: the laws hold in all of them."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from muster.core.config import GroupConfig
from muster.core.consumer.group import ConsumerGroup
from muster.core.consumer.reconcile import without_epochs
from muster.core.consumer.records import CurrentErased, MemberStored
from muster.core.consumer.states import ConsumerGroupState
from muster.core.records import GroupErased, GroupStored
from muster.core.requests import DeleteGroup
from muster.wire import errors
from tests.core.consumer.consumer_world import Consumers
from tests.core.consumer.test_consumer_migration import wants

Step = tuple[int, int, int]

MEMBERS = ("a", "b", "c", "d")
TOPICS = ((), ("foo",), ("bar",), ("bar", "foo"))
CONFIG = GroupConfig(
    consumer_max_size=3,
    consumer_assignment_interval_ms=1_000,
    offsets_retention_check_interval_ms=60_000,
    initial_rebalance_delay_ms=0,
)
PAUSES_MS = (0, 500, 5_000, 46_000, 61_000)
STEPS = 14


class ConsumerHistory:
    """A history is a list of small numbers: each step is (what, who, how), so that it shrinks well."""

    def __init__(self) -> None:
        self.world = Consumers(CONFIG, orderly=True, foo=3, bar=2)
        self.seen: set[str] = set()

    def play(self, steps: list[Step]) -> None:
        for what, who, how in steps:
            self._step(what, MEMBERS[who % len(MEMBERS)], how)
            group = self.world.shard.consumer_groups.get("g")
            if group is not None:
                check_group(group)
                self.seen.add(group.state().value)
                if len({member.subscription.classic is None for member in group.members.values()}) == 2:
                    self.seen.add("both protocols")
        self.world.release()

    def _step(self, what: int, member_id: str, how: int) -> None:
        world = self.world
        instance = f"i{member_id}" if member_id in "ab" else None
        group = world.shard.consumer_groups.get("g")
        member = None if group is None else group.members.get(member_id)
        match what % STEPS:
            case 0 | 1 | 2:
                regex = "f.*" if how % 5 == 0 else None
                world.joining(member_id, *TOPICS[how % len(TOPICS)], instance=instance, regex=regex)
            case 3 | 4 | 5 if member is not None and not world.holding:
                self.world.obey(member_id)
            case 6 if member is not None and not world.holding:
                world.beat(member_id, topics=TOPICS[how % len(TOPICS)] if how % 2 else None)
            case 7 if not world.holding:
                world.beat(member_id, how % 6, {"foo": [how % 3]} if how % 2 else None)
            case 8 if not world.holding:
                world.quit(member_id, instance=instance, for_good=instance is None or how % 2 == 0)
            case 9:
                world.advance(PAUSES_MS[how % len(PAUSES_MS)])
            case 10:
                self._turn_the_log(how)
            case 11:
                if how % 4 == 0 and "foo" in world.topics.names():
                    world.topics.delete("foo")
                else:
                    there = world.topics.find("foo")
                    world.topics.set("foo", max(1 + how % 5, 0 if there is None else there[1]))
            case 12:
                if how % 3 == 0:
                    world.ask(DeleteGroup("g"))
                elif how % 3 == 1:
                    self._join_as_classic(how)
                else:
                    world.commit(how, member_id=member_id, generation=how % 5, topic="foo")
            case 13:
                world.told()
                world.list_groups()

    def _join_as_classic(self, how: int) -> None:
        """A classic member joins, joins again, or goes, in whatever kind of group it finds."""
        world = self.world
        group = world.shard.consumer_groups.get("g")
        known = [] if group is None else [each for each, one in group.members.items() if one.subscription.classic]
        if known and how % 2:
            self._rejoin(known[0])
        elif known and how % 5 == 0:
            world.leave(known[0])
        else:
            world.join(protocols=wants("foo"), rebalance=5_000)

    def _rejoin(self, member_id: str) -> None:
        world = self.world
        owned = {} if world.holding else world.assigned(member_id)
        joined = world.join(member_id, protocols=wants("foo", owned=owned), rebalance=5_000)
        if not joined.waiting:
            world.sync(member_id, joined.reply.generation)

    def _turn_the_log(self, how: int) -> None:
        world = self.world
        if not world.holding:
            world.hold()
        elif how % 3 == 0:
            world.fail(errors.NOT_ENOUGH_REPLICAS)
        else:
            world.release()

    def check_replay_equals_live(self) -> None:
        live, loaded = self.world.shard, self.world.restart().shard
        assert loaded.consumer_groups.keys() == live.consumer_groups.keys()
        for group_id, group in live.consumer_groups.items():
            assert facts(loaded.consumer_groups[group_id]) == facts(group)
        assert loaded.facts == live.facts
        assert sorted(map(repr, loaded.offsets)) == sorted(map(repr, live.offsets))

    def check_everybody_was_answered(self) -> None:
        assert not [call.request for call in self.world.calls if call.waiting and "Join" not in repr(call.request)]

    def check_the_obedient_arrive(self) -> None:
        """With everybody obeying and nothing else happening, all members reach their target."""
        world = self.world
        group = world.shard.consumer_groups.get("g")
        if group is None or not group.members:
            return
        for away in [each for each, member in group.members.items() if member.current.epoch == -2]:
            world.consume(away, instance=group.members[away].subscription.instance_id)
        classic = [each for each, member in group.members.items() if member.subscription.classic is not None]
        consumers = [each for each in group.members if each not in classic]
        if not consumers:
            return  # nobody computes a target: with the next event it would be a classic group
        for pause_ms in (1_000, 0, 1_000, 1_000, 1_000):
            world.settle_down(*consumers)
            for member_id in classic:
                self._rejoin(member_id)
            world.advance(pause_ms)
        world.settle_down(*consumers)
        assert group.state() is ConsumerGroupState.STABLE
        for member_id, member in group.members.items():
            assert without_epochs(member.current.assigned) == group.targets.get(member_id, {})


def facts(group: ConsumerGroup) -> list[object]:
    members = [(each.member_id, each.subscription, each.current) for each in group.members.values()]
    durable = (group.epoch, group.target_epoch, group.target_ms, group.metadata_hash)
    return [*durable, members, group.targets, group.static_members, group.resolved, group.owners]


def check_group(group: ConsumerGroup) -> None:
    owners: dict[bytes, dict[int, str]] = {}
    for member in group.members.values():
        assert member.current.epoch <= group.target_epoch <= group.epoch
        for held in (member.current.assigned, member.current.revoking):
            for key, partitions in held.items():
                for partition in partitions:
                    assert partition not in owners.setdefault(key, {}), "a partition has two owners"
                    owners[key][partition] = member.member_id
    assert group.owners == owners
    assert group.static_members == {
        each.subscription.instance_id: each.member_id
        for each in group.members.values()
        if each.subscription.instance_id is not None
    }
    assert group.targets.keys() <= group.members.keys()
    assert group.members.keys() == {each.member_id for each in group.members.values()}


STEP = st.tuples(st.integers(0, STEPS - 1), st.integers(0, 3), st.integers(0, 20))


@given(st.lists(STEP, min_size=5, max_size=60))
@settings(max_examples=300, deadline=None)
def test_the_laws_hold_in_every_history(steps: list[Step]) -> None:
    """Laws 2 and 3; no partition has two owners; whoever obeys arrives."""
    history = ConsumerHistory()
    history.play(steps)
    history.check_replay_equals_live()
    history.check_everybody_was_answered()
    history.check_the_obedient_arrive()


def test_histories_reach_everything_that_they_are_for() -> None:
    """A property that is never put to the test proves nothing."""
    seen: set[str] = set()
    for seed in range(40):
        source = random.Random(seed)
        history = ConsumerHistory()
        history.play([(source.randrange(STEPS), source.randrange(4), source.randrange(21)) for _ in range(200)])
        history.check_replay_equals_live()
        seen |= history.seen
        for batch in history.world.appended:
            if isinstance(batch[0], GroupErased) and sum(isinstance(record, MemberStored) for record in batch) > 1:
                seen.add("upgrade")
            if isinstance(batch[0], CurrentErased) and isinstance(batch[-1], GroupStored):
                seen.add("downgrade")
    assert seen == {*(state.value for state in ConsumerGroupState), "both protocols", "upgrade", "downgrade"}
