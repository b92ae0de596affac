"""A group as it is when a replay begins, in both protocols: as the records that a coordinator loads, and as the events that a
reader of its journal has to know before those that follow.

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
from muster.whatif.recorded import RecordedMember
from muster.whatif.stretch import GroupSnapshot

# -- classic


def classic_record(
    group: str, snapshot: GroupSnapshot, members: Sequence[RecordedMember], subscriptions: Mapping[str, bytes]
) -> GroupStored:
    """`subscriptions`: by member id what it says about itself in the protocol of `snapshot`."""
    stored = [
        StoredMember(
            member.member_id,
            member.instance,
            member.client,
            member.host,
            member.settings.rebalance_timeout_ms,
            member.settings.session_timeout_ms,
            subscriptions[member.member_id],
            snapshot.assignments[member.member_id],
        )
        for member in members
    ]
    return GroupStored(
        group,
        "consumer",
        snapshot.generation,
        snapshot.protocol,
        snapshot.leader,
        snapshot.at_ms,
        tuple(stored),
    )


def classic_events(group: str, snapshot: GroupSnapshot, members: Sequence[RecordedMember]) -> list[Event]:
    def event(kind: str, cause: str, member: RecordedMember | None = None, **detail: Any) -> Event:
        return _event(group, snapshot, kind, cause, member, detail)

    about: dict[str, Any] = {"leader": snapshot.leader, "protocol": snapshot.protocol, "members": len(members)}
    if not members:
        return [event("rebalance_ended", "nobody_left", result="empty", **about)]
    given = {member_id: b64encode(raw).decode() for member_id, raw in snapshot.assignments.items()}
    return [
        *(event("member_rejoined", "rejoined", member) for member in members),
        event("join_completed", "all_joined", settings=[_settings(member) for member in members], **about),
        event("rebalance_ended", "assignment_stored", result="stable", assignments=given, **about),
    ]


def _settings(member: RecordedMember) -> dict[str, Any]:
    settings = member.settings
    topics = {} if settings.topics is None else {"topics": list(settings.topics)}
    times = {"session_timeout_ms": settings.session_timeout_ms, "rebalance_timeout_ms": settings.rebalance_timeout_ms}
    return {**times, **topics, "protocols": list(settings.protocols), "members": [member.member_id]}


# -- consumer groups


def subscription_of(member: RecordedMember, assignor: str, topics: TopicView) -> Subscription:
    """As its first heartbeat would say it. Somebody of whom no topic is known wants them all."""
    names = tuple(sorted(set(member.settings.topics or topics.names())))
    rebalance_ms = member.settings.rebalance_timeout_ms
    return Subscription(member.instance, None, member.client, member.host, names, "", rebalance_ms, assignor)


def consumer_records(
    group: str,
    snapshot: GroupSnapshot,
    subscriptions: Mapping[str, Subscription],
    targets: Mapping[str, Target],
    topics: TopicView,
) -> Iterator[ConsumerGroupRecord]:
    epoch = snapshot.generation
    yield EpochStored(group, epoch, metadata_hash(subscriptions, {}, topics))
    for member_id, subscription in subscriptions.items():
        yield MemberStored(group, member_id, subscription)
    for member_id, target in targets.items():
        yield TargetStored(group, member_id, target)
    yield TargetEpochStored(group, epoch, snapshot.at_ms)
    for member_id, target in targets.items():
        held = {topic_id: dict.fromkeys(numbers, epoch) for topic_id, numbers in target.items()}
        yield CurrentStored(group, member_id, CurrentAssignment(epoch, epoch, assigned=held))


def consumer_events(
    group: str,
    snapshot: GroupSnapshot,
    members: Sequence[RecordedMember],
    given: Mapping[str, Mapping[str, Sequence[int]]],
    assignor: str,
) -> list[Event]:
    """`given`: by member id its partitions by topic name."""

    def event(kind: str, cause: str, member: RecordedMember | None = None, **detail: Any) -> Event:
        return _event(group, snapshot, kind, cause, member, detail)

    state = "Stable" if members else "Empty"
    return [
        event("epoch_raised", "unknown"),
        event("target_assigned", "epoch_raised", assignor=assignor, members=len(members), given=given, taken={}),
        *(
            event("member_reconciled", "new_target", member, given=given.get(member.member_id, {}))
            for member in members
        ),
        _event(group, snapshot, "state_changed", "all_reconciled", None, {"from": "Reconciling", "to": state}),
    ]


def _event(
    group: str, snapshot: GroupSnapshot, kind: str, cause: str, member: RecordedMember | None, detail: Mapping[str, Any]
) -> Event:
    at_ms, generation = snapshot.at_ms, snapshot.generation
    if member is None:
        return Event(kind, at_ms, group, generation, cause, detail=detail)
    return Event(
        kind,
        at_ms,
        group,
        generation,
        cause,
        member.member_id,
        member.instance,
        member.client,
        member.host,
        None,
        detail,
    )
