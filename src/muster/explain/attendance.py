"""Who is in the group and who ever was: introductions, absences and returns. `fold` tells it what happens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muster.explain.event import Event
from muster.explain.facts import Departure, Return, Who

REMEMBERED_ABSENCE_MS: Final = 600_000
"""Who comes back after longer than this is taken for a new start, not for a return."""


class Attendance:
    def __init__(self) -> None:
        self._people: dict[str, Who] = {}
        self._present: dict[str, None] = {}
        self._joined_ms: dict[str, int] = {}
        self._departed: dict[str, Departure] = {}
        """By identity: who may come back."""
        self.shared_identities: set[str] = set()
        self.returns: list[Return] = []

    @property
    def present(self) -> list[Who]:
        return [self._people[member_id] for member_id in self._present]

    @property
    def seen(self) -> list[Who]:
        return list(self._people.values())

    def meet(self, event: Event) -> Who:
        """The member that an event is about; an event may leave out what earlier ones said."""
        member_id = event.member or "?"
        known = self._people.get(member_id, Who(member_id))
        who = Who(
            member_id,
            event.instance or known.instance_id,
            event.client or known.client_id,
            event.host or known.host,
        )
        self._people[member_id] = who
        return who

    def person(self, member_id: str | None) -> Who | None:
        """Somebody who is only mentioned; the journal may not reach back to the introduction."""
        return None if not member_id else self._people.setdefault(member_id, Who(member_id))

    def newcomer(self, who: Who, at_ms: int) -> Return | None:
        """It joined; a return if it, or rather its process, went not long ago."""
        self._present[who.member_id] = None
        self._joined_ms[who.member_id] = at_ms
        if sum(each.identity == who.identity for each in self.present) > 1:
            self.shared_identities.add(who.identity)
        gone = self._departed.pop(who.identity, None)
        if gone is None or at_ms - gone.at_ms > REMEMBERED_ABSENCE_MS:
            return None
        self.returns.append(Return(gone, who, at_ms))
        return self.returns[-1]

    def here(self, members: Iterable[str]) -> None:
        for member_id in members:
            self.person(member_id)
            self._present[member_id] = None

    def only(self, members: Iterable[str]) -> None:
        """These and nobody else."""
        self._present = {}
        self.here(members)

    def gone(self, departure: Departure) -> Return | None:
        """It went; a return if its process is already back: restarted while the old session still ran."""
        self._present.pop(departure.who.member_id, None)
        successor = self._successor(departure)
        if successor is None:
            self._departed[departure.who.identity] = departure
            return None
        self.returns.append(Return(departure, successor, self._joined_ms[successor.member_id]))
        return self.returns[-1]

    def _successor(self, departure: Departure) -> Who | None:
        """Of the same identity, and it joined when nothing was heard of the other any more. Two of them are a crowd."""
        if departure.cause != "session_expired":
            return None
        heard_ms = departure.at_ms - departure.silent_ms
        same = [each for each in self.present if each.identity == departure.who.identity]
        if len(same) != 1 or self._joined_ms.get(same[0].member_id, heard_ms) <= heard_ms:
            return None
        return same[0]

    def renamed(self, old_id: str | None, new_id: str) -> None:
        self._present = {new_id if each == old_id else each: None for each in self._present}
        self._present.setdefault(new_id)
