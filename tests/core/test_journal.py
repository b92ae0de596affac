"""The journal explains every rebalance by itself: when, who, why, who was waited for, what changed (design 5)."""

from __future__ import annotations

import json
from typing import get_args

from muster.core.journal import Cause, JournalEvent, Kind
from muster.wire import errors
from muster.wire.consumer_protocol import Subscription, encode_subscription
from tests.core.history import History
from tests.core.test_classic_properties import random_steps
from tests.core.world import REBALANCE_MS, SESSION_MS, START_MS, World, numbered


def last(world: World, kind: str) -> JournalEvent:
    return next(event for event in reversed(world.journal) if event.kind == kind)


def test_first_rebalance_of_a_group_is_told_from_start_to_end() -> None:
    """Every step of it, in order."""
    world = World()
    world.completing(None)
    member_id = next(iter(world.group.members))
    world.advance(250)
    world.sync(member_id, 1, {member_id: b"\x01\x02"})
    assert [(event.kind, event.cause) for event in world.journal] == [
        ("group_created", "new_member"),
        ("member_joined", "new_member"),
        ("rebalance_started", "first_member"),
        ("state_changed", "first_member"),
        ("state_changed", "initial_delay_over"),
        ("leader_elected", "first_leader"),
        ("join_completed", "initial_delay_over"),
        ("state_changed", "assignment_stored"),
        ("rebalance_ended", "assignment_stored"),
    ]
    assert last(world, "rebalance_ended").to_json() == {
        "kind": "rebalance_ended",
        "at_ms": START_MS + 3_250,
        "group": "g",
        "generation": 1,
        "cause": "assignment_stored",
        "leader": member_id,
        "protocol": "range",
        "members": 1,
        "started_ms": START_MS,
        "started_by": "first_member",
        "join_phase_ms": 3_000,
        "dropped": [],
        "waited_for": member_id,
        "waited_ms": 0,
        "result": "stable",
        "sync_phase_ms": 250,
        "assignments": {member_id: "AQI="},
    }


def test_who_was_waited_for_and_who_was_dropped() -> None:
    """The last to join and how long it took since the start; who did not come at all."""
    world = World()
    a, b, c = world.stable(*numbered(3), rebalance=8_000)
    world.join(a, reason="rebalance please", rebalance=8_000)
    started = last(world, "rebalance_started")
    assert (started.member_id, started.cause, started.reason) == (a, "leader_rejoined", "rebalance please")
    assert (started.client_id, started.client_host) == ("client", "/127.0.0.1")
    world.advance(2_000)
    world.join(b, rebalance=8_000)
    world.advance(6_000)
    completed = last(world, "join_completed").detail
    assert (completed["waited_for"], completed["waited_ms"], completed["join_phase_ms"]) == (b, 2_000, 8_000)
    assert completed["dropped"] == [c]
    expelled = last(world, "member_expelled")
    assert (expelled.member_id, expelled.cause, expelled.generation) == (c, "rejoin_missed", 1)


def test_rebalance_that_is_cut_short_says_by_what() -> None:
    world = World()
    world.completing(None)
    world.advance(100)
    world.join()
    ended = last(world, "rebalance_ended")
    assert (ended.cause, ended.detail["result"], ended.detail["sync_phase_ms"]) == ("new_member", "interrupted", 100)
    assert "assignments" not in ended.detail
    assert last(world, "rebalance_started").at_ms == world.now_ms


def test_rebalance_that_ends_with_nobody_says_so() -> None:
    world = World()
    (a,) = world.stable(None)
    world.leave(a)
    left, ended = last(world, "member_left"), last(world, "rebalance_ended")
    assert (left.member_id, left.reason, left.cause) == (a, "bye", "member_left")
    assert (ended.cause, ended.detail["result"], ended.generation) == ("nobody_left", "empty", 2)


def test_expired_session_names_the_member() -> None:
    world = World()
    a, b = world.stable(None, "two")
    world.advance(SESSION_MS - 1)
    world.heartbeat(a, 1)
    world.advance(1)
    expelled = last(world, "member_expelled")
    assert (expelled.member_id, expelled.instance_id, expelled.cause) == (b, "two", "session_expired")
    assert last(world, "rebalance_started").cause == "session_expired"


def test_static_replacement_names_both_ids() -> None:
    world = World()
    a, _ = world.stable("one", "two")
    new_id = world.join(instance="one").reply.member_id
    replaced = last(world, "static_replaced")
    assert (replaced.member_id, replaced.instance_id) == (new_id, "one")
    assert replaced.detail == {"old_member_id": a, "was_leader": True}


def test_new_leader_is_an_event_with_its_cause() -> None:
    world = World()
    a, b = world.stable(None, None)
    world.leave(a)
    world.join(b)
    elected = last(world, "leader_elected")
    assert (elected.member_id, elected.cause, elected.detail) == (b, "leader_gone", {"previous": a})


def test_absent_static_leader_is_named_as_the_cause() -> None:
    world = World()
    a, b = world.stable("one", "two", rebalance=5_000)
    world.join(b, protocols=(("range", b"x"),), rebalance=5_000)
    world.advance(5_000)
    elected = last(world, "leader_elected")
    assert (elected.member_id, elected.cause, elected.detail) == (b, "leader_absent", {"previous": a})


def test_handed_out_ids_and_their_end_are_events() -> None:
    world = World()
    pending = world.join(known=True, client="app").reply.member_id
    given = last(world, "member_id_given")
    assert (given.member_id, given.client_id) == (pending, "app")
    world.advance(SESSION_MS)
    dropped = last(world, "pending_id_dropped")
    assert (dropped.member_id, dropped.cause, dropped.client_id) == (pending, "pending_id_expired", "app")


def test_lost_assignment_starts_a_rebalance_with_that_cause() -> None:
    world = World()
    (a,) = world.completing(None)
    world.hold()
    world.sync(a, 1, {})
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    assert last(world, "rebalance_started").cause == "append_failed"


def test_heartbeats_commits_and_reads_are_not_events() -> None:
    world = World()
    (a,) = world.stable(None)
    before = len(world.journal)
    world.heartbeat(a, 1)
    world.commit(member_id=a, generation=1)
    world.fetch()
    world.describe()
    world.list_groups()
    assert len(world.journal) == before


def test_every_event_of_random_histories_is_json_of_the_closed_vocabulary() -> None:
    """And rebalances begin and end in turn, with durations that are not negative."""
    for seed in range(20):
        history = History()
        history.play(random_steps(seed, 300))
        running: set[str] = set()
        for event in history.world.journal:
            shown = json.loads(json.dumps(event.to_json()))
            assert shown["kind"] in get_args(Kind)
            assert shown["cause"] in get_args(Cause)
            if event.kind == "rebalance_started":
                assert event.group_id not in running
                running.add(event.group_id)
            elif event.kind == "rebalance_ended":
                running.remove(event.group_id)
                assert shown["join_phase_ms"] >= 0
                assert shown.get("sync_phase_ms", 0) >= 0
            elif event.kind == "group_removed":
                running.discard(event.group_id)


def test_new_generation_tells_once_what_its_members_ask_for() -> None:
    """Sessions, timeouts, assignors and topics, so that `muster groups explain` can say what to change."""
    orders, both = (encode_subscription(Subscription(topics)) for topics in (["orders"], ["orders", "audit"]))
    world = World()
    a = world.join(protocols=(("range", orders),))
    b = world.join(protocols=(("range", orders),))
    c = world.join(protocols=(("sticky", both), ("range", both)), session=20_000)
    world.advance(9_000)
    settings = last(world, "join_completed").detail["settings"]
    shared = {"session_timeout_ms": SESSION_MS, "rebalance_timeout_ms": REBALANCE_MS, "protocols": ["range"]}
    other = {"session_timeout_ms": 20_000, "rebalance_timeout_ms": REBALANCE_MS, "protocols": ["sticky", "range"]}
    assert settings == [
        shared | {"topics": ["orders"], "members": [a.reply.member_id, b.reply.member_id]},
        other | {"topics": ["audit", "orders"], "members": [c.reply.member_id]},
    ]


def test_expelled_member_is_told_of_with_the_timeouts_it_asked_for() -> None:
    world = World()
    world.stable(None)
    world.advance(SESSION_MS)
    expelled = last(world, "member_expelled").detail
    assert expelled == {"session_timeout_ms": SESSION_MS, "rebalance_timeout_ms": REBALANCE_MS}
