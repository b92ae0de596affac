"""Heartbeat: the hottest request there is, so it makes one outcome, two lists, two tuples, and nothing else (spec 3.11)."""

from __future__ import annotations

from typing import Final

from muster.core.classic.group import Group
from muster.core.classic.membership import check_member
from muster.core.classic.states import DEAD, HEARTBEAT_ANSWER, PREPARING_REBALANCE
from muster.core.contract import Outcome, Ticket
from muster.core.replies import HeartbeatReply
from muster.core.requests import Heartbeat
from muster.wire import errors

_ALIVE: Final = HeartbeatReply(errors.NONE)
_REJOIN: Final = HeartbeatReply(HEARTBEAT_ANSWER[PREPARING_REBALANCE])


def heartbeat(groups: dict[str, Group], request: Heartbeat, ticket: Ticket, now_ms: int) -> Outcome:
    group = groups.get(request.group_id)
    if group is None:
        return _refused(ticket, errors.UNKNOWN_MEMBER_ID)
    member = group.members.get(request.member_id)
    if member is None or group.state is DEAD or request.group_instance_id is not None:
        error = _refusal(group, request)
        if error != errors.NONE:
            return _refused(ticket, error)
        assert member is not None
    if request.generation != group.generation:
        return _refused(ticket, errors.ILLEGAL_GENERATION)
    # In CompletingRebalance the member is told NONE: it has joined and its SyncGroup is due (T114).
    return Outcome(
        replies=[(ticket, _REJOIN if group.state is PREPARING_REBALANCE else _ALIVE)],
        timers=[(member.session_key, now_ms + member.session_timeout_ms)],
    )


def _refusal(group: Group, request: Heartbeat) -> int:
    if group.state is DEAD:
        return HEARTBEAT_ANSWER[DEAD]
    return check_member(group, request.member_id, request.group_instance_id)


def _refused(ticket: Ticket, error: int) -> Outcome:
    """Refused heartbeats keep nobody alive."""
    return Outcome(replies=[(ticket, HeartbeatReply(error))])
