"""Heartbeat: the hottest request there is, so it makes one outcome, two lists, two tuples, and nothing else (spec 3.11).

Between two rebalances a member's heartbeats are all the same, and so are their answers: `stable_member` and `StableMember`.
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
from muster.core.steady_member import SteadyMember
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


class StableMember(SteadyMember):
    """A member of a Stable group.

    A group leaves Stable when a member comes, goes or joins again, and comes back with another generation. A static member may
    be replaced without that: then the old one is gone.
    """

    __slots__ = ("_generation", "_group", "_member")

    def __init__(self, group: Group, member: Member) -> None:
        super().__init__(member.session_key, member.session_timeout_ms)
        self._group = group
        self._generation = group.generation
        self._member = member

    def holds(self) -> bool:
        group, member = self._group, self._member
        return (
            group.state is STABLE
            and group.generation == self._generation
            and not member.is_gone
            and member.session_timeout_ms == self.session_timeout_ms
        )


def stable_member(groups: dict[str, Group], request: Heartbeat) -> StableMember | None:
    """The member, if its group is Stable and this heartbeat would be answered NONE."""
    group = groups.get(request.group_id)
    if group is None or group.state is not STABLE:
        return None
    member = group.members.get(request.member_id)
    if member is None or _refusal(group, member, request) != errors.NONE:
        return None
    return StableMember(group, member)


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
