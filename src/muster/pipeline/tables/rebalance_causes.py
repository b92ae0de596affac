"""Why a group rebalanced, read from two neighbouring generations of the log alone. Pure; `group_changes` calls it.

| what changed | cause | confidence |
|---|---|---|
| members came, none went | new_member | 0.9 |
| members went, none came | left_or_expired | 0.8 |
| the same, and for a session timeout only the others' partitions had commits (`commit_pauses` sees that) | session_expired | 0.6 |
| as many came as went, on the same hosts or client ids | restart | 0.7 |
| others came and went | members_changed | 0.5 |
| nobody, but a subscription | metadata_changed | 0.8 |
| nobody, but there are partitions that were not there before | partitions_grew | 0.8 |
| nothing | leader_rejoined | 0.4 |

The journal's words where the log proves the same thing; others where it cannot tell. Over a gap in the history every
confidence halves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from muster.pipeline.tables.movement import Partition

Inference: TypeAlias = tuple[str, str | None, float]
"""Cause, the one member behind it if there is exactly one, confidence."""

UNKNOWN_BEFORE: Inference = ("unknown", None, 0.0)


@dataclass(frozen=True, slots=True)
class Participant:
    """One member in one generation."""

    identity: str
    member_id: str
    client_id: str | None
    client_host: str | None
    session_timeout_ms: int | None
    topics: frozenset[str] | None
    assigned: frozenset[Partition]


Members: TypeAlias = Mapping[str, Participant]
"""By identity: group instance id, else member id."""


def inferred_cause(before: Members, after: Members) -> Inference:
    came = [after[identity] for identity in after if identity not in before]
    went = [before[identity] for identity in before if identity not in after]
    if came and went:
        if len(came) == len(went) and _places(came) == _places(went):
            return "restart", _only(came), 0.7
        return "members_changed", None, 0.5
    if came:
        return "new_member", _only(came), 0.9
    if went:
        return "left_or_expired", _only(went), 0.8
    changed = [after[identity] for identity in after if after[identity].topics != before[identity].topics]
    if changed:
        return "metadata_changed", _only(changed), 0.8
    if partitions_grew(before, after):
        return "partitions_grew", None, 0.8
    return "leader_rejoined", None, 0.4


def partitions_grew(before: Members, after: Members) -> bool:
    """Partitions of known topics that were not assigned before, and none is missing. In a cooperative round some are unassigned
    for a while: those were assigned earlier, so only numbers beyond the highest known one count.
    """
    highest: dict[str, int] = {}
    for member in before.values():
        for topic, partition in member.assigned:
            highest[topic] = max(partition, highest.get(topic, -1))
    return any(
        topic in highest and partition > highest[topic]
        for member in after.values()
        for topic, partition in member.assigned
    )


def _places(members: list[Participant]) -> Counter[tuple[str | None, str | None]]:
    return Counter((member.client_host, member.client_id) for member in members)


def _only(members: list[Participant]) -> str | None:
    return members[0].member_id if len(members) == 1 else None
