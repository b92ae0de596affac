"""Journal events of consumer groups: members that come and go, epochs and targets that follow, partitions not yet given up.

A decision collects its events in `builder.notes`. They are written when its records are durable (`TellJournal`), because a change
that was never stored did not happen. A heartbeat that writes no record collects no event and calls nothing here.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.consumer.group import NEVER_MS, ConsumerGroup, ConsumerMember
from muster.core.consumer.group_times import ConsumerTimes
from muster.core.consumer.records import CurrentAssignment, HeldPartitions, Subscription, Target
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.states import JOIN_EPOCH, UNRELEASED, UNREVOKED, ConsumerGroupState
from muster.core.consumer.topics import TopicView
from muster.core.journal import Cause, JournalEvent, Kind
from muster.wire import errors

Detail: TypeAlias = dict[str, object]

FENCED_AGAIN_MS: Final = 60_000
FENCED_KEPT: Final = 20
"""The most members of a group for which a `member_fenced` event is written within that time."""
_FENCED: Final[dict[int, Cause]] = {
    errors.FENCED_MEMBER_EPOCH: "wrong_epoch",
    errors.FENCED_INSTANCE_ID: "instance_taken",
    errors.UNRELEASED_INSTANCE_ID: "instance_taken",
}


def note(
    builder: OutcomeBuilder,
    group: ConsumerGroup,
    kind: Kind,
    cause: Cause,
    member_id: str | None = None,
    own: Subscription | None = None,
    detail: Detail | None = None,
    epoch: int = 0,
) -> None:
    """Collect one event. `epoch`: the group epoch after this decision, if the decision changes it."""
    event = JournalEvent(kind, builder.now_ms, group.group_id, epoch or group.epoch, cause, member_id, detail=detail)
    if own is not None:
        event.instance_id = own.instance_id
        event.client_id = own.client_id
        event.client_host = own.client_host
    builder.notes.append(event)


def by_name(partitions: Mapping[bytes, Iterable[int]], topics: TopicView) -> dict[str, list[int]]:
    """Partitions by topic name. A topic that no longer exists is named by its id, written as Kafka writes ids."""
    named: dict[str, list[int]] = {}
    for topic_id, numbers in partitions.items():
        name = topics.name_of(topic_id)
        if name is None:
            name = base64.urlsafe_b64encode(topic_id).decode().rstrip("=")
        named[name] = sorted(numbers)
    return named


# -- members


def note_departure(
    builder: OutcomeBuilder, group: ConsumerGroup, member: ConsumerMember, cause: Cause, topics: TopicView
) -> None:
    """A member has left or was expelled. The event has its partitions; for an expelled member also its timeouts, and the partitions
    that it did not give up in time."""
    own, current = member.subscription, member.current
    detail: Detail = {"partitions": by_name(_held(current), topics)}
    if cause == "member_left":
        note(builder, group, "member_left", cause, member.member_id, own, detail)
        return
    is_classic = own.classic is not None
    detail["session_timeout_ms"] = (
        own.classic.session_timeout_ms if own.classic is not None else builder.config.consumer_session_timeout_ms
    )
    detail["rebalance_timeout_ms"] = own.rebalance_timeout_ms
    if current.state is UNREVOKED and not is_classic:
        detail["revoking"] = by_name(current.revoking, topics)
        detail["waited_ms"] = builder.now_ms - group.revoking_since.get(member.member_id, builder.now_ms)
    note(builder, group, "member_expelled", cause, member.member_id, own, detail)


def _held(current: CurrentAssignment) -> dict[bytes, list[int]]:
    held: dict[bytes, list[int]] = {}
    for side in (current.assigned, current.revoking):
        for topic_id, partitions in side.items():
            held.setdefault(topic_id, []).extend(partitions)
    return held


def note_fenced(builder: OutcomeBuilder, group: ConsumerGroup, request: ConsumerHeartbeat, error: int) -> None:
    """A heartbeat was refused as fenced. Written at once, because nothing is stored for it; once a minute for each member at most,
    and for few members, because anybody can make up member ids."""
    cause = _FENCED.get(error)
    if cause is None:
        return
    now_ms, noted = builder.now_ms, group.fenced_ms
    if now_ms - noted.get(request.member_id, NEVER_MS - FENCED_AGAIN_MS) < FENCED_AGAIN_MS:
        return
    if len(noted) >= FENCED_KEPT:
        oldest = next(iter(noted))
        if now_ms - noted[oldest] < FENCED_AGAIN_MS:
            return
        del noted[oldest]
    noted.pop(request.member_id, None)
    noted[request.member_id] = now_ms
    detail: Detail = {"epoch": request.member_epoch, "error": errors.name_of(error)}
    builder.journal.append(
        JournalEvent(
            "member_fenced",
            now_ms,
            group.group_id,
            group.epoch,
            cause,
            request.member_id,
            request.instance_id,
            request.client_id,
            request.client_host,
            None,
            detail,
        )
    )


# -- epochs and targets


def note_epoch(
    builder: OutcomeBuilder,
    group: ConsumerGroup,
    epoch: int,
    cause: Cause,
    member_id: str | None = None,
    own: Subscription | None = None,
    detail: Detail | None = None,
) -> None:
    note(builder, group, "epoch_raised", cause, member_id, own, detail, epoch)


def changed_topics(before: Iterable[str], after: Iterable[str]) -> Detail:
    old, new = frozenset(before), frozenset(after)
    return {"added": sorted(new - old), "dropped": sorted(old - new)}


def note_arrival(
    builder: OutcomeBuilder, group: ConsumerGroup, member_id: str, own: Subscription, replaced: str | None
) -> None:
    """A member is new, or came in the place of `replaced`: what it asks for, so that a reader knows it from then on."""
    asks: Detail = {"topics": sorted(own.topic_names), "rebalance_timeout_ms": own.rebalance_timeout_ms}
    if own.topic_regex:
        asks["regex"] = own.topic_regex
    if replaced is None:
        detail: Detail = {"static": own.instance_id is not None, **asks}
        note(builder, group, "member_joined", "new_member", member_id, own, detail)
    else:
        detail = {"old_member_id": replaced, **asks}
        note(builder, group, "static_replaced", "static_member_returned", member_id, own, detail)


def note_target(
    builder: OutcomeBuilder,
    group: ConsumerGroup,
    epoch: int,
    assignor: str,
    times: ConsumerTimes,
    member_id: str,
    own: Subscription,
    before: Mapping[str, Target],
    after: Mapping[str, Target],
    topics: TopicView,
) -> None:
    """A new target: which member gets and which gives up which partitions. Members whose target stays the same are left out.

    `member_id`: whose heartbeat it was made with. `times`: what the group is set to, which no other event says.
    """
    given: dict[str, object] = {}
    taken: dict[str, object] = {}
    for other_id, target in after.items():
        old = before.get(other_id, {})
        if old is target or old == target:
            continue
        more, less = _beyond(target, old), _beyond(old, target)
        if more:
            given[other_id] = by_name(more, topics)
        if less:
            taken[other_id] = by_name(less, topics)
    detail: Detail = {
        "assignor": assignor,
        "members": len(after),
        "given": given,
        "taken": taken,
        "session_timeout_ms": times.session_timeout_ms,
        "heartbeat_interval_ms": times.heartbeat_interval_ms,
        "assignment_interval_ms": times.assignment_interval_ms,
    }
    note(builder, group, "target_assigned", "epoch_raised", member_id, own, detail, epoch)


def _beyond(some: Target, others: Target) -> dict[bytes, list[int]]:
    found: dict[bytes, list[int]] = {}
    for topic_id, partitions in some.items():
        known = frozenset(others.get(topic_id, ()))
        more = [partition for partition in partitions if partition not in known]
        if more:
            found[topic_id] = more
    return found


# -- steps of one member towards its target


def note_progress(
    builder: OutcomeBuilder,
    group: ConsumerGroup,
    member_id: str,
    own: Subscription,
    before: CurrentAssignment,
    after: CurrentAssignment,
    target: Target,
    target_ms: int,
    epoch: int,
    topics: TopicView,
) -> None:
    """A member has taken one step. There is no event if it only reached the next epoch and its partitions stay the same."""
    now_ms = builder.now_ms
    detail: Detail
    is_same = before.state is UNREVOKED and after.state is UNREVOKED and before.revoking == after.revoking
    if before.state is UNREVOKED and not is_same:
        since_ms = group.revoking_since.pop(member_id, now_ms)
        detail = {"partitions": by_name(before.revoking, topics), "waited_ms": now_ms - since_ms}
        note(builder, group, "revocation_completed", "given_up", member_id, own, detail, epoch)
    if after.state is UNREVOKED:
        if not is_same:
            group.revoking_since[member_id] = now_ms
            detail = {"partitions": by_name(after.revoking, topics), "rebalance_timeout_ms": own.rebalance_timeout_ms}
            note(builder, group, "revocation_started", "new_target", member_id, own, detail, epoch)
        return
    given = by_name(_newly_held(before.assigned, after.assigned), topics)
    if after.state is UNRELEASED:
        awaited, held_by = _awaited(group, after.assigned, target, topics)
        detail = {"partitions": awaited, "held_by": held_by, "given": given}
        note(builder, group, "partitions_awaited", "not_given_up", member_id, own, detail, epoch)
        return
    if given or before.state is not after.state or before.epoch == JOIN_EPOCH:
        took_ms = 0 if target_ms == NEVER_MS else now_ms - target_ms
        detail = {"member_epoch": after.epoch, "given": given, "took_ms": max(took_ms, 0)}
        note(builder, group, "member_reconciled", "new_target", member_id, own, detail, epoch)


def _newly_held(before: HeldPartitions, after: HeldPartitions) -> dict[bytes, list[int]]:
    found: dict[bytes, list[int]] = {}
    for topic_id, partitions in after.items():
        had = before.get(topic_id, {})
        new = [partition for partition in partitions if partition not in had]
        if new:
            found[topic_id] = new
    return found


def _awaited(
    group: ConsumerGroup, assigned: HeldPartitions, target: Target, topics: TopicView
) -> tuple[dict[str, list[int]], dict[str, object]]:
    """Partitions of the target that other members still own: by topic, and by the member that owns them."""
    missing: dict[bytes, list[int]] = {}
    holders: dict[str, dict[bytes, list[int]]] = {}
    for topic_id, partitions in target.items():
        held, owners = assigned.get(topic_id, {}), group.owners.get(topic_id, {})
        for partition in partitions:
            owner = owners.get(partition)
            if partition not in held and owner is not None:
                missing.setdefault(topic_id, []).append(partition)
                holders.setdefault(owner, {}).setdefault(topic_id, []).append(partition)
    return by_name(missing, topics), {owner: by_name(each, topics) for owner, each in holders.items()}


# -- states


def state_changes(
    group: ConsumerGroup, at_ms: int, events: Iterable[JournalEvent], member_id: str | None
) -> list[JournalEvent]:
    """The changes of state that durable records have made. `member_id`: the member that sent the request.

    If one request takes a group out of Stable and back, that is two events, so that a reader sees the end of every raised epoch.
    """
    now = group.state()
    before = group.journaled_state
    was = ConsumerGroupState.EMPTY.value if before is None else before.value
    cause: Cause = "new_target"
    is_raised = False
    for event in events:
        if event.kind == "group_upgraded":
            was = str(event.detail["from"])
        elif event.kind == "static_left":
            cause = event.cause
        elif event.kind == "epoch_raised":
            cause = event.cause
            is_raised = True
    group.journaled_state = now
    is_stable = now is ConsumerGroupState.STABLE
    if was != now.value:
        if now is ConsumerGroupState.EMPTY:
            cause = "nobody_left"
        elif is_stable:
            cause = "all_reconciled"
        return [_move(group, at_ms, cause, was, now, member_id)]
    if not is_raised or not is_stable:
        return []
    between = _move(group, at_ms, cause, was, ConsumerGroupState.RECONCILING, member_id)
    return [between, _move(group, at_ms, "all_reconciled", ConsumerGroupState.RECONCILING.value, now, member_id)]


def _move(
    group: ConsumerGroup, at_ms: int, cause: Cause, was: str, now: ConsumerGroupState, member_id: str | None
) -> JournalEvent:
    detail: Detail = {"from": was, "to": now.value}
    event = JournalEvent("state_changed", at_ms, group.group_id, group.epoch, cause, detail=detail)
    member = group.members.get(member_id) if member_id is not None else None
    if member is not None:
        event.member_id = member.member_id
        event.instance_id = member.subscription.instance_id
        event.client_id = member.subscription.client_id
        event.client_host = member.subscription.client_host
    return event
