"""Topics in the metadata of consumer-type members (spec 2.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.core.classic.subscription import topics_in

NO_USER_BYTES = b"\xff\xff\xff\xff"


def subscription(version: int, *topics: str, tail: bytes = NO_USER_BYTES) -> bytes:
    encoded = [topic.encode() for topic in topics]
    listed = b"".join(len(topic).to_bytes(2, "big") + topic for topic in encoded)
    return version.to_bytes(2, "big", signed=True) + len(topics).to_bytes(4, "big") + listed + tail


@pytest.mark.parametrize("version", [0, 1, 2, 3, 9, 32_767])
def test_every_version_is_read_by_its_oldest_layout(version: int) -> None:
    """Spec 2.4: owned partitions and all that follows is not looked at."""
    assert topics_in(subscription(version, "a", "b", tail=b"\0\0\0\1x and more")) == ["a", "b"]


@pytest.mark.parametrize(
    "metadata",
    [
        b"",
        b"\0",
        b"\0\0",
        subscription(-1, "a"),
        subscription(0, "a")[:-1],
        subscription(0, "a", tail=b""),
        subscription(0, "a", tail=b"\0\0\0\2x"),
        b"\0\0\xff\xff\xff\xff" + NO_USER_BYTES,
        b"\0\0\x7f\xff\xff\xff" + NO_USER_BYTES,
        b"\0\0\0\0\0\1\xff\xff" + NO_USER_BYTES,
        b"\0\0\0\0\0\1\0\x50" + NO_USER_BYTES,
    ],
)
def test_what_cannot_be_read_is_unknown(metadata: bytes) -> None:
    """Spec 2.4, 13.19: short, negative, or with a count or length beyond the end."""
    assert topics_in(metadata) is None


def test_bad_utf8_is_replaced_as_java_does() -> None:
    assert topics_in(b"\0\0\0\0\0\1\0\1\xff" + NO_USER_BYTES) == ["\ufffd"]


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_unknown(metadata: bytes) -> None:
    topics = topics_in(metadata)
    assert topics is None or all(isinstance(topic, str) for topic in topics)


@given(st.lists(st.text(max_size=10), max_size=5))
def test_topics_come_back_as_they_were(topics: list[str]) -> None:
    assert topics_in(subscription(1, *topics)) == topics
