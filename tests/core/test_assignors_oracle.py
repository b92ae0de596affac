"""range and roundrobin against aiokafka's, which were written after Java's by other people."""

from __future__ import annotations

from types import SimpleNamespace

from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.core.assignors.choice import RANGE, ROUND_ROBIN
from muster.core.assignors.contract import Assignor, Subscriber

TOPICS = ("t0", "t1", "t2", "t10")
counts_of = st.dictionaries(st.sampled_from(TOPICS), st.integers(1, 9), min_size=1)
groups = st.dictionaries(
    st.text("abcXYZ01-", min_size=1, max_size=4),
    st.lists(st.sampled_from(TOPICS), unique=True, min_size=1),
    min_size=1,
    max_size=8,
)


def theirs(assignor: type, counts: dict[str, int], group: dict[str, list[str]]) -> dict[str, set[tuple[str, int]]]:
    cluster = SimpleNamespace(partitions_for_topic=lambda topic: set(range(counts[topic])) if topic in counts else None)
    metadata = {member: SimpleNamespace(subscription=topics) for member, topics in group.items()}
    given_out = assignor.assign(cluster, metadata)  # type: ignore[attr-defined]
    return {
        member: {(topic, number) for topic, numbers in each.assignment for number in numbers}
        for member, each in given_out.items()
    }


def ours(assignor: Assignor, counts: dict[str, int], group: dict[str, list[str]]) -> dict[str, set[tuple[str, int]]]:
    given_out = assignor.assign(counts, [Subscriber(member, topics) for member, topics in group.items()])
    return {member: {(each.topic, each.partition) for each in places} for member, places in given_out.items()}


@settings(deadline=None)
@given(counts=counts_of, group=groups)
def test_range_agrees_with_aiokafka(counts: dict[str, int], group: dict[str, list[str]]) -> None:
    assert ours(RANGE, counts, group) == theirs(RangePartitionAssignor, counts, group)


@settings(deadline=None)
@given(counts=counts_of, group=groups)
def test_roundrobin_agrees_with_aiokafka(counts: dict[str, int], group: dict[str, list[str]]) -> None:
    assert ours(ROUND_ROBIN, counts, group) == theirs(RoundRobinPartitionAssignor, counts, group)
