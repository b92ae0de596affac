"""Rows of generations, members and assignments from the records of classic groups (type 2, values 0 to 4).

Subscriptions and assignments are looked into only where the protocol type is `consumer` (trap 14); elsewhere they are
nobody's business but the members'. One record at a time: there is one for each rebalance. The value's layout is read by
`muster.log.group_value`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from muster.core.records import GroupStored, StoredMember
from muster.log.group_value import decode_group_value
from muster.wire.consumer_protocol import (
    Subscription,
    decode_assignment,
    decode_subscribed_topics,
    decode_subscription,
)
from muster.wire.errors import WireError

Row: TypeAlias = dict[str, Any]
RecordPlace: TypeAlias = dict[str, Any]
"""The columns that say where a record lies: cluster, log_partition, log_offset, record_ms, dt."""

CONSUMER_PROTOCOL: Final = "consumer"


def read_group(group_id: str, value: bytes) -> GroupStored:
    """Raises RecordError for what Kafka would not load either."""
    return decode_group_value(group_id, value)


def member_row(place: RecordPlace, group: GroupStored, member: StoredMember) -> Row:
    topics, owned, rack = _subscribed(group, member)
    return {
        **place,
        "group_id": group.group_id,
        "generation": group.generation,
        "member_id": member.member_id,
        "instance_id": member.group_instance_id,
        "identity": identity_of(member),
        "client_id": member.client_id,
        "client_host": member.client_host,
        "rebalance_timeout_ms": member.rebalance_timeout_ms,
        "session_timeout_ms": member.session_timeout_ms,
        "topics": topics,
        "owned_partitions": owned,
        "rack_id": rack,
    }


def assignment_rows(place: RecordPlace, group: GroupStored, member: StoredMember) -> Iterator[Row]:
    """One row a partition; raises WireError if a consumer's assignment cannot be read."""
    if group.protocol_type != CONSUMER_PROTOCOL or not member.assignment:
        return
    for topic, partitions in decode_assignment(member.assignment).partitions:
        for partition in partitions:
            yield {
                **place,
                "group_id": group.group_id,
                "generation": group.generation,
                "member_id": member.member_id,
                "identity": identity_of(member),
                "topic": topic,
                "partition": partition,
            }


def identity_of(member: StoredMember) -> str:
    """Who a member is across restarts: its instance id if it has one."""
    return member.group_instance_id or member.member_id


def _subscribed(group: GroupStored, member: StoredMember) -> tuple[list[str] | None, int | None, str | None]:
    """Topics, number of partitions owned, rack. Odd versions occur (trap 14); the topics are read whatever it says."""
    if group.protocol_type != CONSUMER_PROTOCOL:
        return None, None, None
    try:
        found = decode_subscription(member.subscription)
    except WireError:
        topics = decode_subscribed_topics(member.subscription)
        return (None if topics is None else sorted(topics)), None, None
    return list(found.topics), _owned(found), found.rack_id


def _owned(found: Subscription) -> int | None:
    """KIP-429: since version 1 a member says what it holds; a version 0 says nothing, which is not zero."""
    return sum(len(partitions) for _, partitions in found.owned_partitions) if found.version >= 1 else None
