"""Why a group rebalanced, in the light of what came before and what followed. Pure.

The coordinator knows that the leader asked for a round; the assignment after it shows that a topic had grown. Causes that need no
second look pass through in the journal's own words. Where there is no journal, `causes` infers.

| cause | seen by |
|---|---|
| first_member | new_member in an empty group: journals of 0.2 and before |
| member_returned | first_member or new_member with the instance id, or client id and host, of one that went before |
| poll_timeout | member_left, and the client says that its poll timeout expired |
| partitions_grew | the leader or a member asked; afterwards a topic has more partitions |
| cooperative_round | they asked; the round before had left partitions to hand out (KIP-429) |
| subscription_changed | they asked; afterwards a member subscribes to other topics |
| topics_changed | a subscribed topic came or went; partitions_grew if it is known and has more partitions afterwards |
| new_assignor | a member joined again and the group speaks another assignor afterwards |
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from muster.explain.assignments import grown_topics
from muster.explain.facts import Asked, Partition, Rebalance, Return, Why

POLL_TIMEOUT_WORDS: Final = ("poll timeout", "max.poll.interval")
"""What Java's consumer says when it leaves because the application did not poll (KIP-800)."""

_ASKED: Final = ("leader_rejoined", "metadata_changed")


@dataclass(slots=True)
class Circumstances:
    returned: Return | None = None
    """The trigger's return, if it is one."""
    before: dict[Partition, str] | None = None
    after: dict[Partition, str] | None = None
    left_over: frozenset[Partition] = frozenset()
    """What the cooperative round before took from its owners and gave to nobody."""
    asked_before: tuple[Asked, ...] = ()
    protocol_before: str | None = None
    figures: dict[str, object] = field(default_factory=dict)


def diagnose(rebalance: Rebalance, seen: Circumstances) -> Why:
    first = rebalance.rounds[0]
    cause, figures = _refined(rebalance, first.cause, first.reason, seen)
    return Why(cause, first.trigger, first.reason, figures)


def _refined(
    rebalance: Rebalance, cause: str, reason: str | None, seen: Circumstances
) -> tuple[str, dict[str, object]]:
    if cause in ("first_member", "new_member"):
        return _newcomer(rebalance, cause, seen)
    if cause == "member_left" and _is_poll_timeout(reason):
        return "poll_timeout", {}
    if cause in ("session_expired", "sync_missed", "revocation_missed"):
        return _expelled(rebalance, cause)
    if cause == "topics_changed" and seen.before is not None and seen.after is not None:
        return _other_topics(seen.before, seen.after)
    if cause in ("subscription_changed", "regex_resolved"):
        return cause, seen.figures
    if cause in _ASKED:
        return _asked(rebalance, cause, seen)
    return cause, {}


def _newcomer(rebalance: Rebalance, cause: str, seen: Circumstances) -> tuple[str, dict[str, object]]:
    if seen.returned is not None:
        gone = seen.returned.departure
        return "member_returned", {"away_ms": seen.returned.away_ms, "went_because": gone.cause}
    return ("first_member" if rebalance.from_empty else cause), {}


def _expelled(rebalance: Rebalance, cause: str) -> tuple[str, dict[str, object]]:
    trigger = rebalance.rounds[0].trigger
    for gone in rebalance.departures:
        if trigger is not None and gone.who.member_id == trigger.member_id:
            is_slow = cause in ("sync_missed", "revocation_missed")
            timeout_ms = gone.rebalance_timeout_ms if is_slow else gone.session_timeout_ms
            name = "rebalance_timeout_ms" if is_slow else "session_timeout_ms"
            return gone.cause, {} if timeout_ms is None else {name: timeout_ms}
    return cause, {}


def _asked(rebalance: Rebalance, cause: str, seen: Circumstances) -> tuple[str, dict[str, object]]:
    if seen.before is not None and seen.after is not None:
        grown = grown_topics(seen.before, seen.after)
        if grown:
            return "partitions_grew", {"topics": {topic: list(counts) for topic, counts in grown.items()}}
    if seen.left_over:
        return "cooperative_round", {"partitions": len(seen.left_over)}
    if seen.protocol_before is not None and rebalance.protocol not in (None, seen.protocol_before):
        return "new_assignor", {"before": seen.protocol_before, "after": rebalance.protocol}
    changed = _changed_subscription(rebalance, seen.asked_before)
    return ("subscription_changed", changed) if changed else (cause, {})


def _other_topics(before: dict[Partition, str], after: dict[Partition, str]) -> tuple[str, dict[str, object]]:
    """A consumer group sees that its topics have changed; its target shows what about them."""
    grown = grown_topics(before, after)
    if grown:
        return "partitions_grew", {"topics": {topic: list(counts) for topic, counts in grown.items()}}
    old, new = ({topic for topic, _ in each} for each in (before, after))
    return "topics_changed", {"added": sorted(new - old), "dropped": sorted(old - new)}


def _changed_subscription(rebalance: Rebalance, asked_before: tuple[Asked, ...]) -> dict[str, object]:
    trigger = rebalance.rounds[0].trigger
    if trigger is None:
        return {}
    before, after = (_topics_of(trigger.member_id, asked) for asked in (asked_before, rebalance.asked))
    if before is None or after is None or before == after:
        return {}
    return {"added": sorted(after - before), "dropped": sorted(before - after)}


def _topics_of(member_id: str, asked: tuple[Asked, ...]) -> set[str] | None:
    for each in asked:
        if any(who.member_id == member_id for who in each.members):
            return None if each.topics is None else set(each.topics)
    return None


def _is_poll_timeout(reason: str | None) -> bool:
    return reason is not None and any(words in reason for words in POLL_TIMEOUT_WORDS)
