"""Every rule of advice with the evidence that it wants, and without: no figures, no advice (docs/explain.md)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from muster.explain.advice_rules import RULES
from tests.explain import test_epochs
from tests.explain.stories import Story, one_member, two_members


def returns(story: Story, away_ms: int, back: str = "boris.2", gone: str = "boris") -> None:
    """A member is gone (the story tells how), the other takes over, it comes back."""
    story.rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    story.after(away_ms).joins(back)
    story.rejoins("anna")
    story.stable({"anna": [0, 1], back: [2, 3]})


def paused_story(protocol: str = "range", pause_ms: int = 800) -> Story:
    """Twice: `boris` leaves and another one comes; anna waits for the assignment meanwhile."""
    story = two_members(protocol)
    for number in (2, 3):
        story.leaves("boris" if number == 2 else f"boris{number - 1}")
        story.rejoins("anna")
        story.stable({"anna": [0, 1, 2, 3]}, sync_ms=pause_ms)
        story.after(700_000).joins(f"boris{number}")
        story.rejoins("anna")
        story.stable({"anna": [0, 1], f"boris{number}": [2, 3]}, sync_ms=pause_ms)
        story.after(700_000)
    return story


def test_quiet_group_gets_no_advice() -> None:
    assert two_members().explanation.advice == []


# -- sessions


def test_member_expelled_for_a_short_silence_asks_for_a_longer_session() -> None:
    story = two_members(session_ms=6_000)
    story.dies("boris")
    returns(story, 2_500)
    said = story.advice("longer_session")
    assert said is not None
    assert "boris was expelled once after 6 s without a heartbeat and came back 2.5 s later" in said
    assert "Raise session.timeout.ms above 8.5 s" in said


def test_member_that_never_came_back_was_dead_and_no_reason_for_a_longer_session() -> None:
    story = two_members(session_ms=6_000)
    story.dies("boris")
    story.rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    assert story.advice("longer_session") is None
    assert story.advice("shorter_session") is None  # 6 s are short enough


def test_dead_member_with_a_long_session_asks_for_a_shorter_one() -> None:
    story = two_members(session_ms=45_000)
    story.dies("boris")
    story.after(500).rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    said = story.advice("shorter_session")
    assert said is not None
    assert "of the 45.5 s that its partitions had no owner, 45 s was its session timeout" in said


def test_member_without_partitions_may_take_its_time_to_die() -> None:
    story = one_member(session_ms=45_000)
    story.after(60_000).joins("boris")
    story.rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3], "boris": []})
    story.after(60_000).dies("boris")
    story.rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    assert story.advice("shorter_session") is None


def test_members_that_restart_ask_for_static_membership() -> None:
    """KIP-345."""
    story = two_members()
    story.leaves("boris")
    returns(story, 12_000)
    assert story.advice("static_membership") is None  # one may be chance
    story.after(60_000).leaves("boris.2")
    returns(story, 20_000, "boris.3")
    said = story.advice("static_membership")
    assert said is not None
    assert "boris went and came back twice, within 20 s; that made 4 rebalances" in said
    assert "session.timeout.ms above 20 s" in said


def test_static_members_are_not_told_to_become_static() -> None:
    story = two_members()
    story.instances |= {f"boris.{n}": "b" for n in (2, 3, 4)}
    for number in (2, 3):
        story.after(60_000).joins(f"boris.{number}")
        story.rejoins("anna")
        story.stable({"anna": [0, 1], f"boris.{number}": [2, 3]})
        story.leaves(f"boris.{number}")
        story.rejoins("anna")
        story.stable({"anna": [0, 1, 2, 3]})
    assert story.advice("static_membership") is None


def test_static_member_that_was_away_for_longer_than_its_session_asks_for_a_longer_one() -> None:
    story = one_member(session_ms=30_000)
    story.instances |= {"stella.1": "s", "stella.2": "s"}
    story.after(1_000).joins("stella.1")
    story.rejoins("anna")
    story.stable({"anna": [0, 1], "stella.1": [2, 3]})
    story.after(60_000).dies("stella.1")
    returns(story, 40_000, "stella.2")
    said = story.advice("longer_session")
    assert said is not None
    assert "above 1 min 10 s" in said


# -- polling


def missed(story: Story) -> None:
    story.joins("carla")
    story.after(300).rejoins("anna")
    story.after(story.rebalance_ms - 300).expelled("boris", "rejoin_missed")
    story.stable({"anna": [0, 1], "carla": [2, 3]}, "join_timeout")


def test_member_that_missed_a_rebalance_and_lives_asks_to_do_less_between_polls() -> None:
    story = two_members(rebalance_ms=30_000)
    missed(story)
    story.after(4_000).joins("boris.2")
    story.rejoins("anna", "carla")
    story.stable({"anna": [0, 1], "carla": [2], "boris.2": [3]})
    said = story.advice("rejoin_in_time")
    assert said is not None
    assert "boris did not join again within the rebalance timeout of 30 s, was dropped, and came back 4 s later" in said
    assert story.advice("shorter_rebalance_timeout") is None


def test_member_that_missed_a_rebalance_and_is_gone_asks_for_a_shorter_timeout() -> None:
    story = two_members(rebalance_ms=30_000)
    missed(story)
    said = story.advice("shorter_rebalance_timeout")
    assert said is not None
    assert "up to 30 s, for members that never came: boris; everybody else had joined after 300 ms" in said
    assert story.advice("rejoin_in_time") is None


def test_client_that_says_its_poll_timed_out_is_believed() -> None:
    """KIP-800: Java's consumer says why it leaves."""
    story = two_members()
    story.leaves("boris", "consumer poll timeout has expired.")
    story.rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    assert story.history.rebalances[-1].why.cause == "poll_timeout"
    said = story.advice("rejoin_in_time")
    assert said is not None
    assert "max.poll.records" in said


def test_same_member_last_time_and_again_is_named() -> None:
    story = two_members()
    for number in (1, 2):
        story.asks("anna")
        story.after(8_000).rejoins("boris")
        story.stable({"anna": [0, 1], "boris": [2, 3]})
        assert (story.advice("slow_to_join") is None) is (number == 1)
    said = story.advice("slow_to_join")
    assert said is not None
    assert "boris was the last to join in 2 of 4 rebalances and kept the others waiting for up to 8 s" in said


def test_member_that_comes_with_its_next_heartbeat_is_not_slow() -> None:
    story = two_members()
    for _ in range(3):
        story.asks("anna")
        story.after(3_000).rejoins("boris")
        story.stable({"anna": [0, 1], "boris": [2, 3]})
    assert story.advice("slow_to_join") is None


# -- assignors


def test_partitions_that_stayed_but_stood_still_ask_for_the_cooperative_assignor() -> None:
    """KIP-429."""
    said = paused_story().advice("keep_partitions")
    assert said is not None
    assert "In 4 rebalances 8 of 16 partitions stayed with their owner" in said
    assert "for up to 800 ms, 3.2 s in all" in said
    assert "cooperative-sticky" in said


def test_short_pauses_are_not_worth_another_assignor() -> None:
    assert paused_story(pause_ms=20).advice("keep_partitions") is None


def test_cooperative_group_is_not_told_to_cooperate() -> None:
    assert paused_story("cooperative-sticky").advice("keep_partitions") is None


def test_group_that_offers_the_cooperative_assignor_everywhere_hears_what_is_left_to_do() -> None:
    story = paused_story()
    story.offers = {member: ["range", "cooperative-sticky"] for member in ("anna", "boris3", "carla")}
    story.joins("carla")
    story.rejoins("anna", "boris3")
    story.stable({"anna": [0, 1], "boris3": [2], "carla": [3]})
    said = story.advice("keep_partitions")
    assert said is not None
    assert "Every member already offers cooperative-sticky" in said


def test_moves_between_members_that_both_stayed_are_counted() -> None:
    story = two_members("roundrobin")
    story.joins("carla")
    story.rejoins("anna", "boris")
    story.stable({"anna": [0, 3], "boris": [1], "carla": [2]})
    said = story.advice("needless_moves")
    assert said is not None
    assert "In 1 rebalance 2 of 3 moves went from one member to another" in said


def test_moves_to_a_newcomer_and_from_one_who_left_are_needed() -> None:
    story = two_members("roundrobin")
    story.joins("carla")
    story.rejoins("anna", "boris")
    story.stable({"anna": [0, 1], "boris": [2], "carla": [3]})
    story.leaves("boris")
    story.rejoins("anna", "carla")
    story.stable({"anna": [0, 1], "carla": [2, 3]})
    assert story.advice("needless_moves") is None


def test_members_that_offer_different_assignors_are_told_apart() -> None:
    story = two_members()
    story.offers = {"anna": ["cooperative-sticky", "range"]}
    story.asks("anna", "metadata_changed")
    story.rejoins("boris")
    story.stable({"anna": [0, 1], "boris": [2, 3]})
    said = story.advice("half_done_upgrade")
    assert said is not None
    assert "the group speaks range (anna: cooperative-sticky, range; boris: range)" in said
    story.offers = {}
    story.asks("anna", "metadata_changed")
    story.rejoins("boris")
    story.stable({"anna": [0, 1], "boris": [2, 3]})
    assert story.advice("half_done_upgrade") is None  # the last generation counts


def test_members_with_different_subscriptions_are_told_apart() -> None:
    story = two_members()
    assert story.advice("other_subscriptions") is None
    story.topics = {"boris": ["audit", "orders"]}
    story.asks("boris", "metadata_changed")
    story.rejoins("anna")
    story.stable({"anna": [0, 1], "boris": [2, 3]})
    said = story.advice("other_subscriptions")
    assert said is not None
    assert "anna reads orders; boris reads audit, orders" in said


# -- rhythm


def start(later_ms: int, newcomers: int, took_ms: int = 600) -> Story:
    story = Story()
    story.created()
    story.joins("anna")
    story.after(3_000).stable({"anna": [0, 1, 2, 3]}, "initial_delay_over")
    members = ["anna"]
    for number in range(newcomers):
        story.after(later_ms).joins(f"late{number}")
        story.after(took_ms).rejoins(*members)
        members.append(f"late{number}")
        story.stable({member: [index] for index, member in enumerate(members)})
    return story


def test_members_that_come_just_after_the_start_ask_for_a_longer_initial_delay() -> None:
    said = start(2_000, 2).advice("longer_initial_delay")
    assert said is not None
    assert "The group waited 3 s for company when it started; 2 more members came within 4.6 s after that" in said
    assert "to about 7.6 s" in said


def test_members_that_come_much_later_or_one_alone_or_for_next_to_nothing_do_not() -> None:
    assert start(20_000, 2).advice("longer_initial_delay") is None
    assert start(2_000, 1).advice("longer_initial_delay") is None
    assert start(2_000, 2, took_ms=10).advice("longer_initial_delay") is None


def flaps(times: int, every_ms: int) -> Story:
    story = two_members()
    for number in range(times):
        story.leaves("boris" if number == 0 else f"boris.{number}")
        returns(story, every_ms, f"boris.{number + 1}")
    return story


def test_member_that_comes_and_goes_is_named_with_its_times() -> None:
    said = flaps(3, 60_000).advice("flapping_members")
    assert said is not None
    assert "boris went 3 times in 2 min" in said


def test_member_that_goes_twice_or_seldom_does_not_flap() -> None:
    assert flaps(2, 60_000).advice("flapping_members") is None
    assert flaps(4, 3_000_000).advice("flapping_members") is None


def test_many_rebalances_in_an_hour_are_said_with_their_cause() -> None:
    story = two_members()
    for number in range(11):
        assert (story.advice("many_in_an_hour") is not None) is (number >= 8)
        story.after(60_000).asks("anna")
        story.rejoins("boris")
        story.stable({"anna": [0, 1], "boris": [2, 3]}, sync_ms=1_000)
    said = story.advice("many_in_an_hour")
    assert said is not None
    assert "13 rebalances within 13 min" in said
    assert "11 of them by that cause" in said
    assert "the most frequent cause: the leader asked" in said


def test_rebalances_over_many_hours_are_not_many() -> None:
    story = two_members()
    for _ in range(20):
        story.after(1_000_000).asks("anna")
        story.rejoins("boris")
        story.stable({"anna": [0, 1], "boris": [2, 3]})
    assert story.advice("many_in_an_hour") is None


def test_members_that_find_no_room_ask_for_a_larger_group() -> None:
    story = two_members()
    story.tell("pending_id_dropped", "group_full", "carla")
    said = story.advice("full_group")
    assert said is not None
    assert "1 member found no room" in said
    assert "group.max.size" in said


HELD: dict[str, Any] = {
    "producer_id": 9,
    "transactional_id": "payments-1",
    "offsets": 3,
    "partitions": {"orders": [0, 1]},
}


def test_readers_that_waited_long_for_a_transaction_ask_for_shorter_ones() -> None:
    story = two_members()
    story.tell(
        "offsets_released", "transaction_committed", "anna", **HELD, unstable_ms=9_000, refusals=4, waited_ms=4_000
    )
    story.after(60_000)
    story.tell(
        "offsets_released", "transaction_aborted", "boris", **HELD, unstable_ms=61_000, refusals=9, waited_ms=50_000
    )
    said = story.advice("shorter_transactions")
    assert said is not None
    assert "waited 54 s for 2 transactions" in said
    assert "that of payments-1, was 50 s of the 1 min 1 s in which it held 3 offsets back" in said
    assert "transaction.timeout.ms" in said


def test_a_moment_of_waiting_for_a_transaction_is_as_it_should_be() -> None:
    story = two_members()
    story.tell(
        "offsets_released", "transaction_committed", "anna", **HELD, unstable_ms=61_000, refusals=2, waited_ms=4_999
    )
    story.tell("offsets_released", "transaction_aborted", **HELD, unstable_ms=61_000, refusals=0)
    assert story.advice("shorter_transactions") is None


def test_every_rule_has_been_seen_here() -> None:
    """A rule that no story brings out would be a rule that nobody has read."""
    text = "".join(path.read_text(encoding="utf-8") for path in (Path(__file__), Path(test_epochs.__file__)))
    seen = re.findall(r'(?:advice\(|said\(\s*world, )"(\w+)"', text)
    assert [rule.__name__ for rule in RULES if rule.__name__ not in seen] == []


# -- a process that is restarted before its old session has ended: what a supervisor does after every kill


def restarted_at_once(times: int = 1) -> Story:
    """`boris` is killed, and back 2 s after its last heartbeat; the group waits for the old one until its session is over."""
    story = two_members(session_ms=6_000)
    for number in range(times):
        old, new = f"boris.{number}" if number else "boris", f"boris.{number + 1}"
        story.after(60_000).joins(new)
        story.after(100).rejoins("anna")
        story.after(3_900).expelled(old, "session_expired")
        story.stable({"anna": [0, 1], new: [2, 3]})
    return story


def test_quick_restarts_ask_for_static_membership_and_not_for_a_longer_session() -> None:
    """KIP-345. The session of the dead ran out while the new one was there: nobody paused."""
    story = restarted_at_once(times=2)
    said = story.advice("static_membership")
    assert said is not None
    assert "boris went and came back twice, before the old session had ended; that made 2 rebalances" in said
    assert "a session.timeout.ms above 2 s" in said
    assert story.advice("longer_session") is None


def test_restarted_member_is_no_late_starter() -> None:
    story = one_member(session_ms=6_000)
    story.after(1_000).joins("boris")
    story.after(600).rejoins("anna")
    story.stable({"anna": [0, 1], "boris": [2, 3]})
    story.joins("boris.2")
    story.rejoins("anna")
    story.after(4_000).expelled("boris", "session_expired")
    story.stable({"anna": [0, 1], "boris.2": [2, 3]})
    assert story.advice("longer_initial_delay") is None


def test_one_process_under_several_ids_is_one_in_advice() -> None:
    """Its ids are told apart in the story, as two of them were there at once; in sums it is one process."""
    story = restarted_at_once(times=3)
    said = story.advice("static_membership")
    assert said is not None
    assert said.startswith("boris went and came back 3 times")


def test_single_poll_timeout_is_said_to_have_been_one() -> None:
    story = two_members()
    story.leaves("boris", "consumer poll timeout has expired.")
    story.rejoins("anna")
    story.stable({"anna": [0, 1, 2, 3]})
    said = story.advice("rejoin_in_time")
    assert said is not None
    assert "boris left once because the application did not poll in time" in said
