"""A journal event as the explaining side reads it: known fields by name, everything else kept in `detail`.

Reads the JSON of docs/journal.md. Kinds and causes are texts here, not the core's closed lists: a newer server may know more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from muster.core.journal import JournalEvent

_NAMED: Final = frozenset(
    {"kind", "at_ms", "group", "generation", "cause", "member", "instance", "client", "host", "reason"}
)
_BEYOND: Final = 1 << 63


@dataclass(frozen=True, slots=True)
class Event:
    kind: str
    at_ms: int
    group: str
    generation: int
    cause: str
    member: str | None = None
    instance: str | None = None
    client: str | None = None
    host: str | None = None
    reason: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)

    def text(self, name: str) -> str | None:
        value = self.detail.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> int | None:
        value = self.detail.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None


def event_of(told: Mapping[str, Any]) -> Event | None:
    """None if this is no event: the journal's topic takes records from anybody who may write to it."""
    kind, at_ms, group = told.get("kind"), told.get("at_ms"), told.get("group")
    if not isinstance(kind, str) or not isinstance(group, str) or not isinstance(at_ms, int):
        return None
    generation = told.get("generation")
    return Event(
        kind,
        at_ms,
        group,
        generation if isinstance(generation, int) else 0,
        _text(told.get("cause")) or "unknown",
        _text(told.get("member")),
        _text(told.get("instance")),
        _text(told.get("client")),
        _text(told.get("host")),
        _text(told.get("reason")),
        {name: value for name, value in told.items() if name not in _NAMED},
    )


def event_in(value: bytes | None) -> Event | None:
    """The event in a record's value, if it is one. No coordinator writes a number of more than 64 bits: times and lengths of such
    could not be calculated with.
    """
    try:
        told = json.loads(value or b"", parse_int=_number)
    except (ValueError, RecursionError):
        return None
    return event_of(told) if isinstance(told, dict) else None


def events_of(heard: Iterable[JournalEvent]) -> list[Event]:
    """What the core itself said, without a log between: for `muster.testing` and whoever listens to the journal's writer."""
    return [event for each in heard if (event := event_of(each.to_json())) is not None]


def texts_of(told: object) -> tuple[str, ...]:
    """The texts in a list of an event; what is no list, or no text in it, counts as not said."""
    return tuple(each for each in told if isinstance(each, str)) if isinstance(told, list | tuple) else ()


def _number(text: str) -> int:
    value = int(text)
    if not -_BEYOND < value < _BEYOND:
        raise ValueError(text)
    return value


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
