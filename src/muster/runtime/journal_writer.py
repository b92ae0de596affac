"""Writes the core's journal events to `__group_journal`: one JSON record an event, keyed by group.

Nobody waits for the journal: it explains what happened, it does not decide anything. Events of a tick go out in one
batch per partition. In a new cluster a group may exist before the journal's partition of it has a leader: its events wait,
so many and so long, until there is one here. What cannot be written is counted and logged once, never a reason to refuse a client.
Schema: docs/journal.md.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from muster.core.hashing import partition_for
from muster.core.journal import JournalEvent
from muster.log.contract import LedElsewhere, PartitionLog, StorageError
from muster.log.elsewhere import LogElsewhere
from muster.runtime.clock import Clock
from muster.runtime.group_commit import GroupCommit
from muster.topics.refusal import TopicError
from muster.wire.batch import encode_pairs, parse_header

_log = logging.getLogger(__name__)

JournalLogs = Callable[[], list[tuple[PartitionLog, int]]]
"""The partitions of the journal topic with their leader epochs, made on first use."""

MAX_EVENTS_A_TICK = 10_000
"""Beyond this the events of one tick are dropped and counted: a journal must not become the server's memory."""
MAX_WAITING_EVENTS = 10_000
MAX_WAIT_MS = 60_000
"""How many events wait for a leader of their partition, and how long."""


class JournalWriter:
    def __init__(
        self, logs: JournalLogs, commit: GroupCommit, clock: Clock, call_soon: Callable[[Callable[[], None]], object]
    ) -> None:
        self._open_logs = logs
        self._logs: list[tuple[PartitionLog, int]] | None = None
        self._commit = commit
        self._clock = clock
        self._call_soon = call_soon
        self._events: list[JournalEvent] = []
        self._waiting: list[tuple[int, JournalEvent]] = []
        """When they came, and events that could not be written when they did."""
        self._is_flush_due = False
        self.listeners: list[Callable[[JournalEvent], None]] = []
        """Told of every event when it happens, before it is in the log. They must not raise."""
        self.written = 0
        self.dropped = 0

    def write(self, event: JournalEvent) -> None:
        for listener in self.listeners:
            listener(event)
        if len(self._events) >= MAX_EVENTS_A_TICK:
            self._drop(1, "too many events in one tick")
            return
        self._events.append(event)
        self._flush_soon()

    def open(self) -> None:
        """Have the journal's partitions ready before the first event comes. A failure shows itself again at that event."""
        if self._waiting:
            self.flush()
        elif self._logs is None:
            try:
                self._logs = self._open_logs()
            except LedElsewhere:
                pass  # it is on its way: `forget_logs` is called when it is there
            except (StorageError, TopicError) as error:
                _log.warning("the group journal cannot be opened: %s", error)

    def forget_logs(self) -> None:
        """The journal's topic was deleted, or its leaders changed: it is asked for anew, by the next event or those that wait."""
        self._logs = None
        if self._waiting:
            self._flush_soon()

    def flush(self) -> None:
        """Append what has gathered, and what waited for leaders if those may have changed."""
        self._is_flush_due = False
        now = self._clock.ticks_ms()
        events = [(now, event) for event in self._events]
        self._events = []
        if self._waiting and now - self._waiting[0][0] > MAX_WAIT_MS:
            self._waiting = self._take_waiting(now)  # leaders may never change: then nobody else would drop them
        if self._logs is None and (events or self._waiting):
            events = self._take_waiting(now) + events
            try:
                self._logs = self._open_logs()
            except (StorageError, TopicError) as error:
                self._wait(events, str(error))
                return
        if events and self._logs is not None:
            self._append(events, self._logs)

    def close(self) -> None:
        """At a stop: write what can be written, count the rest."""
        self.flush()
        if self._waiting:
            self._drop(len(self._waiting), "the server stops before their partitions have leaders")
            self._waiting = []

    def _flush_soon(self) -> None:
        if not self._is_flush_due:
            self._is_flush_due = True
            self._call_soon(self.flush)

    def _append(self, events: list[tuple[int, JournalEvent]], logs: list[tuple[PartitionLog, int]]) -> None:
        by_partition: dict[int, list[tuple[int, JournalEvent]]] = {}
        for came, event in events:
            by_partition.setdefault(partition_for(event.group_id, len(logs)), []).append((came, event))
        now_ms = self._clock.now_ms()
        for partition, its_events in by_partition.items():
            log, epoch = logs[partition]
            if isinstance(log, LogElsewhere) and log.may_come:
                self._wait(its_events, f"{log.topic}-{partition} has no leader here")
                continue
            batch = encode_pairs([_record(event) for _, event in its_events], now_ms)
            try:
                base_offset = log.append(batch, parse_header(batch, 0), epoch, now_ms)
            except LedElsewhere as error:
                self._wait(its_events, str(error))
            except StorageError as error:
                self._drop(len(its_events), str(error))
            else:
                self._commit.when_durable(log, base_offset + len(its_events), _Settled(self, len(its_events)))

    def _wait(self, events: list[tuple[int, JournalEvent]], why: str) -> None:
        room = max(0, MAX_WAITING_EVENTS - len(self._waiting))
        self._waiting += events[:room]
        if len(events) > room:
            self._drop(len(events) - room, why)

    def _take_waiting(self, now: int) -> list[tuple[int, JournalEvent]]:
        waited, self._waiting = self._waiting, []
        taken = [(came, event) for came, event in waited if now - came <= MAX_WAIT_MS]
        if len(taken) < len(waited):
            self._drop(len(waited) - len(taken), "their partitions have had no leader here for too long")
        return taken

    def _drop(self, count: int, why: str) -> None:
        if self.dropped == 0:
            _log.warning("the group journal loses events: %s", why)
        self.dropped += count


def _record(event: JournalEvent) -> tuple[bytes | None, bytes | None]:
    import json

    value = json.dumps(event.to_json(), separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
    return event.group_id.encode("utf-8", "replace"), value


class _Settled:
    """Counts a batch of events when the log has it, or when it is lost."""

    __slots__ = ("_count", "_writer")

    def __init__(self, writer: JournalWriter, count: int) -> None:
        self._writer = writer
        self._count = count

    def __call__(self, error: StorageError | None) -> None:
        if error is None:
            self._writer.written += self._count
        else:
            self._writer._drop(self._count, str(error))
