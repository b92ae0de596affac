"""The journal of consumer groups: who came and went, which epoch and target followed, who was waited for, and every cause."""

from __future__ import annotations

import json
import random
from typing import get_args

from muster.core.consumer.notes import FENCED_AGAIN_MS, FENCED_KEPT
from muster.core.journal import Cause, JournalEvent, Kind
from muster.wire import errors
from tests.core.consumer.consumer_world import REBALANCE_MS, Consumers
from tests.core.consumer.test_consumer_migration import classic_group, policy
from tests.core.consumer.test_consumer_properties import STEPS, ConsumerHistory
from tests.core.world import START_MS, World


def told(world: World, since: int = 0) -> list[tuple[str, str]]:
    return [(event.kind, event.cause) for event in world.journal[since:]]


def last(world: World, kind: str) -> JournalEvent:
    return next(event for event in reversed(world.journal) if event.kind == kind)


def two_members(foo: int = 4, **others: int) -> Consumers:
    """`a` came first and had everything; `b` has its half since."""
    world = Consumers(foo=foo)
    for name, count in others.items():
        world.topics.set(name, count)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.settle_down("a", "b")
    return world


def test_first_member_of_a_group_is_told_from_its_creation_to_stable() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    assert told(world) == [
        ("group_created", "new_member"),
        ("member_joined", "new_member"),
        ("epoch_raised", "first_member"),
        ("target_assigned", "epoch_raised"),
        ("member_reconciled", "new_target"),
        ("state_changed", "all_reconciled"),
    ]
    assert last(world, "target_assigned").to_json() == {
        "kind": "target_assigned",
        "at_ms": START_MS,
        "group": "g",
        "generation": 2,
        "cause": "epoch_raised",
        "assignor": "uniform",
        "members": 1,
        "given": {"a": {"foo": [0, 1]}},
        "taken": {},
        "session_timeout_ms": 45_000,
        "heartbeat_interval_ms": 5_000,
        "assignment_interval_ms": 0,
        "member": "a",
        "client": "client",
        "host": "/127.0.0.1",
    }
    assert last(world, "member_joined").detail == {
        "static": False,
        "topics": ["foo"],
        "rebalance_timeout_ms": REBALANCE_MS,
    }
    reconciled = last(world, "member_reconciled")
    assert (reconciled.member_id, reconciled.client_id, reconciled.client_host) == ("a", "client", "/127.0.0.1")
    assert reconciled.detail == {"member_epoch": 2, "given": {"foo": [0, 1]}, "took_ms": 0}
    assert last(world, "state_changed").detail == {"from": "Empty", "to": "Stable"}


def test_second_member_waits_until_the_first_has_given_partitions_up() -> None:
    """Who gets what, who has not given it up yet, since when, and how long it took."""
    world = Consumers(foo=4)
    world.consume("a", "foo")
    since = len(world.journal)
    world.consume("b", "foo")
    assert told(world, since) == [
        ("member_joined", "new_member"),
        ("epoch_raised", "new_member"),
        ("target_assigned", "epoch_raised"),
        ("partitions_awaited", "not_given_up"),
        ("state_changed", "new_member"),
    ]
    assert last(world, "target_assigned").member_id == "b", "whose heartbeat made it"
    target = last(world, "target_assigned").detail
    (given,) = target["given"].values()  # type: ignore[attr-defined]
    assert (target["given"], target["taken"]) == ({"b": given}, {"a": given})
    awaited = last(world, "partitions_awaited")
    assert (awaited.member_id, awaited.generation) == ("b", 3)
    assert awaited.detail == {"partitions": given, "held_by": {"a": given}, "given": {}}
    assert last(world, "state_changed").detail == {"from": "Stable", "to": "Reconciling"}

    since = len(world.journal)
    world.advance(1_000)
    world.beat("a")
    assert told(world, since) == [("revocation_started", "new_target")]
    started = last(world, "revocation_started")
    assert (started.member_id, started.at_ms) == ("a", world.now_ms)
    assert started.detail == {"partitions": given, "rebalance_timeout_ms": REBALANCE_MS}

    since = len(world.journal)
    world.advance(2_500)
    world.obey("a")
    assert told(world, since) == [("revocation_completed", "given_up"), ("member_reconciled", "new_target")]
    assert last(world, "revocation_completed").detail == {"partitions": given, "waited_ms": 2_500}
    assert last(world, "member_reconciled").detail == {"member_epoch": 3, "given": {}, "took_ms": 3_500}

    since = len(world.journal)
    world.beat("b")
    assert told(world, since) == [("member_reconciled", "new_target"), ("state_changed", "all_reconciled")]
    stable = last(world, "state_changed")
    assert (stable.member_id, stable.detail) == ("b", {"from": "Reconciling", "to": "Stable"})
    assert last(world, "member_reconciled").detail["given"] == given


def test_steady_heartbeats_commits_and_descriptions_are_not_events() -> None:
    world = two_members()
    before = len(world.journal)
    for _ in range(3):
        world.advance(1_000)
        world.beat("a")
        world.beat("b", owned={})
        world.told()
    world.commit(member_id="a", generation=world.member("a").current.epoch)
    assert told(world, before) == []


def test_leaving_member_raises_the_epoch_and_the_next_heartbeat_makes_the_target() -> None:
    world = two_members()
    since = len(world.journal)
    had = {name: list(numbers) for name, numbers in world.assigned("b").items()}
    world.quit("b")
    assert told(world, since) == [
        ("member_left", "member_left"),
        ("epoch_raised", "member_left"),
        ("state_changed", "member_left"),
    ]
    left = last(world, "member_left")
    assert (left.member_id, left.detail) == ("b", {"partitions": had})
    assert last(world, "state_changed").detail == {"from": "Stable", "to": "Assigning"}
    since = len(world.journal)
    world.beat("a")
    assert told(world, since) == [
        ("target_assigned", "epoch_raised"),
        ("member_reconciled", "new_target"),
        ("state_changed", "all_reconciled"),
    ]
    assert last(world, "target_assigned").detail["given"] == {"a": had}


def test_last_member_that_leaves_empties_the_group() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    world.quit("a")
    moved = last(world, "state_changed")
    assert (moved.cause, moved.detail) == ("nobody_left", {"from": "Stable", "to": "Empty"})


def test_silent_member_is_expelled_with_its_timeouts_and_what_it_had() -> None:
    world = two_members()
    world.advance(world.shard.config.consumer_session_timeout_ms - 1)
    world.beat("a")
    since = len(world.journal)
    world.advance(1)
    assert told(world, since)[:2] == [("member_expelled", "session_expired"), ("epoch_raised", "session_expired")]
    expelled = last(world, "member_expelled")
    assert expelled.member_id == "b"
    assert expelled.detail == {
        "partitions": {"foo": [2, 3]},
        "session_timeout_ms": world.shard.config.consumer_session_timeout_ms,
        "rebalance_timeout_ms": REBALANCE_MS,
    }


def test_member_that_does_not_give_partitions_up_in_time_is_expelled_for_it() -> None:
    """T223: only giving up has a deadline. Heartbeats go on meanwhile."""
    world = Consumers(foo=4)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.beat("a")
    revoking = last(world, "revocation_started").detail["partitions"]
    for _ in range(REBALANCE_MS // 10_000):
        for member_id in ("a", "b"):
            if member_id in world.consumers.members:
                world.beat(member_id)
        world.advance(10_001)
    expelled = last(world, "member_expelled")
    assert (expelled.member_id, expelled.cause) == ("a", "revocation_missed")
    assert expelled.detail["revoking"] == revoking
    assert (expelled.detail["waited_ms"], expelled.detail["rebalance_timeout_ms"]) == (REBALANCE_MS, REBALANCE_MS)
    assert last(world, "epoch_raised").cause == "revocation_missed"


def test_changed_subscription_raises_the_epoch_and_says_what_changed() -> None:
    world = two_members(foo=4, bar=2)
    world.beat("b", topics=("foo", "bar"))
    raised = last(world, "epoch_raised")
    assert (raised.cause, raised.member_id, raised.generation) == ("subscription_changed", "b", 4)
    assert raised.detail == {"added": ["bar"], "dropped": []}


def test_topic_that_grew_raises_the_epoch() -> None:
    world = two_members()
    world.topics.set("foo", 6)
    world.beat("a")
    raised = last(world, "epoch_raised")
    assert (raised.cause, raised.member_id) == ("topics_changed", "a")


def test_epoch_that_is_reached_in_the_same_request_is_seen_to_end() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    since = len(world.journal)
    world.topics.set("foo", 2)
    world.beat("a")
    assert told(world, since) == [
        ("epoch_raised", "topics_changed"),
        ("target_assigned", "epoch_raised"),
        ("member_reconciled", "new_target"),
        ("state_changed", "topics_changed"),
        ("state_changed", "all_reconciled"),
    ]


def test_expression_that_matches_raises_the_epoch_and_one_that_does_not_is_told_of_too() -> None:
    world = Consumers(foo=1)
    world.consume("a", regex="bar.*")
    world.advance(0)
    resolved = last(world, "regex_resolved")
    assert (resolved.cause, resolved.detail) == (
        "subscription_changed",
        {"regex": "bar.*", "matches": 0, "added": [], "dropped": []},
    )
    assert ("epoch_raised", "regex_resolved") not in told(world)
    world.topics.set("bar1", 2)
    world.advance(10_001)
    world.beat("a")
    world.advance(0)
    resolved = last(world, "regex_resolved")
    assert (resolved.cause, resolved.detail["added"], resolved.detail["matches"]) == ("topics_changed", ["bar1"], 1)
    assert last(world, "epoch_raised").cause == "regex_resolved"


def test_other_assignor_is_told_with_the_next_target() -> None:
    """A vote alone raises no epoch (spec 7.4 step 7): the next target is made by it."""
    world = two_members()
    assert last(world, "target_assigned").detail["assignor"] == "uniform"
    world.beat("a", assignor="range")
    world.beat("b", assignor="range")
    world.topics.set("foo", 5)
    world.beat("a")
    assert last(world, "target_assigned").detail["assignor"] == "range"


def test_static_member_that_returns_is_told_with_both_ids_and_without_an_epoch() -> None:
    """T225"""
    world = Consumers(foo=2)
    world.consume("a", "foo", instance="one")
    since = len(world.journal)
    world.quit("a", instance="one", for_good=False)
    world.consume("b", "foo", instance="one")
    assert told(world, since) == [
        ("static_left", "member_left"),
        ("state_changed", "member_left"),
        ("static_replaced", "static_member_returned"),
        ("member_reconciled", "new_target"),
        ("state_changed", "all_reconciled"),
    ]
    replaced = last(world, "static_replaced")
    assert (replaced.member_id, replaced.instance_id) == ("b", "one")
    assert replaced.detail == {"old_member_id": "a", "topics": ["foo"], "rebalance_timeout_ms": REBALANCE_MS}


def test_heartbeat_with_a_wrong_epoch_is_told_of_as_fenced_once_a_minute() -> None:
    world = two_members()
    assert world.beat("a", 99).error == errors.FENCED_MEMBER_EPOCH
    fenced = last(world, "member_fenced")
    assert (fenced.member_id, fenced.cause) == ("a", "wrong_epoch")
    assert fenced.detail == {"epoch": 99, "error": "FENCED_MEMBER_EPOCH"}
    before = len(world.journal)
    world.beat("a", 99)
    assert len(world.journal) == before
    world.advance(FENCED_AGAIN_MS // 2)
    world.beat("a")
    world.beat("b")
    world.advance(FENCED_AGAIN_MS // 2)
    world.beat("a", 99)
    assert told(world, before) == [("member_fenced", "wrong_epoch")]


def test_second_process_with_an_instance_id_is_told_of_as_fenced_and_only_so_many_of_them() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo", instance="one")
    before = len(world.journal)
    for number in range(3 * FENCED_KEPT):
        assert world.consume(f"other{number}", "foo", instance="one").error == errors.UNRELEASED_INSTANCE_ID
    assert told(world, before) == [("member_fenced", "instance_taken")] * FENCED_KEPT


def test_classic_group_that_becomes_a_consumer_group_says_so_and_back() -> None:
    """Spec 7.8."""
    world = Consumers(policy("bidirectional"), foo=2)
    (a,) = classic_group(world, {"foo": [0, 1]})
    since = len(world.journal)
    world.consume("new", "foo")
    assert told(world, since)[:3] == [
        ("group_upgraded", "migration"),
        ("member_joined", "new_member"),
        ("epoch_raised", "new_member"),
    ]
    upgraded = last(world, "group_upgraded")
    assert upgraded.detail == {"from": "Stable", "members": 1}
    assert last(world, "state_changed").detail["from"] == "Stable"
    since = len(world.journal)
    world.quit("new")
    assert a in world.group.members
    assert told(world, since)[:3] == [
        ("member_left", "member_left"),
        ("group_downgraded", "migration"),
        ("rebalance_started", "member_left"),
    ]


def test_group_in_the_place_of_an_empty_classic_one_is_an_upgrade_without_members() -> None:
    world = Consumers(policy("disabled"), foo=2)
    (a,) = classic_group(world, {"foo": [0, 1]})
    world.leave(a)
    world.consume("new", "foo")
    assert last(world, "group_upgraded").detail == {"from": "Empty", "members": 0}
    assert last(world, "state_changed").detail == {"from": "Empty", "to": "Stable"}


def test_deleted_group_is_removed() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.quit("a")
    world.delete()
    assert told(world)[-1] == ("group_removed", "deleted")


def test_unloaded_group_is_dead_here() -> None:
    world = two_members()
    world.apply(world.shard.on_unload(world.now_ms))
    moved = last(world, "state_changed")
    assert (moved.cause, moved.detail) == ("unloaded", {"from": "Stable", "to": "Dead"})


def test_records_that_are_lost_were_no_events() -> None:
    """T240: nothing runs ahead of its records, so nothing is told before they are durable."""
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.holding = True
    before = len(world.journal)
    world.joining("b", "foo")
    assert told(world, before) == []
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    assert told(world, before) == []


def test_loaded_group_tells_no_move_and_waits_anew_for_what_is_not_given_up() -> None:
    """T239: the time to give partitions up begins again, and so does the wait that is told."""
    world = Consumers(foo=4)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.beat("a")
    world.advance(5_000)
    before = len(world.journal)
    world = world.restart()
    assert told(world, before) == []
    world.advance(1_000)
    world.obey("a")
    assert last(world, "revocation_completed").detail["waited_ms"] == 1_000
    assert "state_changed" not in [kind for kind, _ in told(world, before)]


def test_topic_that_is_gone_is_named_by_its_id() -> None:
    world = two_members(foo=2, bar=2)
    world.beat("a", topics=("foo", "bar"))
    world.settle_down("a", "b")
    world.topics.delete("bar")
    world.beat("a")
    taken = last(world, "target_assigned").detail["taken"]["a"]  # type: ignore[index]
    ((name, numbers),) = [(name, numbers) for name, numbers in taken.items() if name != "foo"]
    assert (len(name), numbers) == (22, [0, 1])


def test_every_event_of_random_histories_is_json_of_the_closed_vocabulary() -> None:
    """And what the last of them say of states is what is so."""
    for seed in range(10):
        chance = random.Random(seed)
        chaos = ConsumerHistory()
        chaos.play([(chance.randrange(STEPS), chance.randrange(4), chance.randrange(60)) for _ in range(200)])
        states: dict[str, str] = {}
        for event in chaos.world.journal:
            shown = json.loads(json.dumps(event.to_json()))
            assert shown["kind"] in get_args(Kind)
            assert shown["cause"] in get_args(Cause)
            assert shown.get("waited_ms", 0) >= 0
            assert shown.get("took_ms", 0) >= 0
            if event.kind == "state_changed":
                assert shown["from"] == states.get(event.group_id, "Empty")
                states[event.group_id] = shown["to"]
            elif event.kind == "group_removed":
                del states[event.group_id]
        for group_id, group in chaos.world.shard.consumer_groups.items():
            assert states.get(group_id, "Empty") == group.state().value
