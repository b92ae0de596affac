"""Assignments as the leader wrote them, to who owns which partition; and what changed from one to the next. Pure."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping

from muster.explain.facts import Partition
from muster.wire.consumer_protocol import decode_assignment
from muster.wire.errors import WireError


def owners_in(assignments: Mapping[str, bytes]) -> dict[Partition, str] | None:
    """Partition -> member id. None if these bytes are not the consumer protocol's: another protocol type has its own."""
    owners: dict[Partition, str] = {}
    for member_id, raw in assignments.items():
        if not raw:
            continue
        try:
            decoded = decode_assignment(raw)
        except WireError:
            return None
        for topic, numbers in decoded.partitions:
            owners.update({(topic, number): member_id for number in numbers})
    return owners


def raw_assignments(told: object) -> dict[str, bytes] | None:
    """As the journal tells them: base64 by member id. None if it does not."""
    if not isinstance(told, Mapping):
        return None
    try:
        return {str(member_id): b64decode(text, validate=True) for member_id, text in told.items()}
    except (ValueError, TypeError):
        return None


def grown_topics(before: Iterable[Partition], after: Iterable[Partition]) -> dict[str, tuple[int, int]]:
    """Topics that were known and have partitions beyond the highest known one: (partitions before, after).

    Partitions that a cooperative round keeps back for a while are below that, so they do not count.
    """
    old, new = _counts(before), _counts(after)
    return {topic: (count, new[topic]) for topic, count in old.items() if new.get(topic, 0) > count}


def _counts(partitions: Iterable[Partition]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for topic, number in partitions:
        counts[topic] = max(counts.get(topic, 0), number + 1)
    return counts
