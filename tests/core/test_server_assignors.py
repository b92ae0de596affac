"""The assignors that the coordinator runs: equal to Kafka's, balanced, sticky."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.core.assignors.member_spec import MemberSpec, Target
from muster.core.assignors.server_side import SERVER_ASSIGNORS
from tests.core.assignors_recorded.generated import RECORDING, Question, questions, written

A, B = bytes(16), b"\x01" * 16


def test_300_generated_groups_get_what_kafka_gives_them() -> None:
    """Recorded from the assignors of Apache Kafka 4.3.1 on Java 17: `python -m tests.core.assignors_recorded.generated`."""
    asked, recorded = list(questions()), RECORDING.read_text().splitlines()
    assert len(asked) == len(recorded) == 300
    for number, (question, answer) in enumerate(zip(asked, recorded, strict=True)):
        ours = SERVER_ASSIGNORS[question.assignor](question.members, question.partition_counts)
        assert written(ours) == answer, f"question {number}: {question.line()}"


@pytest.mark.parametrize("assignor", SERVER_ASSIGNORS)
def test_nobody_is_given_anything_without_members_topics_or_partitions(assignor: str) -> None:
    assign = SERVER_ASSIGNORS[assignor]
    assert assign([], {A: 3}) == {}
    assert assign([member("m")], {}) == {"m": {}}
    assert assign([member("m", A)], {A: 0}) == {"m": {}}


def test_range_divides_topics_of_the_same_size_alike_and_static_members_come_first() -> None:
    members = [member("b", A, B), member("a", A, B), member("z", A, B, instance="i")]
    targets = SERVER_ASSIGNORS["range"](members, {A: 4, B: 4})
    assert targets == {"z": {A: (0, 1), B: (0, 1)}, "a": {A: (2,), B: (2,)}, "b": {A: (3,), B: (3,)}}


def test_uniform_takes_no_more_from_a_member_than_the_newcomer_needs() -> None:
    had = SERVER_ASSIGNORS["uniform"]([member("a", A), member("b", A)], {A: 6})
    members = [member("a", A, target=had["a"]), member("b", A, target=had["b"]), member("c", A)]
    targets = SERVER_ASSIGNORS["uniform"](members, {A: 6})
    assert sorted(len(targets[name][A]) for name in "abc") == [2, 2, 2]
    for name in "ab":
        assert set(targets[name][A]) < set(had[name][A])


GROUPS = st.sampled_from(list(questions()))


@given(GROUPS)
def test_every_partition_that_is_wanted_has_one_owner_who_wants_it(question: Question) -> None:
    targets = SERVER_ASSIGNORS[question.assignor](question.members, question.partition_counts)
    wants = {each.member_id: each.topic_ids for each in question.members}
    given_out = [
        (topic_id, index) for target in targets.values() for topic_id, indexes in target.items() for index in indexes
    ]
    wanted = {topic_id for topics in wants.values() for topic_id in topics}
    assert sorted(given_out) == sorted(
        (topic_id, index) for topic_id in wanted for index in range(question.partition_counts[topic_id])
    )
    assert all(set(target) <= wants[member_id] for member_id, target in targets.items())


@given(GROUPS)
def test_members_that_want_the_same_get_the_same_number_and_nothing_moves_the_second_time(question: Question) -> None:
    topic_ids = frozenset(question.partition_counts)
    members = [member(each.member_id, *topic_ids) for each in question.members]
    first = SERVER_ASSIGNORS["uniform"](members, question.partition_counts)
    sizes = sorted(sum(map(len, target.values())) for target in first.values())
    assert sizes[-1] - sizes[0] <= 1
    again = [member(each.member_id, *topic_ids, target=first[each.member_id]) for each in members]
    assert SERVER_ASSIGNORS["uniform"](again, question.partition_counts) == first


def test_T228_uniform_gives_4_4_and_3_of_11_and_moves_as_few_as_it_can_to_a_fourth() -> None:
    uniform = SERVER_ASSIGNORS["uniform"]
    had = uniform([member(name, A) for name in "abc"], {A: 11})
    assert sorted(len(had[name][A]) for name in "abc") == [3, 4, 4]
    targets = uniform([*(member(name, A, target=had[name]) for name in "abc"), member("d", A)], {A: 11})
    assert sorted(len(targets[name][A]) for name in "abcd") == [2, 3, 3, 3]
    stayed = sum(len(set(had[name][A]) & set(targets[name][A])) for name in "abc")
    assert stayed == 11 - len(targets["d"][A]), "what moves goes to the newcomer"


def member(name: str, *topic_ids: bytes, instance: str | None = None, target: Target | None = None) -> MemberSpec:
    return MemberSpec(name, instance, None, frozenset(topic_ids), target or {})
