"""Requests that may change a group: which decision is asked, that of the classic protocol or that of the consumer protocol.

A group id belongs to one protocol at a time. JoinGroup, SyncGroup and LeaveGroup may come for a consumer group too, because
members of both protocols can be in it. `Shard` calls this with a builder and makes the outcome of it.
"""

from __future__ import annotations

from muster.core.classic.delete import delete_group
from muster.core.classic.join import join_group
from muster.core.classic.leave import leave_group
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.sync import sync_group
from muster.core.consumer.classic_member import join_consumer_group, sync_consumer_group
from muster.core.consumer.fence import erased_group
from muster.core.consumer.heartbeat import consumer_heartbeat
from muster.core.consumer.leave import remove_by_admin
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.contract import Ticket
from muster.core.offsets.view import ShardView
from muster.core.requests import DeleteGroup, JoinGroup, LeaveGroup, Request, SyncGroup


def decide_write(shard: ShardView, request: Request, ticket: Ticket, builder: OutcomeBuilder) -> None:
    match request:
        case ConsumerHeartbeat():
            consumer_heartbeat(shard, request, ticket, builder)
        case JoinGroup():
            _join_classic(shard, request, ticket, builder)
        case SyncGroup():
            consumers = shard.consumer_groups.get(request.group_id)
            if consumers is not None:
                sync_consumer_group(shard, consumers, request, ticket, builder)
            else:
                sync_group(shard.groups, request, ticket, builder)
        case LeaveGroup():
            consumers = shard.consumer_groups.get(request.group_id)
            if consumers is not None:
                remove_by_admin(shard, consumers, request, ticket, builder)
            else:
                leave_group(shard.groups, request, ticket, builder)
        case DeleteGroup():
            delete_group(shard, request, ticket, builder)
        case _:
            raise AssertionError(f"no decision is made about {request!r}")


def _join_classic(shard: ShardView, request: JoinGroup, ticket: Ticket, builder: OutcomeBuilder) -> None:
    """Members of both protocols can be in a consumer group; an Empty one makes place for a classic one (spec 5.6)."""
    consumers = shard.consumer_groups.get(request.group_id)
    if consumers is not None and consumers.members:
        join_consumer_group(shard, consumers, request, ticket, builder)
        return
    replaced = [] if consumers is None else erased_group(consumers)
    join_group(shard.groups, request, ticket, builder, replaced)
