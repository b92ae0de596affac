"""Facts as sentences: what a person reads, word for word."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from muster.core.journal import Cause
from muster.explain.cause_words import PHRASES, phrase
from muster.explain.explanation import explain
from muster.explain.facts import Who
from muster.explain.machine import to_json
from muster.explain.names import Names
from muster.explain.page import page
from muster.explain.sentences import tell_quiet, tell_rebalance, tell_summary
from muster.explain.words import duration, moment, partitions, plural, said
from tests.explain.stories import Story, one_member, two_members


def lines(story: Story, generation: int) -> dict[str, str]:
    history = story.history
    (rebalance,) = (each for each in history.rebalances if each.generation == generation)
    return dict(tell_rebalance(rebalance, Names(history)).lines)


def test_join_is_told_with_who_was_waited_for_and_what_moved() -> None:
    story = one_member()
    story.after(60_000).joins("boris")
    story.after(2_500).rejoins("anna")
    story.stable({"anna": [0, 1], "boris": [2, 3]}, sync_ms=100)
    assert lines(story, 2) == {
        "why": "boris on 10.0.0.1 joined.",
        "waited": "All had joined after 2.5 s. The last to join was anna, after 2.5 s. The leader, anna, took 100 ms to assign.",
        "moved": "orders 2, 3 from anna to boris. 2 partitions stayed.",
        "no owner": "orders 0-3 for 100 ms.",
        "result": "2 members under range.",
    }


def test_death_is_told_with_the_silence_before_it() -> None:
    story = two_members()
    story.dies("boris")
    story.after(1_000).rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    told = lines(story, 3)
    assert told["why"] == (
        "boris on 10.0.0.1 sent no heartbeat for 10 s, its session timeout: it was killed, hung or cut off."
    )
    assert told["no owner"] == "orders 2, 3 for 11 s."


def test_stalled_member_is_told_as_the_one_that_all_waited_for() -> None:
    story = two_members(rebalance_ms=60_000)
    story.joins("carla")
    story.after(200).rejoins("anna")
    story.after(59_800).expelled("boris", "rejoin_missed")
    story.stable({"anna": [0, 1], "carla": [2, 3]}, "join_timeout")
    assert lines(story, 3)["waited"].startswith(
        "Everybody waited 1 min for boris on 10.0.0.1: it did not join again within the rebalance timeout and was dropped."
        " The last to join was anna, after 200 ms."
    )


def test_restart_within_the_old_session_is_told_with_the_dead_one_that_all_waited_for() -> None:
    """The new process joins at once; nobody tells the coordinator that the old one is dead, so everybody waits for its session."""
    story = two_members()
    story.after(60_000).joins("boris.2")
    story.after(200).rejoins("anna")
    story.after(6_800).expelled("boris", "session_expired")
    story.stable({"anna": [0, 1], "boris.2": [2, 3]})
    told = lines(story, 3)
    assert told["why"] == (
        "boris [..oris.2] on 10.0.0.1 was restarted and joined 7 s before the session of its old self ended."
    )
    assert told["waited"].startswith(
        "Everybody waited 7 s for boris [..boris] on 10.0.0.1 to join again or to be gone. The last to join was anna, after 200 ms."
    )
    assert story.history.rebalances[-1].why.figures == {"away_ms": -7_000, "went_because": "session_expired"}
    summary = dict(tell_summary("g", story.explanation.summary, Names(story.history), inferred=False).lines)
    assert summary["most by"].startswith("boris on 10.0.0.1 caused 2 of 3 rebalances")
    assert summary["most by"].endswith("kept the others waiting for 7 s")


def test_another_member_of_the_same_name_that_was_there_before_is_no_restart() -> None:
    story = two_members()
    story.after(60_000).joins("boris.2")
    story.rejoins("anna", "boris")
    story.stable({"anna": [0], "boris": [1], "boris.2": [2, 3]})
    story.after(60_000).dies("boris")
    story.rejoins("anna", "boris.2")
    story.stable({"anna": [0, 1], "boris.2": [2, 3]})
    assert story.history.returns == []


def test_reason_of_the_client_is_quoted_and_made_harmless() -> None:
    story = two_members()
    story.leaves("boris", "closing\x1b[31m down.")
    story.empty()
    assert lines(story, 3)["why"] == r'boris on 10.0.0.1 left; the client says "closing\x1b[31m down".'


def test_empty_group_and_a_growing_topic_are_told() -> None:
    story = two_members()
    story.asks("anna")
    story.rejoins("boris")
    story.stable({"anna": [0, 1, 2], "boris": [3, 4, 5]})
    assert lines(story, 3)["why"] == "Topic orders grew from 4 to 6 partitions; anna on 10.0.0.1 noticed."
    story.after(1_000).leaves("anna")
    story.empty()
    assert lines(story, 4)["result"] == "Nobody was left: the group is empty."


def test_summary_says_how_often_why_and_who() -> None:
    story = two_members()
    story.dies("boris")
    story.after(1_000).rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    text = [f"{line.label} {line.text}".strip() for line in page(story.explanation)]
    assert text[0].startswith(
        "Group g: 3 rebalances between 2023-11-14 22:13:20 and 2023-11-14 22:15:21 UTC (2 min 1 s)"
    )
    assert "causes first member of an empty group (1), a member joined (1), a session expired (1)" in text
    assert "no owner 11 s in all, 11 s at most (orders 2); over all partitions 22 s" in text
    assert "most by boris on 10.0.0.1 caused 2 of 3 rebalances, 11 s without an owner" in text
    assert "now Stable, generation 3: anna" in text


def test_period_in_which_nothing_happened_is_said_to_be_one() -> None:
    """It has a beginning and no end: the last event was before it."""
    story = two_members()
    since_ms = story.at + 5_000
    explanation = explain(story.history, since_ms=since_ms)
    telling = tell_summary("g", explanation.summary, Names(story.history), inferred=False)
    assert telling.title == f"Group g: no rebalance since {moment(since_ms)[:-4]} UTC"
    assert to_json(explanation)["summary"]["to_ms"] is None


def test_quiet_events_stand_between_the_rebalances_in_the_order_of_time() -> None:
    story = two_members()
    story.instances["stella"] = "s1"
    story.tell("static_replaced", "static_member_returned", "stella", old_member_id="stella.0")
    story.after(5_000).leaves("boris")
    story.rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    text = [line.text for line in page(story.explanation)]
    restart = next(index for index, line in enumerate(text) if "no rebalance" in line)
    assert text[restart].startswith("Static member s1 (client stella on 10.0.0.1) restarted and kept its partitions")
    assert any(line.startswith("Generation 2") for line in text[:restart])
    assert any(line.startswith("Generation 3") for line in text[restart:])


def test_members_that_share_a_client_id_are_told_apart() -> None:
    story = Story()
    story.created()
    story.clients = {"worker-aaaaaa": "worker", "worker-bbbbbb": "worker", "worker-cccccc": "worker"}
    story.hosts = {"worker-cccccc": "/10.0.0.2"}
    story.joins("worker-aaaaaa")
    story.comes("worker-bbbbbb")
    story.comes("worker-cccccc")
    story.stable({"worker-aaaaaa": [0], "worker-bbbbbb": [1], "worker-cccccc": [2]}, "initial_delay_over")
    names = Names(story.history)
    told = [names.full(who) for who in story.history.members]
    assert told == ["worker on 10.0.0.1 [..aaaaaa]", "worker on 10.0.0.1 [..bbbbbb]", "worker on 10.0.0.2"]


def test_json_has_the_same_facts() -> None:
    story = two_members()
    story.dies("boris")
    story.after(1_000).rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    told = json.loads(json.dumps(to_json(story.explanation)))
    rebalance = told["rebalances"][-1]
    assert (rebalance["cause"], rebalance["by"]["client"], rebalance["join_ms"]) == ("session_expired", "boris", 1_000)
    assert rebalance["figures"] == {"session_timeout_ms": 10_000}
    assert rebalance["moved"][0] == {"topic": "orders", "partition": 2, "from": "boris", "to": "anna"}
    assert {gap["partition"]: gap["ms"] for gap in rebalance["unowned"]} == {0: 0, 1: 0, 2: 11_000, 3: 11_000}
    assert (told["summary"]["unowned_ms"], told["summary"]["by_cause"]["session_expired"]) == (11_000, 1)


STARTS_A_REBALANCE = (
    "new_member", "leader_rejoined", "metadata_changed", "static_member_returned", "member_left", "pending_id_left",
    "session_expired", "sync_missed", "group_too_large", "append_failed", "forced",
)  # fmt: skip


@pytest.mark.parametrize("cause", STARTS_A_REBALANCE)
def test_every_cause_of_the_journal_has_words(cause: str) -> None:
    assert cause in get_args(Cause)
    assert cause in PHRASES


def test_cause_of_a_newer_server_is_said_as_it_is_written() -> None:
    story = one_member()
    story.begin("solar_flare", "anna")
    story.stable({"anna": [0, 1, 2, 3]})
    assert phrase("solar_flare") == "solar flare"
    assert lines(story, 2)["why"] == "Solar flare (anna on 10.0.0.1)."


def test_durations_amounts_and_partitions_are_short() -> None:
    lengths = (0, 999, 1_000, 1_500, 61_000, 3_600_000, 90_000_000)
    assert [duration(each) for each in lengths] == ["0 ms", "999 ms", "1 s", "1.5 s", "1 min 1 s", "1 h", "1 d 1 h"]
    assert partitions([("b", 1), ("a", 3), ("a", 1), ("a", 2), ("a", 7), ("a", 8)]) == "a 1-3, 7, 8; b 1"
    assert (plural(1, "member"), plural(2_000, "member")) == ("1 member", "2,000 members")
    assert said(" bye. ") == '"bye"'


def test_member_without_a_client_id_is_called_by_its_member_id() -> None:
    history = one_member().history
    assert Names(history).full(Who("m-1")) == "m-1"


HELD: dict[str, Any] = {
    "producer_id": 9,
    "producer_epoch": 0,
    "transactional_id": "payments-1",
    "offsets": 3,
    "partitions": {"orders": [0, 1]},
}


def test_a_wait_for_a_transaction_is_told_while_it_lasts() -> None:
    story = two_members()
    story.tell("offsets_awaited", "transaction_open", "anna", **HELD, unstable_ms=1_200, refusals=2, waited_ms=800)
    text = "\n".join(line.text for line in page(story.explanation))
    assert (
        "Transaction payments-1 of producer 9 held back the offsets of orders 0, 1 and 1 more for 1.2 s, and has not ended:"
        " anna on 10.0.0.1 was refused twice and waits." in text
    )


def test_a_wait_that_is_over_is_told_once_with_what_became_of_the_transaction() -> None:
    story = two_members()
    story.tell("offsets_awaited", "transaction_open", "anna", **HELD, unstable_ms=1_200, refusals=2, waited_ms=800)
    story.after(60_000).tell(
        "offsets_released", "transaction_aborted", "anna", **HELD, unstable_ms=61_200, refusals=9, waited_ms=60_800
    )
    (quiet,) = story.explanation.quiet
    assert tell_quiet(quiet, Names(story.history)) == (
        "Transaction payments-1 of producer 9 held back the offsets of orders 0, 1 and 1 more for 1 min 1 s, until it was"
        " aborted: anna on 10.0.0.1 waited 1 min 1 s for it, refused 9 times."
    )
    shown = to_json(story.explanation)["without_rebalance"][0]
    assert shown["held"] == {
        "producer_id": 9,
        "transactional_id": "payments-1",
        "offsets": 3,
        "partitions": [{"topic": "orders", "partition": 0}, {"topic": "orders", "partition": 1}],
        "unstable_ms": 61_200,
        "refusals": 9,
        "waited_ms": 60_800,
    }


def test_a_transaction_that_nobody_waited_for_and_whose_name_is_not_known_is_told_without_them() -> None:
    story = two_members()
    unnamed = {name: value for name, value in HELD.items() if name != "transactional_id"}
    story.tell("offsets_released", "transaction_committed", **unnamed, unstable_ms=10_000)
    (quiet,) = story.explanation.quiet
    assert tell_quiet(quiet, Names(story.history)) == (
        "Transaction of producer 9 held back the offsets of orders 0, 1 and 1 more for 10 s, until it was committed:"
        " nobody waited for it."
    )
