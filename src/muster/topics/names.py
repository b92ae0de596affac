"""Topic names and ids: what is legal, what collides, what is internal, how ids look as text."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from typing import Final

from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL, SHARE_GROUP_STATE, TRANSACTION_STATE
from muster.topics.limits import MAX_TOPIC_NAME_LENGTH
from muster.topics.refusal import TopicError
from muster.wire.errors import INVALID_TOPIC_EXCEPTION

INTERNAL_TOPICS: Final = frozenset((CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE, GROUP_JOURNAL))
"""Kafka's three, and ours."""

COMPACTED_INTERNALS: Final[Mapping[str, Mapping[str, str]]] = {
    CONSUMER_OFFSETS: {"cleanup.policy": "compact", "compression.type": "producer"},
    TRANSACTION_STATE: {"cleanup.policy": "compact", "compression.type": "uncompressed"},
    SHARE_GROUP_STATE: {"cleanup.policy": "delete", "retention.ms": "-1"},
}
"""Settings under which Kafka makes its internal topics: what a found one must at least keep."""

_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def check_name(name: str) -> None:
    """Raise INVALID_TOPIC_EXCEPTION with Kafka's reasons."""
    problem = _name_problem(name)
    if problem is not None:
        raise TopicError(INVALID_TOPIC_EXCEPTION, f"Topic name is invalid: {problem}")


def is_name(name: str) -> bool:
    """Whether a topic can be called so."""
    return _name_problem(name) is None


def _name_problem(name: str) -> str | None:
    if not name:
        return "the empty string is not allowed"
    if name in (".", ".."):
        return f"'{name}' is not allowed"
    if len(name) > MAX_TOPIC_NAME_LENGTH:
        return f"the length of '{name}' is longer than the max allowed length {MAX_TOPIC_NAME_LENGTH}"
    if not _LEGAL.fullmatch(name):
        return f"'{name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"
    return None


def collision_key(name: str) -> str:
    """Equal for names that Kafka's metrics cannot tell apart: '.' and '_' become the same."""
    return name.replace(".", "_")


def id_text(topic_id: bytes) -> str:
    """Kafka's way to write an id: URL-safe base64 without padding, 22 characters."""
    return base64.urlsafe_b64encode(topic_id).rstrip(b"=").decode("ascii")


def id_from_text(text: str) -> bytes:
    """The inverse of `id_text`; ValueError if the text is not an id."""
    topic_id = base64.b64decode(text + "==", altchars=b"-_", validate=True)
    if len(topic_id) != 16:
        raise ValueError(f"{text!r} is not a topic id: it has {len(topic_id)} bytes instead of 16")
    return topic_id


def fresh_topic_id(random_bytes: Callable[[int], bytes]) -> bytes:
    """A random UUID of version 4 whose text does not begin with a dash, as Kafka draws them."""
    while True:
        drawn = bytearray(random_bytes(16))
        drawn[6] = drawn[6] & 0x0F | 0x40
        drawn[8] = drawn[8] & 0x3F | 0x80
        topic_id = bytes(drawn)
        # Kafka: ids are typed on command lines, where a leading dash reads as an option.
        if not id_text(topic_id).startswith("-"):
            return topic_id
