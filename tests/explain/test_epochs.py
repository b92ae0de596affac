"""Consumer groups (KIP-848): what the coordinator decided is explained as what it was, with figures, causes and advice.

Events come from the core itself, moved by hand: every duration is one that the test made.
"""

from __future__ import annotations

import json

from muster.core.config import GroupConfig
from muster.explain.event import event_of, events_of
from muster.explain.explanation import Explanation, explain
from muster.explain.facts import Rebalance
from muster.explain.fold import fold
from muster.explain.machine import to_json
from muster.explain.sentences import tell_quiet, tell_rebalance
from tests.core.consumer.consumer_world import REBALANCE_MS, Consumers
from tests.core.consumer.test_consumer_migration import classic_group, policy

SESSION_MS = GroupConfig().consumer_session_timeout_ms


def explained(world: Consumers) -> Explanation:
    return explain(fold(events_of(world.journal), "g"))


def told(world: Consumers, number: int = -1) -> dict[str, str]:
    explanation = explained(world)
    return dict(tell_rebalance(explanation.shown[number], explanation.names, explanation.history.last_ms).lines)


def causes(world: Consumers) -> list[str]:
    return [each.why.cause for each in explained(world).shown]


def moves(rebalance: Rebalance) -> dict[int, tuple[str | None, str | None]]:
    return {
        move.partition[1]: (
            None if move.source is None else move.source.member_id,
            None if move.target is None else move.target.member_id,
        )
        for move in rebalance.moves or ()
    }


def said(world: Consumers, rule: str) -> str:
    (found,) = (each for each in explained(world).advice if each.rule == rule)
    return f"{found.what} {found.evidence}"


def two_members() -> Consumers:
    world = Consumers(foo=4)
    world.consume("a", "foo")
    world.advance(1_000)
    world.consume("b", "foo")
    world.settle_down("a", "b")
    return world


def test_first_member_and_the_second_that_waits_for_it() -> None:
    world = Consumers(foo=4)
    world.consume("a", "foo")
    world.advance(5_000)
    world.consume("b", "foo")
    world.advance(3_000)
    world.beat("a")
    world.advance(2_000)
    world.obey("a")
    world.advance(1_000)
    world.beat("b")
    explanation = explained(world)
    first, second = explanation.shown
    assert causes(world) == ["first_member", "new_member"]
    assert (first.generation, second.generation, second.result) == (2, 3, "stable")
    assert (first.took_ms, second.took_ms) == (0, 6_000)
    assert moves(first) == dict.fromkeys(range(4), (None, "a"))
    assert moves(second) == {2: ("a", "b"), 3: ("a", "b")}
    assert [partition for _, partition in second.stayed] == [0, 1]
    assert {gap.partition[1]: gap.length_ms for gap in second.gaps} == {2: 1_000, 3: 1_000}
    lines = told(world)
    assert lines["waited"] == (
        "client [..a] took 2 s to give up foo 2, 3. The last to have its target was client [..b], after 6 s."
    )
    assert lines["moved"] == "foo 2, 3 from client [..a] to client [..b]. 2 partitions stayed."
    assert lines["result"] == "2 members under uniform."
    assert tell_rebalance(second, explanation.names).title.startswith("Epoch 3: began ")


def test_member_that_holds_the_group_back_is_named_with_its_deadline() -> None:
    world = Consumers(foo=4)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.beat("a")
    began_ms = world.now_ms
    world.advance(10_001)
    world.topics.set("bar", 1)
    world.beat("b", topics=("foo", "bar"))  # something is told at this time
    explanation = explained(world)
    running = explanation.shown[-1]
    assert (running.result, [each.began_ms for each in running.pending]) == ("running", [began_ms])
    assert running.pending[0].rebalance_timeout_ms == REBALANCE_MS
    waited = told(world)["waited"]
    assert "client [..a] on 127.0.0.1 has not given up foo 2, 3, for 10 s so far, since " in waited
    assert "when its rebalance timeout of 1 min is over" in waited
    assert told(world)["result"] == "It is not over yet."
    shown = json.loads(json.dumps(to_json(explanation)))
    assert (shown["type"], shown["rebalances"][-1]["type"]) == ("consumer", "consumer")
    assert shown["rebalances"][-1]["revocations"][0]["ended_ms"] is None


def test_member_that_does_not_give_up_in_time_is_the_cause_of_the_next_epoch_and_gets_advice() -> None:
    world = Consumers(foo=4)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.beat("a")
    for _ in range(6):
        for member_id in ("a", "b"):
            world.beat(member_id)
        world.advance(10_001)
    world.beat("b")
    explanation = explained(world)
    last = explanation.shown[-1]
    assert [each.cause for each in last.rounds] == ["new_member", "revocation_missed"]
    assert last.revocations[0].is_missed
    assert "The others waited 1 min for client" in told(world)["waited"]
    assert "did not give up foo 2, 3 within its rebalance timeout and was expelled" in told(world)["waited"]
    assert "kept others waiting once, for up to 1 min and was expelled for it once" in said(world, "give_up_sooner")
    assert moves(last) == dict.fromkeys(range(4), ("a", "b"))


def test_goodbye_and_death() -> None:
    world = two_members()
    world.quit("b")
    world.beat("a")
    assert causes(world)[-1] == "member_left"
    assert told(world)["moved"] == "foo 2, 3 from client [..b] to client [..a]. 2 partitions stayed."
    world = two_members()
    world.advance(SESSION_MS - 1_000)
    world.beat("a")
    world.advance(1_500)
    world.beat("a")
    last = explained(world).shown[-1]
    assert last.why.cause == "session_expired"
    assert "sent no heartbeat for 45 s, its session timeout: it was killed, hung or cut off." in told(world)["why"]
    assert {gap.length_ms for gap in last.gaps} == {SESSION_MS + 500}


def test_dead_member_of_a_consumer_group_speaks_for_the_setting_of_the_group() -> None:
    world = two_members()
    world.advance(SESSION_MS - 1_000)
    world.beat("a")
    world.advance(1_500)
    world.beat("a")
    assert "lower group.consumer.session.timeout.ms (and group.consumer.heartbeat.interval.ms" in said(
        world, "shorter_session"
    )


def test_flapping_member_is_named() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    for number in range(3):
        world.consume(f"b{number}", "foo", instance="boris")
        world.settle_down("a", f"b{number}")
        world.advance(1_000)
        world.quit(f"b{number}", instance="boris")
        world.settle_down("a")
    assert causes(world)[-2:] == ["member_returned", "member_left"]
    assert "boris went 3 times in 2 s" in said(world, "flapping_members")


def test_topic_that_grew_one_that_came_and_a_subscription_that_changed() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo", "bar")
    world.topics.set("foo", 3)
    world.beat("a")
    assert told(world)["why"] == "Topic foo grew from 2 to 3 partitions; client on 127.0.0.1 noticed."
    world.topics.set("bar", 1)
    world.beat("a")
    assert (causes(world)[-1], told(world)["why"]) == ("topics_changed", "Topic bar came; client on 127.0.0.1 noticed.")
    world.beat("a", topics=("foo",))
    assert told(world)["why"] == "client on 127.0.0.1 changed its subscription: it no longer reads bar."
    world.obey("a")
    assert [each.result for each in explained(world).shown] == ["stable"] * 4


def test_expression_that_matches_nothing_is_told_and_gets_advice_until_it_matches() -> None:
    world = Consumers(foo=1)
    world.consume("a", regex="bar.*")
    world.advance(0)
    explanation = explained(world)
    quiet = [tell_quiet(each, explanation.names) for each in explanation.quiet]
    assert quiet == ["The expression bar.* matches no topic: whoever subscribes by it gets nothing."]
    assert "bar.* matches no topic." in said(world, "empty_expression")
    world.topics.set("bar1", 2)
    world.advance(10_001)
    world.beat("a")
    world.advance(0)
    world.beat("a")
    assert causes(world)[-1] == "regex_resolved"
    assert told(world)["why"] == "The expression bar.* matches other topics now: topic bar1 came."
    assert "empty_expression" not in [each.rule for each in explained(world).advice]


def test_other_assignor_is_said_with_the_result() -> None:
    world = two_members()
    world.beat("a", assignor="range")
    world.beat("b", assignor="range")
    world.topics.set("foo", 5)
    world.settle_down("a", "b")
    assert told(world)["result"] == "2 members under range, uniform before."


def test_static_member_that_returns_makes_no_rebalance() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo", instance="one")
    world.quit("a", instance="one", for_good=False)
    world.consume("b", "foo", instance="one")
    explanation = explained(world)
    assert causes(world) == ["first_member"]
    assert [each.kind for each in explanation.quiet] == ["static_left", "static_restart"]
    assert [who.member_id for who in explanation.history.members] == ["b"]
    world.quit("b", instance="one")
    assert moves(explained(world).shown[0]) == {0: (None, "a"), 1: (None, "a")}


def test_instance_id_that_two_processes_use_gets_advice() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo", instance="one")
    world.consume("other", "foo", instance="one")
    assert "came from a process whose instance id another one has" in said(world, "instance_id_used_twice")
    explanation = explained(world)
    assert "was fenced: another process is the static member" in tell_quiet(explanation.quiet[-1], explanation.names)


def test_group_that_changes_over_and_back_is_one_story() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    (a,) = classic_group(world, {"foo": [0, 1]})
    world.consume("new", "foo")
    explanation = explained(world)
    assert [each.kind for each in explanation.quiet] == ["upgraded"]
    assert [each.is_consumer for each in explanation.shown] == [False, True]
    assert explanation.shown[-1].why.cause == "new_member"
    world.quit("new")
    explanation = explained(world)
    assert [each.kind for each in explanation.quiet] == ["upgraded", "downgraded"]
    assert (explanation.history.is_consumer, explanation.shown[-1].result) == (False, "running")
    assert [who.member_id for who in explanation.history.members] == [a]


def test_several_epochs_on_the_way_are_one_rebalance() -> None:
    world = Consumers(foo=4)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.consume("c", "foo")
    world.settle_down("a", "b", "c")
    assert causes(world) == ["first_member", "new_member"]
    assert "The epoch was raised 1 more time on the way (a member joined)." in told(world)["waited"]


def test_journal_that_begins_in_the_middle_is_told_as_far_as_it_goes() -> None:
    world = Consumers(foo=4)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.beat("a")
    since = len(world.journal) - 1
    world.advance(2_000)
    world.settle_down("a", "b")
    (only,) = explain(fold(events_of(world.journal[since:]), "g")).shown
    assert (only.why.cause, only.result) == ("unknown", "stable")
    assert moves(only) == {2: ("a", "b"), 3: ("a", "b")}


def test_events_of_unexpected_shape_break_nothing() -> None:
    kinds = ("epoch_raised", "target_assigned", "revocation_started", "revocation_completed", "partitions_awaited")
    others = ("member_reconciled", "member_fenced", "regex_resolved", "group_upgraded", "group_downgraded")
    odd = [
        event_of(
            {"kind": kind, "at_ms": 1, "group": "g", "given": 5, "taken": [], "partitions": {"t": "x", "u": ["y"]}}
        )
        for kind in (*kinds, *others)
    ]
    explanation = explain(fold([each for each in odd if each is not None], "g"))
    for each in explanation.shown:
        tell_rebalance(each, explanation.names)
    for quiet in explanation.quiet:
        tell_quiet(quiet, explanation.names)
