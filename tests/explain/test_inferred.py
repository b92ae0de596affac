"""A cluster without a journal: what two neighbouring generations of `__consumer_offsets` show, and what they cannot."""

from __future__ import annotations

import tarfile
from pathlib import Path

from muster.core.records import GroupErased, GroupStored, StoredMember
from muster.explain.explanation import explain
from muster.explain.facts import History, Rebalance
from muster.explain.from_files import history_of, read_directory
from muster.explain.inferred import StoredAt, infer, stored_in
from muster.explain.names import Names
from muster.explain.sentences import tell_rebalance
from muster.log.record_codec import encode_record
from muster.wire.batch import Record
from muster.wire.consumer_protocol import Assignment, Subscription, encode_assignment, encode_subscription

KAFKA_LOG = Path(__file__).parents[1] / "pipeline" / "fixtures" / "kafka-4.3.1" / "data.tar.xz"


def member(
    name: str, owned: list[int], topics: tuple[str, ...] = ("orders",), instance: str | None = None
) -> StoredMember:
    """Ids are a client's name, and a number after a dot for later ids of the same client."""
    return StoredMember(
        name,
        instance,
        name.split(".")[0],
        "/10.0.0.1",
        60_000,
        10_000,
        encode_subscription(Subscription(list(topics))),
        encode_assignment(Assignment([("orders", owned)] if owned else [])),
    )


def stored(generation: int, *members: StoredMember, at: int | None = None) -> StoredAt:
    leader = members[0].member_id if members else None
    at_ms = at if at is not None else generation * 60_000
    group = GroupStored("g", "consumer", generation, "range" if members else None, leader, at_ms - 20, members)
    return StoredAt(at_ms, group)


TWO = (member("anna", [0, 1]), member("boris", [2, 3]))


def told_of(*generations: StoredAt) -> tuple[History, Rebalance]:
    history = infer(list(generations), "g")
    return history, history.rebalances[-1]


def why(history: History) -> str:
    return dict(tell_rebalance(history.rebalances[-1], Names(history)).lines)["why"]


def test_member_that_came_is_seen() -> None:
    history, last = told_of(stored(1, member("anna", [0, 1, 2, 3])), stored(2, *TWO))
    assert (last.why.cause, why(history)) == ("new_member", "boris on 10.0.0.1 joined.")
    assert [(move.partition[1], move.target and move.target.member_id) for move in last.moves or ()] == [
        (2, "boris"),
        (3, "boris"),
    ]
    assert len(last.stayed) == 2
    assert history.is_inferred


def test_member_that_went_left_or_expired_and_nobody_can_tell_which() -> None:
    history, last = told_of(stored(2, *TWO), stored(3, member("anna", [0, 1, 2, 3])))
    assert last.why.cause == "left_or_expired"
    assert why(history) == "boris on 10.0.0.1 is gone: it left or its session expired, the log does not tell which."
    assert (last.gaps, last.join_ms) == ([], None)  # how long anything took is not in the log


def test_several_that_went_are_all_named() -> None:
    history, last = told_of(stored(2, *TWO), stored(3))
    assert (last.result, last.why.cause) == ("empty", "left_or_expired")
    assert why(history) == "anna and boris are gone: they left or their sessions expired, the log does not tell which."


def test_same_client_under_a_new_id_is_a_restart() -> None:
    _, last = told_of(stored(2, *TWO), stored(3, member("anna", [0, 1]), member("boris.2", [2, 3])))
    assert (last.why.cause, last.why.who and last.why.who.member_id) == ("restart", "boris.2")


def test_others_in_place_of_others_is_all_that_shows() -> None:
    _, last = told_of(stored(2, *TWO), stored(3, member("anna", [0, 1]), member("carla", [2]), member("dora", [3])))
    assert last.why.cause == "members_changed"


def test_topic_that_grew_is_seen_in_the_assignment() -> None:
    history, last = told_of(stored(2, *TWO), stored(3, member("anna", [0, 1, 4]), member("boris", [2, 3, 5])))
    assert (last.why.cause, why(history)) == ("partitions_grew", "Topic orders grew from 4 to 6 partitions.")


def test_changed_subscription_is_seen() -> None:
    _, last = told_of(stored(2, *TWO), stored(3, member("anna", [0, 1], ("audit", "orders")), TWO[1]))
    assert (last.why.cause, last.why.figures) == ("subscription_changed", {"added": ["audit"], "dropped": []})


def test_several_changed_subscriptions_are_told_together() -> None:
    both = (member("anna", [0, 1], ("audit",)), member("boris", [2, 3], ("audit", "orders")))
    history, last = told_of(stored(2, *TWO), stored(3, *both))
    assert (last.why.cause, last.why.who) == ("subscription_changed", None)
    told = "Several members changed their subscriptions: they now read audit and no longer read orders."
    assert why(history) == told


def test_nothing_to_see_means_that_somebody_asked() -> None:
    history, last = told_of(stored(2, *TWO), stored(3, *TWO))
    assert (last.why.cause, last.moves) == ("leader_rejoined", [])
    assert why(history) == "The leader or another member asked for a new round; nothing that moved shows why."


def test_static_member_under_a_new_id_in_the_same_generation_restarted() -> None:
    """KIP-345: the group is stored again, without a new generation."""
    before = stored(2, member("stella.1", [0], instance="s"), at=1_000)
    history = infer([before, stored(2, member("stella.2", [0], instance="s"), at=5_000)], "g")
    assert len(history.rebalances) == 1
    assert [(each.kind, each.at_ms) for each in history.quiet] == [("static_restart", 5_000)]


def test_generations_that_are_not_in_the_log_are_counted_and_the_rest_is_compared() -> None:
    """Compaction took them, or they never got an assignment."""
    history, last = told_of(stored(2, *TWO), stored(7, member("anna", [0, 1, 2, 3])))
    assert (last.why.cause, last.why.figures) == ("left_or_expired", {"generations_missing": 4})
    assert why(history).endswith("the log does not tell which; 4 generations in between are not in the log.")


def test_generation_without_anything_before_it_is_not_explained() -> None:
    history, last = told_of(stored(5, *TWO))
    assert (last.why.cause, last.newcomers) == ("unknown", [])
    assert why(history) == "Not known: nothing is left of what was before."


def test_generations_that_begin_again_are_another_life_of_the_group() -> None:
    """The tombstone in between was compacted away."""
    history, last = told_of(stored(5, *TWO, at=1_000), stored(1, member("anna", [0]), at=2_000))
    assert (last.why.cause, last.departures) == ("first_member", [])
    assert why(history) == "anna on 10.0.0.1 was the first to join."


def test_several_first_members_are_all_named() -> None:
    history, last = told_of(stored(1, *TWO))
    assert (last.why.cause, last.from_empty) == ("first_member", True)
    assert why(history) == "anna and boris were the first to join."


def test_group_that_emptied_and_was_removed_is_told_so() -> None:
    history = infer([stored(2, *TWO), stored(3), StoredAt(900_000, GroupErased("g"))], "g")
    assert [each.result for each in history.rebalances] == ["stable", "empty"]
    assert [each.kind for each in history.quiet] == ["group_removed"]


def test_members_that_keep_restarting_are_evidence_for_static_membership() -> None:
    generations = [stored(2, *TWO)]
    for number in range(3, 7):
        last = TWO[0] if number % 2 else member(f"boris.{number}", [2, 3])
        generations.append(stored(number, *((last,) if number % 2 else (TWO[0], last))))
    advice = [each.rule for each in explain(infer(generations, "g")).advice]
    assert "static_membership" in advice


def test_only_records_of_this_group_count() -> None:
    key, value = encode_record(stored(1, *TWO).group)
    ours = Record(offset=0, timestamp_ms=7, key=key, value=value)
    assert stored_in(ours, "g") is not None
    assert stored_in(ours, "other") is None
    assert stored_in(Record(offset=0, timestamp_ms=7, key=key, value=b"\x00"), "g") is None
    assert stored_in(Record(offset=0, timestamp_ms=7, key=None, value=value), "g") is None


def test_log_that_kafka_wrote_is_read(tmp_path: Path) -> None:
    """Of Apache Kafka 4.3.1: compaction left one generation of this group, in which it is empty."""
    with tarfile.open(KAFKA_LOG) as archive:
        archive.extractall(tmp_path, filter="data")
    history = history_of(read_directory(str(tmp_path), "classic-group"), "classic-group")
    assert (history.is_inferred, history.generation, history.state) == (True, 3, "Empty")
    assert [each.why.cause for each in history.rebalances] == ["unknown"]
