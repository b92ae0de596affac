"""ConsumerGroupHeartbeat of a member that joins or stays (spec 7.4): its records, and what it is told.

The records of one heartbeat come in this order: those of a replacement, then types 5, 3, 7, 6, 8. Facts change when they are
durable. The usual heartbeat changes nothing: it costs a few comparisons and moves the session timer.
"""

from __future__ import annotations

import base64

from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.states import EMPTY
from muster.core.consumer.fence import erased_member
from muster.core.consumer.finding import find_member, refuse
from muster.core.consumer.group import NEVER_MS, ConsumerGroup, ConsumerMember
from muster.core.consumer.leave import leave_group
from muster.core.consumer.reconcile import reconcile, without_epochs
from muster.core.consumer.records import (
    CurrentAssignment,
    CurrentStored,
    EpochStored,
    MemberStored,
    RegexErased,
    Subscription,
    Target,
    TargetEpochStored,
    TargetStored,
)
from muster.core.consumer.regex import refresh_soon_if_due
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.states import JOIN_EPOCH, STATIC_LEFT_EPOCH, UNREVOKED
from muster.core.consumer.target import compute_target, metadata_hash
from muster.core.consumer.topics import BadRegex
from muster.core.contract import Ticket
from muster.core.offsets.view import ShardView
from muster.core.records import GroupErased
from muster.wire import errors


def consumer_heartbeat(shard: ShardView, request: ConsumerHeartbeat, ticket: Ticket, builder: OutcomeBuilder) -> None:
    if request.member_epoch < JOIN_EPOCH:
        leave_group(shard, request, ticket, builder)
        return
    group = shard.consumer_groups.get(request.group_id)
    if group is None:
        refused = _why_no_new_group(shard, request)
        if refused is not None:
            builder.reply(ticket, refused)
            return
        group = ConsumerGroup(request.group_id)
    found = find_member(group, request, builder.config.consumer_max_size)
    if not isinstance(found, ConsumerHeartbeatReply):
        found = _bad_regex(shard, group, found, request) or found
    if isinstance(found, ConsumerHeartbeatReply):
        builder.reply(ticket, found)
        return
    builder.reply(ticket, _Update(shard, group, found, request, builder).carry_out())


def _why_no_new_group(shard: ShardView, request: ConsumerHeartbeat) -> ConsumerHeartbeatReply | None:
    """A join may make a group, also out of a classic one that is Empty (spec 7.4 step 1)."""
    classic = shard.groups.get(request.group_id)
    if request.member_epoch != JOIN_EPOCH and classic is None:
        return refuse(errors.GROUP_ID_NOT_FOUND, f"Consumer group {request.group_id} not found.")
    if classic is not None and (request.member_epoch != JOIN_EPOCH or classic.state is not EMPTY):
        return refuse(errors.GROUP_ID_NOT_FOUND, f"Group {request.group_id} is not a consumer group.")
    return None


def _bad_regex(
    shard: ShardView, group: ConsumerGroup, member: ConsumerMember | None, request: ConsumerHeartbeat
) -> ConsumerHeartbeatReply | None:
    """The last of the checks. One that a member of the group has already is known to be good."""
    regex = request.topic_regex
    if not regex or (member is not None and member.subscription.topic_regex == regex) or group.regex_users(regex):
        return None
    try:
        shard.topics.matcher(regex)
    except BadRegex as error:
        return refuse(errors.INVALID_REGULAR_EXPRESSION, str(error))
    return None


class _Update:
    """One accepted heartbeat. Gathers the records; `group` stays as it is."""

    __slots__ = ("_before", "_builder", "_group", "_is_new", "_member_id", "_replaced", "_request", "_shard", "_target")

    def __init__(
        self,
        shard: ShardView,
        group: ConsumerGroup,
        member: ConsumerMember | None,
        request: ConsumerHeartbeat,
        builder: OutcomeBuilder,
    ) -> None:
        self._shard = shard
        self._group = group
        self._request = request
        self._builder = builder
        self._is_new = member is None
        returns = member is not None and member.current.epoch == STATIC_LEFT_EPOCH and request.instance_id is not None
        self._replaced = member.member_id if member is not None and returns else None
        """A static member that has left for a while: this one takes its place."""
        self._member_id = request.member_id or _new_member_id(builder)
        self._before = member
        self._target: Target = {} if member is None else group.targets.get(member.member_id, {})

    def carry_out(self) -> ConsumerHeartbeatReply:
        group, request, builder = self._group, self._request, self._builder
        if request.group_id in self._shard.groups and request.group_id not in self._shard.consumer_groups:
            builder.records.append(GroupErased(request.group_id))
        before = self._before
        old = Subscription() if before is None else before.subscription
        current = CurrentAssignment() if before is None else before.current
        if self._replaced is not None:
            current = CurrentAssignment(JOIN_EPOCH, JOIN_EPOCH, current.state, current.assigned, current.revoking)
            self._replace(old, current)
        subscription = _updated(old, request)
        has_other_topics = self._subscribe(old, subscription)
        epoch = self._bump_epoch(subscription, has_other_topics)
        target_epoch = self._assign(subscription, epoch)
        following = reconcile(current, self._target, target_epoch, request.owned, group.owners)
        if following is None:
            builder.records.clear()
            return refuse(
                errors.FENCED_MEMBER_EPOCH,
                "The member must abandon all its partitions and rejoin: its state is unknown.",
            )
        if following is not current:
            builder.records.append(CurrentStored(group.group_id, self._member_id, following))
        self._set_timers(current, following, subscription)
        refresh_soon_if_due(self._shard, group, subscription, request, builder)
        shown = request.member_epoch == JOIN_EPOCH or following.assigned != current.assigned or request.is_full
        return ConsumerHeartbeatReply(
            errors.NONE,
            None,
            self._member_id,
            following.epoch,
            builder.config.consumer_heartbeat_interval_ms,
            without_epochs(following.assigned) if shown else None,
        )

    def _replace(self, subscription: Subscription, current: CurrentAssignment) -> None:
        """The new id gets what the old one had, without a new epoch of the group (T225)."""
        assert self._replaced is not None
        records, group_id = self._builder.records, self._group.group_id
        records.extend(erased_member(group_id, self._replaced))
        records.append(MemberStored(group_id, self._member_id, subscription))
        records.append(TargetStored(group_id, self._member_id, self._target))
        records.append(CurrentStored(group_id, self._member_id, current))
        if self._replaced != self._member_id:
            self._builder.cancel_timer(("session", group_id, self._replaced))

    def _subscribe(self, old: Subscription, subscription: Subscription) -> bool:
        """Whether the group needs a new epoch for it. What an expression matches that was never looked at is not known yet."""
        records, group = self._builder.records, self._group
        if self._is_new or subscription is not old:
            records.append(MemberStored(group.group_id, self._member_id, subscription))
        regex = subscription.topic_regex
        has_other_regex = regex != old.topic_regex
        if has_other_regex and old.topic_regex and group.regex_users(old.topic_regex) == 1:
            records.append(RegexErased(group.group_id, old.topic_regex))
        return subscription.topic_names != old.topic_names or (
            has_other_regex and (not regex or regex in group.resolved)
        )

    def _bump_epoch(self, subscription: Subscription, is_called_for: bool) -> int:
        """The group epoch after this heartbeat: a higher one if subscriptions or the topics themselves have changed."""
        group, topics = self._group, self._shard.topics
        version = topics.version()
        if not is_called_for and group.topics_version == version:
            return group.epoch
        digest = metadata_hash(self._subscriptions(subscription), group.resolved, topics)
        if not is_called_for and digest == group.metadata_hash:
            group.topics_version = version
            return group.epoch
        epoch = group.epoch + 1
        self._builder.records.append(EpochStored(group.group_id, epoch, digest))
        return epoch

    def _assign(self, subscription: Subscription, epoch: int) -> int:
        """The target epoch after this heartbeat. A new target is not computed again at once, but with a later heartbeat."""
        group, builder = self._group, self._builder
        if epoch <= group.target_epoch:
            return group.target_epoch
        interval_ms = builder.config.consumer_assignment_interval_ms
        if group.target_ms != NEVER_MS and builder.now_ms - group.target_ms < interval_ms:
            return group.target_epoch
        targets = group.targets
        if self._replaced is not None:
            targets = {**targets, self._member_id: self._target}
        subscriptions = self._subscriptions(subscription)
        assignors = builder.config.consumer_assignors
        computed = compute_target(subscriptions, group.resolved, targets, assignors, self._shard.topics)
        for member_id, partitions in computed.items():
            if targets.get(member_id) != partitions:
                builder.records.append(TargetStored(group.group_id, member_id, partitions))
        builder.records.append(TargetEpochStored(group.group_id, epoch, builder.now_ms))
        self._target = computed[self._member_id]
        return epoch

    def _subscriptions(self, own: Subscription) -> dict[str, Subscription]:
        """Of all members, with this one's as it is from now on."""
        found = {
            member_id: member.subscription
            for member_id, member in self._group.members.items()
            if member_id != self._replaced
        }
        found[self._member_id] = own
        return found

    def _set_timers(self, current: CurrentAssignment, following: CurrentAssignment, own: Subscription) -> None:
        builder, group = self._builder, self._group
        session_key = ("session", group.group_id, self._member_id)
        builder.set_timer(session_key, builder.now_ms + builder.config.consumer_session_timeout_ms)
        if following is current:
            return
        if following.state is UNREVOKED:
            deadline_ms = builder.now_ms + own.rebalance_timeout_ms
            builder.set_timer(group.revoke_key(self._member_id), deadline_ms)
        elif current.state is UNREVOKED:
            builder.cancel_timer(group.revoke_key(self._member_id))


def _updated(old: Subscription, request: ConsumerHeartbeat) -> Subscription:
    """With the fields that the request has; the same object if they change nothing (spec 7.4 step 6)."""
    if (
        request.topic_names is None
        and request.topic_regex is None
        and request.rebalance_timeout_ms == -1
        and request.server_assignor is None
        and request.instance_id == old.instance_id
        and request.rack_id is None
        and request.client_id == old.client_id
        and request.client_host == old.client_host
        and old.classic is None
    ):
        return old
    updated = Subscription(
        old.instance_id if request.instance_id is None else request.instance_id,
        old.rack_id if request.rack_id is None else request.rack_id,
        request.client_id,
        request.client_host,
        old.topic_names if request.topic_names is None else tuple(sorted(set(request.topic_names))),
        old.topic_regex if request.topic_regex is None else request.topic_regex,
        old.rebalance_timeout_ms if request.rebalance_timeout_ms == -1 else request.rebalance_timeout_ms,
        old.server_assignor if request.server_assignor is None else request.server_assignor,
    )
    return old if updated == old else updated


def _new_member_id(builder: OutcomeBuilder) -> str:
    """For clients of version 0: a UUID as Kafka writes them, 22 characters."""
    octets = bytes.fromhex(builder.new_id().replace("-", ""))
    return base64.urlsafe_b64encode(octets).decode().rstrip("=")
