"""What sticky members tell the leader in the user data of their subscription: what they had, and of which generation.

Kafka's layouts, so that a group may have Java, C and Python members. `sticky` writes topics with partitions and the
generation; `cooperative-sticky` the generation alone, since the subscription itself names what is owned. What cannot be read
counts as having had nothing: a leader must not fail because of one member.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from struct import error as StructError
from typing import Final

from muster.core.assignors.contract import Subscriber, TopicPartition
from muster.wire.special_values import NO_GENERATION

_I16: Final = Struct(">h")
_I32: Final = Struct(">i")


def write_sticky(owned: Sequence[TopicPartition], generation: int) -> bytes:
    topics: dict[str, list[int]] = {}
    for topic, number in sorted(owned):
        topics.setdefault(topic, []).append(number)
    parts = [_I32.pack(len(topics))]
    for topic, numbers in topics.items():
        raw = topic.encode()
        parts += (_I16.pack(len(raw)), raw, _I32.pack(len(numbers)), *map(_I32.pack, numbers))
    return b"".join(parts) + _I32.pack(generation)


def read_sticky(user_data: bytes | None) -> tuple[list[TopicPartition], int]:
    """What was owned and when. The first layout had no generation."""
    try:
        owned, position = _read_topics(user_data or b"")
    except (StructError, UnicodeDecodeError, ValueError):
        return [], NO_GENERATION
    rest = (user_data or b"")[position:]
    return owned, _I32.unpack(rest[:4])[0] if len(rest) >= 4 else NO_GENERATION


def write_cooperative(generation: int) -> bytes:
    return _I32.pack(generation)


def read_cooperative(user_data: bytes | None) -> int:
    """librdkafka writes the layout of `sticky` here: of the wrong length for a generation, and read as that."""
    if user_data is not None and len(user_data) == _I32.size:
        generation: int = _I32.unpack(user_data)[0]
        return generation
    return read_sticky(user_data)[1]


def sticky_claim(member: Subscriber) -> tuple[Sequence[TopicPartition], int]:
    """Members of `sticky` have given up everything when they join: only the user data knows (KIP-54)."""
    return read_sticky(member.user_data)


def cooperative_claim(member: Subscriber) -> tuple[Sequence[TopicPartition], int]:
    """Since version 2 the subscription has the generation itself (KIP-792)."""
    generation = member.generation if member.generation >= 0 else read_cooperative(member.user_data)
    return member.owned, generation


def _read_topics(content: bytes) -> tuple[list[TopicPartition], int]:
    owned: list[TopicPartition] = []
    if not content:
        return owned, 0
    (topics,) = _I32.unpack_from(content, 0)
    position = 4
    for _ in range(topics):
        (size,) = _I16.unpack_from(content, position)
        topic = content[position + 2 : position + 2 + size].decode()
        position += 2 + size
        (count,) = _I32.unpack_from(content, position)
        if size < 0 or count < 0 or position + 4 + 4 * count > len(content):
            raise ValueError("not the layout of sticky user data")
        owned += [
            TopicPartition(topic, _I32.unpack_from(content, position + 4 + 4 * index)[0]) for index in range(count)
        ]
        position += 4 + 4 * count
    return owned, position
