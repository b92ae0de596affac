"""The protocol that consumers speak inside JoinGroup metadata and SyncGroup assignments (protocol type `consumer`).

To a classic coordinator these bytes are opaque, but for the subscribed topics, which expiry of offsets and OffsetDelete want
to know (spec 2.4). The member client, the assignors and the tools read and write the rest. Never flexible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import Struct
from struct import error as StructError
from typing import Final, TypeAlias

from muster.wire.errors import WireError
from muster.wire.late_dataclass import dataclass
from muster.wire.primitives import i32s, read_i32s

LATEST_VERSION: Final = 3
"""What we write unless told otherwise. Newer versions are read with this layout, of which theirs are extensions."""

TopicPartitions: TypeAlias = Sequence[tuple[str, Sequence[int]]]

_I16: Final = Struct(">h")
_I32: Final = Struct(">i")


@dataclass(slots=True)
class Subscription:
    """What a member tells the leader: topics wanted, and partitions owned for the sticky and cooperative assignors."""

    topics: list[str]
    user_data: bytes | None = None
    owned_partitions: TopicPartitions = ()
    """Since version 1, KIP-429."""
    generation_id: int = -1
    """Since version 2, KIP-792."""
    rack_id: str | None = None
    """Since version 3, KIP-881."""
    version: int = LATEST_VERSION


@dataclass(slots=True)
class Assignment:
    """What the leader gives a member."""

    partitions: TopicPartitions = ()
    user_data: bytes | None = None
    version: int = LATEST_VERSION


def decode_subscription(metadata: bytes) -> Subscription:
    """All of a member's metadata; raises WireError if they are cut short or of a negative version."""
    reader = _Reader(metadata, "consumer protocol subscription")
    version = reader.version()
    decoded = Subscription(topics=reader.strings(), user_data=reader.nullable_bytes(), version=version)
    if version >= 1:
        decoded.owned_partitions = reader.topic_partitions()
    if version >= 2:
        decoded.generation_id = reader.i32()
    if version >= 3:
        decoded.rack_id = reader.nullable_string()
    return decoded


def decode_subscribed_topics(metadata: bytes) -> frozenset[str] | None:
    """The topics alone, read with the layout of version 0, which every version begins with; None if that fails.

    Deviates: a topic count beyond the bytes that are left breaks Kafka's rebalance half way; here it is undecodable like
    metadata that end early (spec 2.4). The version is read past, whatever it says.
    """
    reader = _Reader(metadata, "consumer protocol subscription")
    try:
        reader.i16()
        topics = reader.strings()
        reader.nullable_bytes()
    except WireError:
        return None
    return frozenset(topics)


def decode_assignment(assignment: bytes) -> Assignment:
    """What a member was given; raises WireError if it is cut short or of a negative version."""
    reader = _Reader(assignment, "consumer protocol assignment")
    version = reader.version()
    return Assignment(reader.topic_partitions(), reader.nullable_bytes(), version)


def encode_subscription(subscription: Subscription) -> bytes:
    """Fields that the version lacks are left out."""
    version = subscription.version
    parts = [_I16.pack(version), _strings(subscription.topics), _nullable_bytes(subscription.user_data)]
    if version >= 1:
        parts.append(_topic_partitions(subscription.owned_partitions))
    if version >= 2:
        parts.append(_I32.pack(subscription.generation_id))
    if version >= 3:
        rack = subscription.rack_id
        parts.append(_I16.pack(-1) if rack is None else _string(rack))
    return b"".join(parts)


def encode_assignment(assignment: Assignment) -> bytes:
    return (
        _I16.pack(assignment.version) + _topic_partitions(assignment.partitions) + _nullable_bytes(assignment.user_data)
    )


class _Reader:
    """A position in bytes that must not run over. Speed does not matter here: once per member and rebalance."""

    def __init__(self, buf: bytes, name: str) -> None:
        self.buf = buf
        self.name = name
        self.pos = 0

    def _fixed(self, layout: Struct) -> int:
        try:
            (value,) = layout.unpack_from(self.buf, self.pos)
        except StructError as error:
            raise WireError(f"{self.name} of {len(self.buf)} bytes ends early at position {self.pos}") from error
        self.pos += layout.size
        return int(value)

    def i16(self) -> int:
        return self._fixed(_I16)

    def i32(self) -> int:
        return self._fixed(_I32)

    def version(self) -> int:
        version = self.i16()
        if version < 0:
            raise WireError(f"{self.name} has version {version}")
        return version

    def _content(self, size: int) -> bytes:
        if size < 0:
            raise WireError(f"{self.name} has null at position {self.pos} where it may not")
        if size > len(self.buf) - self.pos:
            raise WireError(f"{self.name} wants {size} bytes at position {self.pos} of {len(self.buf)}")
        content = self.buf[self.pos : self.pos + size]
        self.pos += size
        return content

    def string(self) -> str:
        return self._content(self.i16()).decode("utf-8", "replace")

    def nullable_string(self) -> str | None:
        size = self.i16()
        return None if size < 0 else self._content(size).decode("utf-8", "replace")

    def nullable_bytes(self) -> bytes | None:
        size = self.i32()
        return None if size < 0 else self._content(size)

    def count(self, smallest: int) -> int:
        """A count that leaves room for that many elements, so that nobody allocates for more."""
        count = self.i32()
        if count < 0 or count * smallest > len(self.buf) - self.pos:
            raise WireError(f"{self.name} has an impossible count of {count} at position {self.pos}")
        return count

    def strings(self) -> list[str]:
        return [self.string() for _ in range(self.count(2))]

    def partitions(self) -> list[int]:
        count = self.count(4)
        values = read_i32s(self.buf, self.pos, count)
        self.pos += 4 * count
        return values

    def topic_partitions(self) -> list[tuple[str, Sequence[int]]]:
        return [(self.string(), self.partitions()) for _ in range(self.count(6))]


def _string(text: str) -> bytes:
    raw = text.encode()
    return _I16.pack(len(raw)) + raw


def _strings(texts: Sequence[str]) -> bytes:
    return _I32.pack(len(texts)) + b"".join(map(_string, texts))


def _nullable_bytes(content: bytes | None) -> bytes:
    return _I32.pack(-1) if content is None else _I32.pack(len(content)) + content


def _topic_partitions(pairs: Iterable[tuple[str, Sequence[int]]]) -> bytes:
    parts = [_string(topic) + _I32.pack(len(partitions)) + i32s(partitions) for topic, partitions in pairs]
    return _I32.pack(len(parts)) + b"".join(parts)
