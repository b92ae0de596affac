"""Heartbeat: the hottest request there is, so it makes one outcome, two lists, two tuples, and nothing else (spec 3.11).

Between two rebalances a member's heartbeats are all the same, and so are their answers. `stable_member` and `is_still_stable` say
since when and how long; the runtime's `SessionToken` asks them.
"""

from __future__ import annotations

from typing import Final

from muster.core.classic.group import Group
from muster.core.classic.member import Member
from muster.core.classic.membership import check_member
from muster.core.classic.states import DEAD, HEARTBEAT_ANSWER, PREPARING_REBALANCE, STABLE
from muster.core.consumer.classic_member import heartbeat_in_consumer_group
from muster.core.consumer.group import ConsumerGroup
from muster.core.contract import Outcome, Ticket
from muster.core.replies import HeartbeatReply
from muster.core.requests import Heartbeat
from muster.wire import errors

_ALIVE: Final = HeartbeatReply(errors.NONE)
_REJOIN: Final = HeartbeatReply(HEARTBEAT_ANSWER[PREPARING_REBALANCE])


def heartbeat(
    groups: dict[str, Group],
    request: Heartbeat,
    ticket: Ticket,
    now_ms: int,
    consumer_groups: dict[str, ConsumerGroup] | None = None,
) -> Outcome:
    """`consumer_groups` may have classic members too."""
    group = groups.get(request.group_id)
    if group is None:
        consumers = None if consumer_groups is None else consumer_groups.get(request.group_id)
        if consumers is not None:
            return heartbeat_in_consumer_group(consumers, request, ticket, now_ms)
        return _refused(ticket, errors.UNKNOWN_MEMBER_ID)
    member = group.members.get(request.member_id)
    error = _refusal(group, member, request)
    if error != errors.NONE:
        return _refused(ticket, error)
    assert member is not None
    # In CompletingRebalance the member is told NONE: it has joined and its SyncGroup is due (T114).
    return Outcome(
        replies=[(ticket, _REJOIN if group.state is PREPARING_REBALANCE else _ALIVE)],
        timers=[(member.session_key, now_ms + member.session_timeout_ms)],
    )


def stable_member(group: Group, request: Heartbeat) -> Member | None:
    """The member, if the group is Stable and its heartbeat would be answered NONE.

    As long as `is_still_stable`, the same heartbeat again is answered NONE and gives the session timer a new deadline, and does
    nothing else.
    """
    member = group.members.get(request.member_id)
    if group.state is not STABLE or _refusal(group, member, request) != errors.NONE:
        return None
    return member


def is_still_stable(group: Group, generation: int, member: Member) -> bool:
    """A group leaves Stable when somebody comes, goes or joins again, and comes back with another generation. A static
    member may be replaced without that, and then the one it was is gone."""
    return group.state is STABLE and group.generation == generation and not member.is_gone


def _refusal(group: Group, member: Member | None, request: Heartbeat) -> int:
    if member is None or group.state is DEAD or request.group_instance_id is not None:
        error = (
            HEARTBEAT_ANSWER[DEAD]
            if group.state is DEAD
            else check_member(group, request.member_id, request.group_instance_id)
        )
        if error != errors.NONE:
            return error
    return errors.NONE if request.generation == group.generation else errors.ILLEGAL_GENERATION


def _refused(ticket: Ticket, error: int) -> Outcome:
    """Refused heartbeats keep nobody alive."""
    return Outcome(replies=[(ticket, HeartbeatReply(error))])
