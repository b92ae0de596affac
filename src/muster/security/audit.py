"""Who was denied what, once, and who changed what: lines of the logger `muster.audit`, and journal events for groups.

The same denial is told once in an interval and counted after that. What strangers can cause is bounded: so many lines a
client, so many in all, so few journal events that they cannot push the real ones out. Names come from clients: they are
quoted and cut, so that nobody writes lines of his own into the log. Asked by the handlers through `server.may`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, NamedTuple

from muster.core.journal import JournalEvent
from muster.security.resources import CLUSTER_NAME, Operation, ResourceType

LINES_AN_INTERVAL: Final = 1_000
LINES_A_CLIENT: Final = 100
"""A client is a principal at an address."""
GROUP_CHANGES_A_CLIENT: Final = 1_000
"""Lines about offsets and members of groups, for which the right to read the group is enough."""
CHANGES_A_CLIENT: Final = 10_000
"""Lines about other changes, of each API by itself: whoever makes very many topics cannot hide an ACL behind them."""
CHANGES_AN_INTERVAL: Final = 20_000
"""Lines about changes of one API, or of groups, by all clients together."""
CLIENTS_OF_CHANGES: Final = 10_000
"""So many are counted one by one, each with each API. Further ones, perhaps one client with very many addresses, share a count."""
_FURTHER_CLIENTS: Final = ("", "")
NAME_CHARS: Final = 200
"""Longer names are cut in the log."""
EVENTS_AN_INTERVAL: Final = 50
EVENT_NAME_CHARS: Final = 100
"""A partition of the journal holds 16 MiB for a week. A week of such events with names of such length, an hour an interval, is
less than that even if they all fall into one partition. A group with a longer name has none: the name would be the key."""

_log = logging.getLogger("muster.audit")


class Asked(NamedTuple):
    """Who asked, and how."""

    principal: str
    host: str
    api: str
    client_id: str | None


class Audit:
    """Times are milliseconds: `ticks_ms` of a clock that nobody sets, `now_ms` to stamp events."""

    def __init__(
        self,
        ticks_ms: Callable[[], int],
        now_ms: Callable[[], int],
        write_event: Callable[[JournalEvent], None],
        interval_ms: int,
    ) -> None:
        self._ticks_ms = ticks_ms
        self._now_ms = now_ms
        self._write_event = write_event
        self._interval_ms = interval_ms
        self._ends_ms = 0
        self._told: set[tuple[str, str, Operation, ResourceType, str]] = set()
        self._lines_of: dict[tuple[str, str], int] = {}
        self._events = 0
        self._untold = 0
        self._changes_of: dict[tuple[str, str, str], int] = {}
        self._changes_told: dict[str, int] = {}
        """Of each kind, by all clients."""
        self._changes_untold = 0
        self.denials = 0
        """All of them, told or not."""

    def denied(self, asked: Asked, operation: Operation, resource_type: ResourceType, name: str) -> None:
        self.denials += 1
        self._begin_interval_if_due()
        what = (asked.principal, asked.host, operation, resource_type, name[:NAME_CHARS])
        if what in self._told:
            self._untold += 1
            return
        client = what[:2]
        lines = self._lines_of.get(client, 0)
        if lines >= LINES_A_CLIENT or len(self._told) >= LINES_AN_INTERVAL:
            self._untold += 1
            return
        self._told.add(what)
        self._lines_of[client] = lines + 1
        _log.warning("denied: %s: %s on %s", _who(asked), operation.name, _resource(resource_type, name))
        if lines + 1 == LINES_A_CLIENT:
            _log.warning("denied: %s: further denials of this client are only counted for a while", _who(asked))
        if resource_type is ResourceType.GROUP:
            self._tell_journal(asked, operation, name)

    def changed(self, asked: Asked, what: str) -> None:
        """An allowed change of what is not the client's own: topics, settings, ACLs, users, groups as an operator."""
        self._tell_change(asked, what, asked.api, CHANGES_A_CLIENT)

    def group_changed(self, asked: Asked, what: str) -> None:
        """A change in a group by somebody who is not its member."""
        self._tell_change(asked, what, "groups", GROUP_CHANGES_A_CLIENT)

    def _tell_change(self, asked: Asked, what: str, kind: str, most: int) -> None:
        """After very many of a kind by one client, or by all, they are silent for a while."""
        self._begin_interval_if_due()
        client = (asked.principal, asked.host, kind)
        if client not in self._changes_of and len(self._changes_of) >= CLIENTS_OF_CHANGES:
            client = (*_FURTHER_CLIENTS, kind)
        changes = self._changes_of.get(client, 0) + 1
        self._changes_of[client] = changes
        told = self._changes_told.get(kind, 0)
        of = "groups" if kind == "groups" else f"this kind ({kind})"
        if changes <= most and told < CHANGES_AN_INTERVAL:
            self._changes_told[kind] = told + 1
            _log.info("changed: %s: %s", _who(asked), what)
            if told + 1 == CHANGES_AN_INTERVAL:
                _log.warning("changed: further changes of %s by any client are only counted for a while", of)
            return
        self._changes_untold += 1
        if changes == most + 1 and told < CHANGES_AN_INTERVAL:
            if client[:2] == _FURTHER_CLIENTS:
                line = "changed: further changes of %s by clients beyond the first %d are not told for a while"
                _log.warning(line, of, CLIENTS_OF_CHANGES)
            else:
                by = "of groups by this client" if kind == "groups" else "by this client with this request"
                _log.warning("changed: %s: further changes %s are not told for a while", _who(asked), by)

    def _tell_journal(self, asked: Asked, operation: Operation, group_id: str) -> None:
        if self._events >= EVENTS_AN_INTERVAL or not group_id or len(group_id) > EVENT_NAME_CHARS:
            return
        self._events += 1
        self._write_event(
            JournalEvent(
                "denied",
                self._now_ms(),
                group_id,
                -1,
                "not_authorized",
                client_id=None if asked.client_id is None else asked.client_id[:EVENT_NAME_CHARS],
                client_host=asked.host,
                detail={"principal": asked.principal[:EVENT_NAME_CHARS], "operation": operation.name, "api": asked.api},
            )
        )

    def _begin_interval_if_due(self) -> None:
        ticks_ms = self._ticks_ms()
        if ticks_ms < self._ends_ms:
            return
        if self._untold:
            _log.warning("denied: %d more times in the interval before this line, not told one by one", self._untold)
        if self._changes_untold:
            line = "changed: %d more times in the interval before this line, not told one by one"
            _log.warning(line, self._changes_untold)
        self._ends_ms = ticks_ms + self._interval_ms
        self._told.clear()
        self._lines_of.clear()
        self._changes_of.clear()
        self._changes_told.clear()
        self._events = self._untold = self._changes_untold = 0


def quoted(text: str) -> str:
    """A name that a client chose, fit for one line of a log."""
    return repr(text if len(text) <= NAME_CHARS else text[:NAME_CHARS] + "...")


def _who(asked: Asked) -> str:
    client = "" if asked.client_id is None else f" (client id {quoted(asked.client_id)})"
    return f"{quoted(asked.principal)} at {asked.host.removeprefix('/')}{client} by {asked.api}"


def _resource(resource_type: ResourceType, name: str) -> str:
    kind = resource_type.name.lower().replace("_", " ")
    return kind if resource_type is ResourceType.CLUSTER and name == CLUSTER_NAME else f"{kind} {quoted(name)}"
