"""Journal events about offsets that an open transaction held back: which readers were refused, for how long, and how it ended.

Memory only. A transaction is a journal event only if somebody has felt it: an OffsetFetch was refused after the offsets had been
unstable for `TOLD_AFTER_MS`, or they were unstable for `LONG_MS`, waited for or not. How many events there may be is limited, for
they must not push those of rebalances out of the journal. Asked where a fetch is refused and where an end marker is decided on.
"""

from __future__ import annotations

from typing import Final, Literal

from muster.core.classic.group import Group
from muster.core.journal import JournalEvent
from muster.core.offsets.pending import Place
from muster.core.time_units import HOUR_MS
from muster.wire.value import Value

TOLD_AFTER_MS: Final = 1_000
"""A shorter wait is what any transaction costs those who read its group's offsets: they ask again after 100 ms."""
LONG_MS: Final = 10_000
EVENTS_AN_HOUR: Final = 100
"""Of one shard. A partition of the journal holds 16 MiB for a week, and these take less than that even with the longest names."""
NAMED_PARTITIONS: Final = 20
"""In one event; `offsets` says how many there are."""
NAME_CHARS: Final = 100
"""Of names that clients choose; what is longer is cut."""
MOST_NAMES: Final = 10_000
"""Transactional ids that are remembered, of producers with pending offsets; the oldest is forgotten first."""


class Waiter(Value):
    """Who sent the OffsetFetch."""

    __match_args__ = ("client_id", "client_host")
    __slots__ = __match_args__

    def __init__(self, client_id: str | None, client_host: str | None) -> None:
        self.client_id = client_id
        self.client_host = client_host


class _Wait:
    """The requests of one group that one transaction has kept waiting."""

    __slots__ = ("first_ms", "is_told", "refusals", "waiter")

    def __init__(self, first_ms: int, waiter: Waiter) -> None:
        self.first_ms = first_ms
        self.waiter = waiter
        self.refusals = 0
        self.is_told = False


class Held(Value):
    """The offsets of one group in one open transaction."""

    __match_args__ = ("group_id", "producer_id", "producer_epoch", "since_ms", "places")
    __slots__ = __match_args__

    def __init__(
        self, group_id: str, producer_id: int, producer_epoch: int, since_ms: int, places: list[Place]
    ) -> None:
        self.group_id = group_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.since_ms = since_ms
        """When the first offset of the transaction was stored in this shard."""
        self.places = places


class OffsetWaits:
    __slots__ = ("_hour_ends_ms", "_left", "_names", "_waits")

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        """Producer id -> transactional id. The log of offsets does not have it: after a load it is not known."""
        self._waits: dict[int, dict[str, _Wait]] = {}
        """Producer id -> group id -> who waits."""
        self._hour_ends_ms = 0
        self._left = 0

    def commits(self, producer_id: int, transactional_id: str) -> None:
        """A producer commits offsets in its transaction."""
        if producer_id not in self._names:
            if len(self._names) >= MOST_NAMES:
                del self._names[next(iter(self._names))]
            self._names[producer_id] = transactional_id[:NAME_CHARS]

    def ended(self, producer_id: int) -> None:
        """The producer's end marker is durable."""
        self._names.pop(producer_id, None)
        self._waits.pop(producer_id, None)

    def name_of(self, producer_id: int) -> str | None:
        """The transactional id, cut if it is long; None if it is not known."""
        return self._names.get(producer_id)

    def refused(self, held: Held, group: Group | None, waiter: Waiter, now_ms: int) -> JournalEvent | None:
        """An OffsetFetch was answered UNSTABLE_OFFSET_COMMIT because of this transaction."""
        waits = self._waits.setdefault(held.producer_id, {})
        wait = waits.get(held.group_id)
        if wait is None:
            wait = waits[held.group_id] = _Wait(now_ms, waiter)
        wait.refusals += 1
        if wait.is_told or now_ms - held.since_ms < TOLD_AFTER_MS or not self._may_tell(2, now_ms):
            return None
        wait.is_told = True
        return self._event("offsets_awaited", "transaction_open", held, group, wait, now_ms)

    def released(self, held: Held, group: Group | None, commit: bool, now_ms: int) -> JournalEvent | None:
        """The transaction ends with these offsets."""
        wait = self._waits.get(held.producer_id, {}).get(held.group_id)
        is_told = wait is not None and wait.is_told
        if not is_told and (now_ms - held.since_ms < LONG_MS or not self._may_tell(1, now_ms)):
            return None
        return self._event(
            "offsets_released",
            "transaction_committed" if commit else "transaction_aborted",
            held,
            group,
            wait,
            now_ms,
        )

    def _may_tell(self, count: int, now_ms: int) -> bool:
        """`count`: an event of somebody who waits takes the room of the one that ends it, too."""
        if now_ms >= self._hour_ends_ms:
            self._hour_ends_ms = now_ms + HOUR_MS
            self._left = EVENTS_AN_HOUR
        if self._left < count:
            return False
        self._left -= count
        return True

    def _event(
        self,
        kind: Literal["offsets_awaited", "offsets_released"],
        cause: Literal["transaction_open", "transaction_committed", "transaction_aborted"],
        held: Held,
        group: Group | None,
        wait: _Wait | None,
        now_ms: int,
    ) -> JournalEvent:
        detail: dict[str, object] = {
            "producer_id": held.producer_id,
            "producer_epoch": held.producer_epoch,
            "offsets": len(held.places),
            "partitions": _by_topic(held.places[:NAMED_PARTITIONS]),
            "unstable_ms": max(0, now_ms - held.since_ms),
        }
        name = self._names.get(held.producer_id)
        if name is not None:
            detail["transactional_id"] = name
        if wait is None:
            return JournalEvent(kind, now_ms, held.group_id, _generation(group), cause, detail=detail)
        detail["refusals"] = wait.refusals
        detail["waited_ms"] = max(0, now_ms - wait.first_ms)
        return JournalEvent(
            kind,
            now_ms,
            held.group_id,
            _generation(group),
            cause,
            member_id=_member(group, wait.waiter),
            client_id=None if wait.waiter.client_id is None else wait.waiter.client_id[:NAME_CHARS],
            client_host=wait.waiter.client_host,
            detail=detail,
        )


def _generation(group: Group | None) -> int:
    return -1 if group is None else group.generation


def _member(group: Group | None, waiter: Waiter) -> str | None:
    """The one member that has the client id and address of the request; None if none or several have."""
    found: str | None = None
    for member in () if group is None else group.members.values():
        if member.client_id == waiter.client_id and member.client_host == waiter.client_host:
            if found is not None:
                return None
            found = member.member_id
    return found


def _by_topic(places: list[Place]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for topic, partition in places:
        found.setdefault(topic, []).append(partition)
    return found
