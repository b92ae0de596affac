"""Other settings for a recorded group: what can be changed, and how it is written. Pure; `changes` says what follows from it.

session.timeout.ms=10000                     every member settings for it; of the new protocol it is the broker's
max.poll.interval.ms=60000                   every member's
group.initial.rebalance.delay.ms=0           the coordinator's
partition.assignment.strategy=sticky         in place of what was used; `uniform` is the coordinator's own, so of the new protocol
group.protocol=consumer                      KIP-848 instead of classic, with group.remote.assignor=uniform or range
members=+1, members=-1                       so many more or fewer
partitions=x2                                so many times as many, of every topic
static                                       members that come back under the same client id keep their place
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, Final

from muster.core.assignors.choice import ASSIGNORS
from muster.core.assignors.server_side import SERVER_ASSIGNORS
from muster.core.config import GroupConfig

_MOST_MS: Final = 86_400_000
_MOST_MEMBERS: Final = 1_000
_MOST_TIMES: Final = 100
UNIFORM: Final = "uniform"


class VariantError(ValueError):
    """What was asked for is no variant; the text says what would be."""


class ContradictionError(VariantError):
    """Changes that are understood, and of which one excludes another."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Changes to the recorded settings; without any it is the recording itself."""

    session_timeout_ms: int | None = None
    initial_delay_ms: int | None = None
    assignor: str | None = None
    is_static: bool = False
    max_poll_ms: int | None = None
    members: int = 0
    """So many more than there were, or fewer."""
    partition_times: int = 1
    remote_assignor: str | None = None
    """Of the new protocol, in which the group is then. None: classic."""

    def __str__(self) -> str:
        said = [write(getattr(self, field)) for field, write in _WRITTEN.items() if self._is_changed(field)]
        return " ".join(said) or "as recorded"

    def _is_changed(self, field: str) -> bool:
        return bool(getattr(self, field) != getattr(_AS_RECORDED, field))


_AS_RECORDED: Final = Variant()
SESSION: Final = "session.timeout.ms"
MAX_POLL: Final = "max.poll.interval.ms"
INITIAL_DELAY: Final = "group.initial.rebalance.delay.ms"
ASSIGNOR: Final = "partition.assignment.strategy"
PROTOCOL: Final = "group.protocol"
REMOTE_ASSIGNOR: Final = "group.remote.assignor"
MEMBERS: Final = "members"
PARTITIONS: Final = "partitions"
STATIC: Final = "static"
_WRITTEN: Final[dict[str, Callable[[Any], str]]] = {
    "session_timeout_ms": lambda ms: f"{SESSION}={ms}",
    "max_poll_ms": lambda ms: f"{MAX_POLL}={ms}",
    "initial_delay_ms": lambda ms: f"{INITIAL_DELAY}={ms}",
    "assignor": lambda name: f"{ASSIGNOR}={name}",
    "remote_assignor": lambda name: f"{PROTOCOL}=consumer {REMOTE_ASSIGNOR}={name}",
    "members": lambda more: f"{MEMBERS}={more:+}",
    "partition_times": lambda times: f"{PARTITIONS}=x{times}",
    "is_static": lambda _: STATIC,
}
assert set(_WRITTEN) == {field.name for field in fields(Variant)}


def parse_variant(texts: Sequence[str]) -> Variant:
    """From `name=value` and `static`, which together are one variant. VariantError says what is not understood."""
    changes: dict[str, str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in _NAMES:
            raise VariantError(f"{name!r} cannot be changed: there are {', '.join(_NAMES)}")
        if name in changes:
            raise VariantError(f"{name} is given twice: values side by side are for --grid")
        changes[name] = value
    assignor = _one_of(changes, ASSIGNOR, (*ASSIGNORS, UNIFORM))
    remote = _remote_assignor(changes, assignor)
    return Variant(
        _milliseconds(changes, SESSION, least=1),
        _milliseconds(changes, INITIAL_DELAY, least=0),
        None if assignor == UNIFORM else assignor,
        _is_static(changes),
        _milliseconds(changes, MAX_POLL, least=1),
        _more_members(changes),
        _times(changes),
        remote,
    )


def refused_by_default(variant: Variant) -> str | None:
    """Why a broker with default settings does not take it. None if it does."""
    session_ms, broker = variant.session_timeout_ms, GroupConfig()
    least_ms, most_ms = broker.min_session_timeout_ms, broker.max_session_timeout_ms
    if session_ms is None or variant.remote_assignor is not None or least_ms <= session_ms <= most_ms:
        return None
    return (
        f"{SESSION}={session_ms} is refused by a broker with default settings (INVALID_SESSION_TIMEOUT): it takes {least_ms} to"
        f" {most_ms} ms (group.min.session.timeout.ms, group.max.session.timeout.ms); it is not advised"
    )


_NAMES: Final = (
    SESSION,
    MAX_POLL,
    INITIAL_DELAY,
    ASSIGNOR,
    PROTOCOL,
    REMOTE_ASSIGNOR,
    MEMBERS,
    PARTITIONS,
    STATIC,
)


def variant_of(text: str) -> Variant:
    """The variant that is written so: what `str` gives."""
    return _AS_RECORDED if text == str(_AS_RECORDED) else parse_variant(text.split(" "))


@dataclass(frozen=True, slots=True)
class Grid:
    variants: Sequence[Variant]
    """Each once."""
    left_out: Mapping[str, int]
    """Why combinations contradict themselves, and how many do for that reason."""


def parse_grid(texts: Sequence[str]) -> Grid:
    """`name=a,b,c` of each: every combination of one of each, the recorded value among them.

    A combination that contradicts itself is left out. Each change alone does not: so some are left. VariantError if a value is
    not understood.
    """
    choices = []
    for text in texts:
        name, _, values = text.partition("=")
        choices.append([(), *((f"{name}={value}" if values else name,) for value in values.split(","))])
    found: dict[Variant, None] = {}
    left_out: dict[str, int] = {}
    for chosen in dict.fromkeys(product(*choices)):
        try:
            found[parse_variant([text for texts in chosen for text in texts])] = None
        except ContradictionError as error:
            left_out[str(error)] = left_out.get(str(error), 0) + 1
    found.pop(_AS_RECORDED)
    return Grid(list(found), left_out)


def _milliseconds(changes: Mapping[str, str], name: str, least: int) -> int | None:
    text = changes.get(name)
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal() or not least <= int(text) <= _MOST_MS:
        raise VariantError(f"{name}={text}: give milliseconds, a day at most")
    return int(text)


def _one_of(changes: Mapping[str, str], name: str, known: Sequence[str]) -> str | None:
    value = changes.get(name)
    if value is not None and value not in known:
        raise VariantError(f"{name}={value}: there are {', '.join(known)}")
    return value


def _remote_assignor(changes: Mapping[str, str], assignor: str | None) -> str | None:
    """The new protocol is asked for by its name, or by an assignor that only it has."""
    if changes.get(PROTOCOL) == "classic":
        raise VariantError(f"{PROTOCOL}=classic: give an assignor, {ASSIGNOR}=range: that makes a group a classic one")
    protocol = _one_of(changes, PROTOCOL, ("consumer",))
    remote = _one_of(changes, REMOTE_ASSIGNOR, tuple(SERVER_ASSIGNORS))
    is_consumer = protocol is not None or remote is not None or assignor == UNIFORM
    if is_consumer and assignor not in (None, remote or UNIFORM):
        raise ContradictionError(f"{ASSIGNOR}={assignor} is of the classic protocol: the new one has {REMOTE_ASSIGNOR}")
    if is_consumer and INITIAL_DELAY in changes:
        raise ContradictionError(f"{INITIAL_DELAY} is of the classic protocol: the new one waits for nobody")
    return remote or UNIFORM if is_consumer else None


def _more_members(changes: Mapping[str, str]) -> int:
    text = changes.get(MEMBERS)
    if text is None:
        return 0
    digits = text[1:]
    is_number = text[:1] in ("+", "-") and digits.isascii() and digits.isdecimal()
    if not is_number or not 1 <= int(digits) <= _MOST_MEMBERS:
        raise VariantError(f"{MEMBERS}={text}: say how many more or fewer, as +1 or -1, {_MOST_MEMBERS} at most")
    return int(text)


def _times(changes: Mapping[str, str]) -> int:
    text = changes.get(PARTITIONS)
    if text is None:
        return 1
    digits = text.removeprefix("x")
    if digits == text or not digits.isascii() or not digits.isdecimal() or not 2 <= int(digits) <= _MOST_TIMES:
        raise VariantError(f"{PARTITIONS}={text}: say how many times as many, as x2, x{_MOST_TIMES} at most")
    return int(digits)


def _is_static(changes: Mapping[str, str]) -> bool:
    if changes.get(STATIC):
        raise VariantError(f"{STATIC} takes no value")
    return STATIC in changes
