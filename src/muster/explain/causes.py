"""Why a group rebalanced, inferred from two neighbouring generations of `__consumer_offsets` alone. Pure.

The only such inference, for classic groups and (`EPOCH_CAUSES`) for consumer groups. `explain.inferred` asks it about one group,
the pipeline's `tables.group_changes` and `tables.consumer_epochs` about every group of a log. Knows neither records nor frames; the
callers decode them to `Participant`s.

| what changed | cause | confidence |
|---|---|---|
| members came into an empty group | first_member | 0.9 |
| members came, none went | new_member | 0.9 |
| members went, none came | left_or_expired | 0.8 |
| as many came as went, with the same client ids on the same hosts | restart | 0.7 |
| others came and went; or the group was empty before and is again, so somebody came and went unseen | members_changed | 0.5 |
| nobody, but there are partitions that were not there before | partitions_grew | 0.8 |
| nobody, but a subscription | subscription_changed | 0.8 |
| nothing | leader_rejoined | 0.4 |
| not known: nothing is left of what was before | unknown | 0 |

The journal's words where the log proves the same thing; others where it cannot tell. docs/explain.md lists all causes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from muster.explain.assignments import grown_topics
from muster.explain.facts import Partition

CONFIDENCE: Final = {
    "first_member": 0.9,
    "new_member": 0.9,
    "left_or_expired": 0.8,
    "restart": 0.7,
    "members_changed": 0.5,
    "partitions_grew": 0.8,
    "subscription_changed": 0.8,
    "leader_rejoined": 0.4,
    "unknown": 0.0,
}
"""Every cause that can be inferred, and how sure it is if no generation in between is missing."""


@dataclass(frozen=True, slots=True)
class Participant:
    """One member in one generation."""

    identity: str
    member_id: str
    client_id: str | None
    client_host: str | None
    session_timeout_ms: int | None
    topics: frozenset[str] | None
    """None: not the consumer protocol, or undecodable."""
    assigned: frozenset[Partition]


ARRIVAL_LIMIT_MS: Final = 3_600_000
"""A member that reaches an epoch later than this after it was raised is not part of that rebalance any more."""
FIRST_EPOCHS: Final = (1, 2)
"""Numbers of a group's first epoch on record: 2 since Kafka 4.1, 1 before that or if nothing is subscribed to (spec 5.4)."""
EPOCH_CAUSES: Final = (
    (("nobody",), "partitions_grew", 0.4),
    (("came", "went"), "members_changed", 0.8),
    (("came", "from_empty"), "first_member", 0.8),
    (("came",), "new_member", 0.8),
    (("went",), "left_or_expired", 0.8),
    ((), "metadata_changed", 0.8),
)
"""Of a raised epoch of a consumer group (KIP-848): what has to be so, the cause, the confidence; the first row that fits counts.

`nobody`: no record of a member since the epoch before, so it was the topics. `came`, `went`: members, and a static one that came
back did neither. `from_empty`: nobody was there before.
"""


def inferred_epoch_cause(facts: Mapping[str, bool]) -> str:
    """`facts` has all the names that `EPOCH_CAUSES` asks for."""
    return next(cause for wanted, cause, _ in EPOCH_CAUSES if all(facts[name] for name in wanted))


Members: TypeAlias = Mapping[str, Participant]
"""By identity: group instance id, else member id."""


@dataclass(frozen=True, slots=True)
class Inference:
    cause: str
    trigger: Participant | None = None
    """The one member behind it, if there is exactly one."""
    figures: dict[str, object] = field(default_factory=dict)
    """What grew, or which topics were added to subscriptions and dropped from them."""

    @property
    def confidence(self) -> float:
        return CONFIDENCE[self.cause]


def inferred_cause(before: Members | None, after: Members) -> Inference:
    """`before` is None if it is not known. Before the first generation of a group is nobody, which is known."""
    if before is None:
        return Inference("unknown")
    came = [member for identity, member in after.items() if identity not in before]
    went = [member for identity, member in before.items() if identity not in after]
    if came and went:
        is_restart = _places(came) == _places(went)
        return Inference("restart", _only(came)) if is_restart else Inference("members_changed")
    if came:
        return Inference("new_member" if before else "first_member", _only(came))
    if went:
        return Inference("left_or_expired", _only(went))
    return _same_members(before, after) if after else Inference("members_changed")


def _same_members(before: Members, after: Members) -> Inference:
    grown = grown_topics(_assigned(before), _assigned(after))
    if grown:
        return Inference(
            "partitions_grew", figures={"topics": {topic: list(counts) for topic, counts in grown.items()}}
        )
    changed = [identity for identity in after if _is_other(before[identity].topics, after[identity].topics)]
    if changed:
        old, new = ([each[identity].topics or frozenset() for identity in changed] for each in (before, after))
        added, dropped = _beyond(new, old), _beyond(old, new)
        figures: dict[str, object] = {"added": added, "dropped": dropped}
        return Inference("subscription_changed", _only([after[identity] for identity in changed]), figures)
    return Inference("leader_rejoined")


def _is_other(old: frozenset[str] | None, new: frozenset[str] | None) -> bool:
    return old is not None and new is not None and old != new


def _beyond(some: Sequence[frozenset[str]], others: Sequence[frozenset[str]]) -> list[str]:
    """Topics that a member has in one generation and not in the other."""
    return sorted(frozenset().union(*(mine - its for mine, its in zip(some, others, strict=True))))


def _assigned(members: Members) -> list[Partition]:
    return [partition for member in members.values() for partition in member.assigned]


def _places(members: Sequence[Participant]) -> Counter[tuple[str | None, str | None]]:
    return Counter((member.client_host, member.client_id) for member in members)


def _only(members: Sequence[Participant]) -> Participant | None:
    return members[0] if len(members) == 1 else None
