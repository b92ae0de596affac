"""Which topics a consumer-type member subscribes to, read from its otherwise opaque metadata.

Only offset expiration and OffsetDelete want to know. Reads the version 0 layout, which is a prefix of every later one
(spec 2.4); whatever cannot be read is "unknown" and never an error.
"""

from __future__ import annotations

import struct

from muster.core.classic.group import CONSUMER_PROTOCOL_TYPE, Group

_SHORT = struct.Struct(">h")
_HEAD = struct.Struct(">hi")
_INT = struct.Struct(">i")


def subscribed_topics(group: Group) -> frozenset[str] | None:
    """The union over all members, by the metadata of the selected protocol; None if it cannot be told."""
    if group.protocol_type != CONSUMER_PROTOCOL_TYPE:
        return None
    topics: set[str] = set()
    for metadata in dict.fromkeys([m.metadata_for(group.protocol_name) for m in group.members.values()]):
        of_member = topics_in(metadata)
        if of_member is None:
            return None
        topics.update(of_member)
    return frozenset(topics)


def topics_in(metadata: bytes) -> list[str] | None:
    """None for metadata that end early, have a negative version, or a count beyond their size.

    Deviates: in Kafka a count beyond the size leaves the join phase stuck (spec 13.19).
    """
    try:
        return _read(metadata)
    except (struct.error, ValueError):
        return None


def _read(metadata: bytes) -> list[str]:
    version, count = _HEAD.unpack_from(metadata, 0)
    position = _HEAD.size
    if version < 0 or count < 0 or count * _SHORT.size > len(metadata):
        raise ValueError("not a subscription")
    topics = []
    for _ in range(count):
        (length,) = _SHORT.unpack_from(metadata, position)
        position += _SHORT.size
        if length < 0 or position + length > len(metadata):
            raise ValueError("not a subscription")
        topics.append(metadata[position : position + length].decode("utf-8", "replace"))
        position += length
    (user_bytes,) = _INT.unpack_from(metadata, position)
    if position + _INT.size + max(user_bytes, 0) > len(metadata):
        raise ValueError("not a subscription")
    return topics
