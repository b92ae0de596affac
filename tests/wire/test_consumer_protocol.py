"""The consumer protocol inside metadata and assignments (spec 2.4)."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.wire.consumer_protocol import (
    Assignment,
    Subscription,
    decode_assignment,
    decode_subscribed_topics,
    decode_subscription,
    encode_assignment,
    encode_subscription,
)
from muster.wire.errors import WireError

V0 = bytes.fromhex("0000" + "00000002" + "0001" + "61" + "0001" + "62" + "ffffffff")
V3 = bytes.fromhex(
    "0003"
    + "00000001"
    + "000161"
    + "00000001ee"
    + "00000001"
    + "000161"
    + "00000002"
    + "0000000000000001"
    + "00000005"
    + "000172"
)
TOPIC_PARTITIONS = st.lists(st.tuples(st.text(max_size=8), st.lists(st.integers(0, 2**31 - 1), max_size=5)), max_size=4)


def test_a_subscription_of_version_0_has_topics_and_user_data() -> None:
    assert decode_subscription(V0) == Subscription(["a", "b"], None, version=0)


def test_a_subscription_of_version_3_has_all() -> None:
    expected = Subscription(["a"], b"\xee", [("a", [0, 1])], 5, "r", 3)
    assert decode_subscription(V3) == expected
    assert encode_subscription(expected) == V3


def test_a_newer_version_is_read_with_the_layout_of_version_3() -> None:
    newer = decode_subscription(b"\0\x09" + V3[2:] + b"what is new")
    assert (newer.version, newer.rack_id) == (9, "r")


@given(
    topics=st.lists(st.text(max_size=8), max_size=4),
    user_data=st.none() | st.binary(max_size=8),
    owned=TOPIC_PARTITIONS,
    generation=st.integers(-1, 2**31 - 1),
    rack=st.none() | st.text(max_size=5),
)
def test_a_subscription_comes_back_as_it_went(
    topics: list[str], user_data: bytes | None, owned: list[tuple[str, list[int]]], generation: int, rack: str | None
) -> None:
    full = Subscription(topics, user_data, owned, generation, rack)
    assert decode_subscription(encode_subscription(full)) == full
    for version, expected in [
        (0, Subscription(topics, user_data, version=0)),
        (1, Subscription(topics, user_data, owned, version=1)),
        (2, Subscription(topics, user_data, owned, generation, version=2)),
    ]:
        full.version = version
        raw = encode_subscription(full)
        decoded = decode_subscription(raw)
        assert (decoded.topics, decoded.user_data, list(decoded.owned_partitions)) == (
            expected.topics,
            expected.user_data,
            list(expected.owned_partitions),
        )
        assert (decoded.generation_id, decoded.rack_id) == (expected.generation_id, expected.rack_id)
        assert decode_subscribed_topics(raw) == frozenset(topics)


@given(partitions=TOPIC_PARTITIONS, user_data=st.none() | st.binary(max_size=8), version=st.integers(0, 3))
def test_an_assignment_comes_back_as_it_went(
    partitions: list[tuple[str, list[int]]], user_data: bytes | None, version: int
) -> None:
    given_out = Assignment(partitions, user_data, version)
    assert decode_assignment(encode_assignment(given_out)) == given_out


@pytest.mark.parametrize("raw", [V0, V3])
def test_a_subscription_cut_short_is_refused(raw: bytes) -> None:
    for end in range(len(raw)):
        with pytest.raises(WireError, match="consumer protocol subscription"):
            decode_subscription(raw[:end])


def test_a_negative_version_is_refused() -> None:
    with pytest.raises(WireError, match="version -1"):
        decode_subscription(b"\xff\xff" + V0[2:])
    with pytest.raises(WireError, match="version -1"):
        decode_assignment(b"\xff\xff" + bytes(8))


def test_a_null_topic_is_refused() -> None:
    with pytest.raises(WireError, match="null at position"):
        decode_subscription(bytes.fromhex("0000" + "00000001" + "ffff" + "ffffffff"))


class TestSubscribedTopics:
    """What the coordinator reads: version 0's layout and nothing behind it; what cannot be read is unknown."""

    @pytest.mark.parametrize(("raw", "topics"), [(V0, "ab"), (V3, "a"), (b"\xff\xff" + V3[2:], "a")])
    def test_every_version_begins_with_the_topics(self, raw: bytes, topics: str) -> None:
        assert decode_subscribed_topics(raw) == frozenset(topics)

    def test_metadata_that_end_early_are_unknown(self) -> None:
        for end in range(len(V0)):
            assert decode_subscribed_topics(V0[:end]) is None

    @pytest.mark.parametrize("count", ["7fffffff", "00000fff", "ffffffff", "80000000"])
    def test_an_impossible_count_is_unknown_and_allocates_nothing(self, count: str) -> None:
        raw = bytes.fromhex("0000" + count) + bytes(100)
        tracemalloc.start()
        try:
            assert decode_subscribed_topics(raw) is None
            assert tracemalloc.get_traced_memory()[1] < 20_000
        finally:
            tracemalloc.stop()

    @given(raw=st.binary(max_size=40))
    def test_random_bytes_are_topics_or_unknown(self, raw: bytes) -> None:
        topics = decode_subscribed_topics(raw)
        assert topics is None or all(isinstance(topic, str) for topic in topics)
        with suppress(WireError):
            assert decode_subscription(raw).topics is not None
