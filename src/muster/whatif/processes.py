"""Which members, under different member ids, are the same process, started again: by its client id, if that is its own. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from muster.whatif.recorded import RecordedMember


def end_of(member: RecordedMember) -> float:
    """When it left, fell silent, or was not in time any more; without end if none of these."""
    ends = (member.left_ms, member.silent_ms, member.missed_ms)
    return min((each for each in ends if each is not None), default=float("inf"))


def shared_clients(members: Iterable[RecordedMember]) -> set[str]:
    """Client ids that two processes had at a time: they tell nothing about who comes back."""
    until: dict[str, float] = {}
    shared: set[str] = set()
    for member in sorted(members, key=lambda each: each.came_ms):
        if until.get(member.client, -1) > member.came_ms:
            shared.add(member.client)
        until[member.client] = max(until.get(member.client, -1), end_of(member))
    return shared


def returns(members: Sequence[RecordedMember]) -> dict[str, RecordedMember]:
    """By the member id of a member that ended: the next member of the same client, on the same host."""
    shared = shared_clients(members)
    found: dict[str, RecordedMember] = {}
    last: dict[tuple[str, str], RecordedMember] = {}
    for member in sorted(members, key=lambda each: (each.came_ms, each.order)):
        if member.client and member.client not in shared:
            before = last.get((member.client, member.host))
            if before is not None:
                found[before.member_id] = member
            last[member.client, member.host] = member
    return found
