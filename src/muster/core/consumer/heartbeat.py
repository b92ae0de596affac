"""ConsumerGroupHeartbeat of a member that joins or stays (spec 7.4): its records, and what it is told.

The records of one heartbeat come in this order: those of a replacement, then types 5, 3, 7, 6, 8. Facts change when they are
durable. The usual heartbeat changes nothing: it costs a few comparisons and moves the session timer.
"""

from __future__ import annotations

import base64

from muster.core.classic.group import Group
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.states import EMPTY
from muster.core.consumer.finding import find_member, refuse
from muster.core.consumer.group import ConsumerGroup, ConsumerMember
from muster.core.consumer.leave import leave_group
from muster.core.consumer.notes import note_fenced
from muster.core.consumer.reconcile import without_epochs
from muster.core.consumer.records import Subscription
from muster.core.consumer.regex import refresh_soon_if_due
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.states import JOIN_EPOCH, STATIC_LEFT_EPOCH
from muster.core.consumer.topics import BadRegex
from muster.core.consumer.update import MemberUpdate
from muster.core.consumer.upgrade import Upgrade, note_new_group
from muster.core.contract import Ticket
from muster.core.offsets.view import ShardView
from muster.core.records import GroupErased
from muster.wire import errors


def consumer_heartbeat(shard: ShardView, request: ConsumerHeartbeat, ticket: Ticket, builder: OutcomeBuilder) -> None:
    if request.member_epoch < JOIN_EPOCH:
        leave_group(shard, request, ticket, builder)
        return
    upgrade: Upgrade | str | None = None
    group = shard.consumer_groups.get(request.group_id)
    if group is None:
        classic = shard.groups.get(request.group_id)
        upgrade = _upgrade(shard, classic, request, builder)
        refused = _why_no_new_group(classic, upgrade, request)
        if refused is not None:
            builder.reply(ticket, refused)
            return
        group = upgrade.group if isinstance(upgrade, Upgrade) else ConsumerGroup(request.group_id)
        if upgrade is None and classic is not None:
            builder.records.append(GroupErased(request.group_id))
    found = find_member(group, request, builder.config.consumer_max_size)
    if not isinstance(found, ConsumerHeartbeatReply):
        found = _bad_regex(shard, group, found, request) or found
    if isinstance(found, ConsumerHeartbeatReply):
        builder.records.clear()
        note_fenced(builder, group, request, found.error)
        builder.reply(ticket, found)
        return
    if isinstance(upgrade, Upgrade):
        upgrade.carry_out(builder)
    elif group.group_id not in shard.consumer_groups:
        note_new_group(builder, group, shard.groups.get(group.group_id))
    builder.reply(ticket, _accept(shard, group, found, request, builder))


def _upgrade(
    shard: ShardView, classic: Group | None, request: ConsumerHeartbeat, builder: OutcomeBuilder
) -> Upgrade | str | None:
    """What becomes of a classic group with members, or why it may not become a consumer group (spec 7.8). None: there is none."""
    if classic is None or classic.state is EMPTY or request.member_epoch != JOIN_EPOCH:
        return None
    return Upgrade.of(shard, classic, builder)


def _why_no_new_group(
    classic: Group | None, upgrade: Upgrade | str | None, request: ConsumerHeartbeat
) -> ConsumerHeartbeatReply | None:
    """A join may make a group, also out of a classic one (spec 7.4 step 1)."""
    if request.member_epoch != JOIN_EPOCH and classic is None:
        return refuse(errors.GROUP_ID_NOT_FOUND, f"Consumer group {request.group_id} not found.")
    if isinstance(upgrade, str):
        return refuse(errors.GROUP_ID_NOT_FOUND, upgrade)
    if classic is not None and request.member_epoch != JOIN_EPOCH:
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


def _accept(
    shard: ShardView,
    group: ConsumerGroup,
    member: ConsumerMember | None,
    request: ConsumerHeartbeat,
    builder: OutcomeBuilder,
) -> ConsumerHeartbeatReply:
    member_id = request.member_id or new_member_id(builder)
    update = MemberUpdate(shard, group, member, member_id, builder, is_replaced=_is_replaced(member, request))
    subscription = updated_subscription(Subscription() if member is None else member.subscription, request)
    following = update.carry_out(subscription, request.owned)
    if following is None:
        message = "The member must abandon all its partitions and rejoin: its state is unknown."
        return refuse(errors.FENCED_MEMBER_EPOCH, message)
    refresh_soon_if_due(shard, group, subscription, request, builder)
    shown = request.member_epoch == JOIN_EPOCH or following.assigned != update.current.assigned or request.is_full
    return ConsumerHeartbeatReply(
        errors.NONE,
        None,
        member_id,
        following.epoch,
        shard.times.of(group.group_id).heartbeat_interval_ms,
        without_epochs(following.assigned) if shown else None,
    )


def _is_replaced(member: ConsumerMember | None, request: ConsumerHeartbeat) -> bool:
    """A static member that has left for a while, or that spoke the classic protocol: this one takes its place."""
    if member is None or request.instance_id is None:
        return False
    is_classic = member.subscription.classic is not None and member.member_id != request.member_id
    return is_classic or member.current.epoch == STATIC_LEFT_EPOCH


def updated_subscription(old: Subscription, request: ConsumerHeartbeat) -> Subscription:
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


def new_member_id(builder: OutcomeBuilder) -> str:
    """For clients that bring none: a UUID as Kafka writes them, 22 characters."""
    octets = bytes.fromhex(builder.new_id().replace("-", ""))
    return base64.urlsafe_b64encode(octets).decode().rstrip("=")
