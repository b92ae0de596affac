"""A group in the middle of its life, in both protocols: as the records that a coordinator loads, and as the events that a reader of
its journal has to know before those that follow.

Used where a replay does not begin with the group's creation. The events stand for one rebalance, with which everybody got what they
have; whoever counts rebalances leaves it out. Pure.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from muster.core.consumer.records import (
    ConsumerGroupRecord,
    CurrentAssignment,
    CurrentStored,
    EpochStored,
    MemberStored,
    Subscription,
    Target,
    TargetEpochStored,
    TargetStored,
)
from muster.core.consumer.target import metadata_hash
from muster.core.consumer.topics import TopicView
from muster.core.records import GroupStored, StoredMember
from muster.explain.event import Event
from muster.whatif.recorded import Life
from muster.whatif.stretch import Standing

# -- classic


def classic_record(
    group: str, standing: Standing, lives: Sequence[Life], subscriptions: Mapping[str, bytes]
) -> GroupStored:
    """`subscriptions`: by member id what it says about itself in the protocol of `standing`."""
    members = [
        StoredMember(
            life.member_id,
            life.instance,
            life.client,
            life.host,
            life.asks.rebalance_timeout_ms,
            life.asks.session_timeout_ms,
            subscriptions[life.member_id],
            standing.assignments[life.member_id],
        )
        for life in lives
    ]
    return GroupStored(
        group,
        "consumer",
        standing.generation,
        standing.protocol,
        standing.leader,
        standing.at_ms,
        tuple(members),
    )


def classic_events(group: str, standing: Standing, lives: Sequence[Life]) -> list[Event]:
    def event(kind: str, cause: str, life: Life | None = None, **detail: Any) -> Event:
        return _event(group, standing, kind, cause, life, detail)

    about: dict[str, Any] = {"leader": standing.leader, "protocol": standing.protocol, "members": len(lives)}
    if not lives:
        return [event("rebalance_ended", "nobody_left", result="empty", **about)]
    given = {member_id: b64encode(raw).decode() for member_id, raw in standing.assignments.items()}
    return [
        *(event("member_rejoined", "rejoined", life) for life in lives),
        event("join_completed", "all_joined", settings=[_settings(life) for life in lives], **about),
        event("rebalance_ended", "assignment_stored", result="stable", assignments=given, **about),
    ]


def _settings(life: Life) -> dict[str, Any]:
    asks = life.asks
    topics = {} if asks.topics is None else {"topics": list(asks.topics)}
    times = {"session_timeout_ms": asks.session_timeout_ms, "rebalance_timeout_ms": asks.rebalance_timeout_ms}
    return {**times, **topics, "protocols": list(asks.protocols), "members": [life.member_id]}


# -- consumer groups


def subscription_of(life: Life, assignor: str, topics: TopicView) -> Subscription:
    """As its first heartbeat would say it. Somebody of whom no topic is known wants them all."""
    names = tuple(sorted(set(life.asks.topics or topics.names())))
    rebalance_ms = life.asks.rebalance_timeout_ms
    return Subscription(life.instance, None, life.client, life.host, names, "", rebalance_ms, assignor)


def consumer_records(
    group: str,
    standing: Standing,
    subscriptions: Mapping[str, Subscription],
    targets: Mapping[str, Target],
    topics: TopicView,
) -> Iterator[ConsumerGroupRecord]:
    epoch = standing.generation
    yield EpochStored(group, epoch, metadata_hash(subscriptions, {}, topics))
    for member_id, subscription in subscriptions.items():
        yield MemberStored(group, member_id, subscription)
    for member_id, target in targets.items():
        yield TargetStored(group, member_id, target)
    yield TargetEpochStored(group, epoch, standing.at_ms)
    for member_id, target in targets.items():
        held = {topic_id: dict.fromkeys(numbers, epoch) for topic_id, numbers in target.items()}
        yield CurrentStored(group, member_id, CurrentAssignment(epoch, epoch, assigned=held))


def consumer_events(
    group: str,
    standing: Standing,
    lives: Sequence[Life],
    given: Mapping[str, Mapping[str, Sequence[int]]],
    assignor: str,
) -> list[Event]:
    """`given`: by member id its partitions by topic name."""

    def event(kind: str, cause: str, life: Life | None = None, **detail: Any) -> Event:
        return _event(group, standing, kind, cause, life, detail)

    state = "Stable" if lives else "Empty"
    return [
        event("epoch_raised", "unknown"),
        event("target_assigned", "epoch_raised", assignor=assignor, members=len(lives), given=given, taken={}),
        *(event("member_reconciled", "new_target", life, given=given.get(life.member_id, {})) for life in lives),
        _event(group, standing, "state_changed", "all_reconciled", None, {"from": "Reconciling", "to": state}),
    ]


def _event(
    group: str, standing: Standing, kind: str, cause: str, life: Life | None, detail: Mapping[str, Any]
) -> Event:
    at_ms, generation = standing.at_ms, standing.generation
    if life is None:
        return Event(kind, at_ms, group, generation, cause, detail=detail)
    return Event(
        kind, at_ms, group, generation, cause, life.member_id, life.instance, life.client, life.host, None, detail
    )
