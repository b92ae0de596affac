"""Journal events to facts: who, why, who was waited for, what moved, how long without an owner (docs/explain.md)."""

from __future__ import annotations

from typing import Any

import pytest

from muster.core.journal import JournalEvent
from muster.explain.cause_words import PHRASES
from muster.explain.event import event_in, events_of
from muster.explain.explanation import explain
from muster.explain.facts import Rebalance
from muster.explain.fold import fold
from muster.explain.page import page
from tests.explain.stories import Story, one_member, two_members


def last(story: Story) -> Rebalance:
    return story.history.rebalances[-1]


def gaps(rebalance: Rebalance) -> dict[int, int]:
    """Partition of orders -> how long it had no owner."""
    return {gap.partition[1]: gap.length_ms for gap in rebalance.gaps}


def moves(rebalance: Rebalance) -> dict[int, tuple[str | None, str | None]]:
    assert rebalance.moves is not None
    return {
        move.partition[1]: (
            move.source.member_id if move.source is not None else None,
            move.target.member_id if move.target is not None else None,
        )
        for move in rebalance.moves
    }


def test_first_member_of_a_new_group_is_named_as_the_beginning() -> None:
    story = Story()
    story.created()
    story.joins("anna")
    story.after(3_000).stable({"anna": [0, 1]}, "initial_delay_over", sync_ms=20)
    (rebalance,) = story.history.rebalances
    assert (rebalance.why.cause, rebalance.from_empty, rebalance.generation) == ("first_member", True, 1)
    assert (rebalance.join_ms, rebalance.sync_ms, rebalance.took_ms) == (3_000, 20, 3_020)
    assert moves(rebalance) == {0: (None, "anna"), 1: (None, "anna")}
    assert gaps(rebalance) == {0: 3_020, 1: 3_020}


def test_eager_members_stand_still_from_their_rejoin_on() -> None:
    """They give everything up before they join again, and not before that."""
    story = one_member()
    story.after(60_000).joins("boris")
    story.after(2_500).rejoins("anna")
    story.stable({"anna": [0, 1], "boris": [2, 3]}, sync_ms=100)
    rebalance = last(story)
    assert (rebalance.why.cause, rebalance.join_ms, rebalance.sync_ms) == ("new_member", 2_500, 100)
    assert rebalance.slowest is not None
    assert (rebalance.slowest.who.member_id, rebalance.slowest.waited_ms) == ("anna", 2_500)
    assert moves(rebalance) == {2: ("anna", "boris"), 3: ("anna", "boris")}
    assert rebalance.stayed == [("orders", 0), ("orders", 1)]
    assert gaps(rebalance) == {0: 100, 1: 100, 2: 100, 3: 100}


def test_dead_member_left_its_partitions_when_it_was_last_heard_of() -> None:
    """The session timeout is how long the coordinator had heard nothing."""
    story = two_members(session_ms=10_000)
    story.dies("boris")
    story.after(1_000).rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]}, sync_ms=50)
    rebalance = last(story)
    assert rebalance.why.cause == "session_expired"
    assert rebalance.why.figures == {"session_timeout_ms": 10_000}
    assert gaps(rebalance) == {0: 50, 1: 50, 2: 11_050, 3: 11_050}


def test_member_that_left_gave_its_partitions_up_at_that_moment() -> None:
    story = two_members()
    story.leaves("boris", "the consumer is being closed")
    story.after(700).rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    rebalance = last(story)
    assert (rebalance.why.cause, rebalance.why.reason) == ("member_left", "the consumer is being closed")
    assert gaps(rebalance) == {0: 0, 1: 0, 2: 700, 3: 700}


def test_cooperative_members_keep_what_stays_and_the_second_round_hands_out_the_rest() -> None:
    """KIP-429: the first round takes away, the second gives."""
    story = one_member("cooperative-sticky")
    story.after(60_000).joins("boris")
    story.after(500).rejoins("anna")
    story.stable({"anna": [0, 1], "boris": []})
    first = last(story)
    story.after(40).asks("anna", "leader_rejoined", "need to revoke partitions and re-join")
    story.after(60).rejoins("boris")
    story.stable({"anna": [0, 1], "boris": [2, 3]})
    second = last(story)
    assert moves(first) == {2: ("anna", None), 3: ("anna", None)}
    assert gaps(first) == {}
    assert (second.why.cause, second.why.figures) == ("cooperative_round", {"partitions": 2})
    assert moves(second) == {2: ("anna", "boris"), 3: ("anna", "boris")}
    assert gaps(second) == {2: 100, 3: 100}


def test_topic_that_grew_is_seen_in_the_assignment_after() -> None:
    """The coordinator hears only that the leader joined again."""
    story = two_members()
    story.asks("anna")
    story.after(10).rejoins("boris")
    story.stable({"anna": [0, 1, 2], "boris": [3, 4, 5]})
    assert last(story).why.cause == "partitions_grew"
    assert last(story).why.figures == {"topics": {"orders": [4, 6]}}
    assert moves(last(story)) == {2: ("boris", "anna"), 4: (None, "boris"), 5: (None, "boris")}


def test_leader_that_asks_for_no_visible_reason_is_all_that_can_be_said() -> None:
    story = two_members()
    story.asks("anna")
    story.rejoins("boris")
    story.stable({"anna": [0, 1], "boris": [2, 3]})
    assert (last(story).why.cause, last(story).moves) == ("leader_rejoined", [])


def test_changed_subscription_is_told_by_topics() -> None:
    story = two_members()
    story.topics["boris"] = ["audit", "orders"]
    story.asks("boris", "metadata_changed")
    story.rejoins("anna")
    story.stable({"anna": [0, 1], "boris": [2, 3]})
    assert last(story).why.cause == "subscription_changed"
    assert last(story).why.figures == {"added": ["audit"], "dropped": []}


def test_other_assignor_is_told_by_name() -> None:
    story = two_members()
    story.protocol = "cooperative-sticky"
    story.asks("boris", "metadata_changed")
    story.rejoins("anna")
    story.stable({"anna": [0, 1], "boris": [2, 3]})
    assert last(story).why.cause == "new_assignor"
    assert last(story).why.figures == {"before": "range", "after": "cooperative-sticky"}


def test_process_that_comes_back_is_known_by_client_and_host() -> None:
    story = two_members()
    story.leaves("boris")
    story.rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    story.after(12_000).joins("boris.2")
    story.rejoins("anna")
    story.stable({"anna": [0, 1], "boris.2": [2, 3]})
    assert last(story).why.cause == "member_returned"
    assert last(story).why.figures == {"away_ms": 12_000, "went_because": "member_left"}
    (back,) = story.history.returns
    assert back.away_ms == 12_000


def test_member_that_comes_back_much_later_is_a_new_one() -> None:
    story = two_members()
    story.leaves("boris")
    story.rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    story.after(600_001).joins("boris.2")
    story.rejoins("anna")
    story.stable({"anna": [0, 1], "boris.2": [2, 3]})
    assert (last(story).why.cause, story.history.returns) == ("new_member", [])


def test_round_that_is_cut_short_belongs_to_the_rebalance() -> None:
    """Its cause is that of the first round, its phases those of the last; as the pipeline counts them."""
    story = two_members()
    began = story.at
    story.leaves("boris")
    story.after(100).rejoins("anna")
    story.generation_begins(["anna"])
    story.after(50).interrupted("new_member")
    story.joins("carla")
    story.after(30).rejoins("anna")
    story.stable({"anna": [0, 1], "carla": [2, 3]})
    rebalance = last(story)
    assert (rebalance.began_ms, rebalance.why.cause) == (began, "member_left")
    assert [each.cut_short_by for each in rebalance.rounds] == ["new_member", None]
    assert (rebalance.join_ms, rebalance.took_ms) == (30, 180)
    assert gaps(rebalance) == {0: 80, 1: 80, 2: 180, 3: 180}


def test_member_that_missed_the_rebalance_is_who_everybody_waited_for() -> None:
    story = two_members(rebalance_ms=60_000)
    story.joins("carla")
    story.after(200).rejoins("anna")
    story.after(59_800).expelled("boris", "rejoin_missed")
    story.stable({"anna": [0, 1], "carla": [2, 3]}, "join_timeout")
    rebalance = last(story)
    (missed,) = rebalance.never_came
    assert (missed.who.member_id, missed.rebalance_timeout_ms, rebalance.join_ms) == ("boris", 60_000, 60_000)
    assert gaps(rebalance) == {0: 59_800, 1: 59_800, 2: 0, 3: 0}


def test_static_member_that_restarts_makes_no_rebalance() -> None:
    """KIP-345. Its partitions are its own under the new id."""
    story = two_members()
    story.instances |= {"stella.1": "s", "stella.2": "s"}
    story.joins("stella.1")
    story.rejoins("anna", "boris")
    story.stable({"anna": [0], "boris": [1], "stella.1": [2, 3]})
    count = len(story.history.rebalances)
    story.after(9_000).tell(
        "static_replaced", "static_member_returned", "stella.2", old_member_id="stella.1", was_leader=False
    )
    assert len(story.history.rebalances) == count
    (quiet,) = story.history.quiet
    assert quiet.who is not None
    assert (quiet.kind, quiet.who.instance_id, quiet.at_ms) == ("static_restart", "s", story.at)
    story.after(1_000).leaves("anna")
    story.rejoins("boris", "stella.2")
    story.stable({"boris": [0, 1], "stella.2": [2, 3]})
    assert moves(last(story)) == {0: ("anna", "boris")}


def test_static_member_whose_return_shakes_the_group_is_not_called_quiet() -> None:
    story = two_members()
    story.instances |= {"stella.1": "s", "stella.2": "s"}
    story.tell("static_replaced", "static_member_returned", "stella.2", old_member_id="stella.1", was_leader=False)
    story.begin("static_member_returned", "stella.2")
    story.rejoins("anna", "boris")
    story.stable({"anna": [0], "boris": [1], "stella.2": [2, 3]})
    assert story.history.quiet == []
    assert last(story).why.cause == "static_member_returned"


def test_group_that_everybody_left_says_for_how_long_it_was_empty() -> None:
    story = one_member()
    story.after(5_000).leaves("anna")
    story.empty()
    assert (last(story).result, last(story).gaps) == ("empty", [])
    story.after(3_600_000).joins("boris")
    story.after(3_000).stable({"boris": [0, 1, 2, 3]}, "initial_delay_over")
    rebalance = last(story)
    assert (rebalance.why.cause, rebalance.empty_ms) == ("first_member", 3_600_000)
    assert gaps(rebalance) == {0: 3_000, 1: 3_000, 2: 3_000, 3: 3_000}


def test_rebalance_without_an_end_is_lost_when_the_next_one_starts() -> None:
    """A server that was killed told no end."""
    story = two_members()
    story.leaves("boris")
    story.after(9_000).asks("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    assert [each.result for each in story.history.rebalances] == ["stable", "stable", "lost", "stable"]


def test_rebalance_that_goes_on_is_told_as_such() -> None:
    story = two_members()
    story.leaves("boris")
    assert (last(story).result, last(story).ended_ms, last(story).why.cause) == ("running", None, "member_left")
    assert set(story.history.unowned_since) == {("orders", 2), ("orders", 3)}


def test_journal_that_begins_in_the_middle_leaves_open_what_it_does_not_tell() -> None:
    """Retention takes the oldest events; the end of a rebalance still says when and by what it began."""
    story = two_members()
    story.leaves("boris")
    story.after(400).rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    (rebalance,) = fold(story.events[-2:], "g").rebalances
    assert (rebalance.why.cause, rebalance.why.who, rebalance.join_ms) == ("member_left", None, 400)
    assert (rebalance.moves, rebalance.generation) == (None, 3)


def test_assignment_of_another_protocol_type_leaves_the_moves_open() -> None:
    story = one_member()
    story.asks("anna")
    story.generation_begins(["anna"])
    story.tell("rebalance_ended", "assignment_stored", result="stable", assignments={"anna": "AAA="}, members=1)
    assert last(story).moves is None


def test_events_of_other_groups_and_unknown_kinds_are_passed_over() -> None:
    story = two_members()
    before = story.history.rebalances
    story.tell("comet_passed", "chance", "anna")
    other = event_in(b'{"kind":"rebalance_started","at_ms":1,"group":"other","generation":1,"cause":"new_member"}')
    assert other is not None
    story.events.append(other)
    assert story.history.rebalances == before


def test_somebody_without_the_right_is_told_of_and_changes_nothing() -> None:
    story = two_members()
    before = (story.history.generation, len(story.history.rebalances))
    generation, story.generation = story.generation, -1
    story.tell("denied", "not_authorized", principal="User:eve", operation="READ", api="JoinGroup")
    story.generation = generation
    history = story.history
    assert (history.generation, len(history.rebalances)) == before
    assert [(each.kind, each.principal, each.api) for each in history.quiet] == [("denied", "User:eve", "JoinGroup")]


def test_records_that_are_no_events_are_none() -> None:
    for value in (None, b"", b"[]", b'{"kind":"x"}', b'{"kind":1,"at_ms":1,"group":"g"}', b"\xff"):
        assert event_in(value) is None


@pytest.mark.parametrize(
    "detail",
    [
        {"settings": 5},
        {"settings": [5, {"members": 5}]},
        {"settings": [{"members": [5, ["anna"], None], "topics": 5, "protocols": {"range": 1}}]},
        {"settings": [{"session_timeout_ms": "long", "rebalance_timeout_ms": None}]},
    ],
)
def test_settings_of_another_form_count_as_not_said(detail: dict[str, Any]) -> None:
    """Anybody who may write to the journal can make such an event."""
    story = one_member()
    story.after(1_000).tell("join_completed", "all_joined", **detail)
    assert all(not each.members for each in last(story).asked)


@pytest.mark.parametrize("cause", sorted(PHRASES))
def test_a_cause_without_its_figures_is_told_all_the_same(cause: str) -> None:
    story = one_member()
    for kind in ("rebalance_started", "epoch_raised"):
        story.after(60_000).tell(kind, cause, "anna", added=5, dropped=[7], regex=["x"])
    story.stable({"anna": [0, 1]})
    assert page(explain(story.history))


def test_events_straight_from_the_core_are_read_alike() -> None:
    heard = JournalEvent("member_left", 5, "g", 2, "member_left", "m", None, "c", "/h", "bye")
    (event,) = events_of([heard])
    assert (event.kind, event.member, event.client, event.host, event.reason) == ("member_left", "m", "c", "/h", "bye")


def test_handed_out_id_that_nobody_used_is_who_was_waited_for() -> None:
    """T041: a pending id counts as somebody on the way."""
    story = two_members()
    story.leaves("boris")
    story.rejoins("anna")
    story.after(10_000).tell("pending_id_dropped", "pending_id_expired", "ghost")
    story.stable({"anna": [0, 1, 2, 3]})
    assert [who.member_id for who in last(story).ids_never_used] == ["ghost"]
