"""Applications that did not poll for a while, and what another `max.poll.interval.ms` makes of that. Pure.

A journal shows such a pause where it had consequences: the member left and said that its poll timeout had expired (Java's clients
say so, KIP-800; others give no reason, and that looks like a restart), or it missed a join phase and was expelled. In both cases it
comes back when it polls again. How long it takes to join again in a join phase shows it too; the core itself decides who is late.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from muster.explain.diagnosis import POLL_TIMEOUT_WORDS
from muster.whatif.processes import returns
from muster.whatif.recorded import RecordedMember, Rejoin


def with_max_poll(
    recorded: Sequence[RecordedMember], members: Sequence[RecordedMember], max_poll_ms: int
) -> list[RecordedMember]:
    """`members` under this interval: who left for its pause leaves sooner, later or not at all. `recorded`: as they were."""
    intervals = {member.member_id: member.settings.rebalance_timeout_ms for member in recorded}
    later = returns(members)
    merged: set[str] = set()
    found = []
    for member in members:
        if member.member_id in merged:
            continue
        following = later.get(member.member_id)
        while (longer := _longer(member, following, intervals, max_poll_ms)) is not None:
            assert following is not None
            merged.add(following.member_id)
            intervals[member.member_id] = intervals[following.member_id]
            member, following = longer, later.get(following.member_id)
        if _left_for_a_pause(member) and member.left_ms is not None:
            member = replace(member, left_ms=member.left_ms - intervals[member.member_id] + max_poll_ms)
        found.append(member)
    return found


def _left_for_a_pause(member: RecordedMember) -> bool:
    reason = (member.leave_reason or "").lower()
    return member.left_ms is not None and any(words in reason for words in POLL_TIMEOUT_WORDS)


def _longer(
    member: RecordedMember, following: RecordedMember | None, intervals: dict[str, int], max_poll_ms: int
) -> RecordedMember | None:
    """This member and the one after it as one, if the pause between them is none that the client ends by leaving."""
    if following is None:
        return None
    polled_ms = following.came_ms
    rejoins = {**member.rejoins, **following.rejoins}
    pauses = [*member.pauses, *following.pauses]
    if _left_for_a_pause(member):
        assert member.left_ms is not None
        began_ms = member.left_ms - intervals[member.member_id]
        if polled_ms - began_ms >= max_poll_ms:
            return None
        pauses = [*member.pauses, (began_ms, polled_ms), *following.pauses]
    elif member.missed_ms is not None:
        # Whether it is waited for is the coordinator's decision: here it joins when it polls again.
        rejoins[member.missed_ms] = [Rejoin(polled_ms - member.missed_ms, following.order, following.join_reason)]
    else:
        return None
    return replace(
        member,
        left_ms=following.left_ms,
        leave_reason=following.leave_reason,
        silent_ms=following.silent_ms,
        missed_ms=following.missed_ms,
        is_late=following.is_late,
        session_from_ms=following.session_from_ms,
        is_away=following.is_away,
        rejoins=rejoins,
        own_joins=[*member.own_joins, *following.own_joins],
        pauses=pauses,
        is_as_recorded=False,
    )
