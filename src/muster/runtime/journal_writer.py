"""Writes the core's journal events to `__group_journal`: one JSON record an event, keyed by group.

Nobody waits for the journal: it explains what happened, it does not decide anything. Events of a tick go out in one
batch per partition. What cannot be written is counted and logged once, never a reason to refuse a client. Schema:
docs/journal.md.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from muster.core.hashing import partition_for
from muster.core.journal import JournalEvent
from muster.log.contract import LedElsewhere, PartitionLog, StorageError
from muster.runtime.clock import Clock
from muster.runtime.group_commit import GroupCommit
from muster.wire.batch import encode_pairs, parse_header

_log = logging.getLogger(__name__)

JournalLogs = Callable[[], list[tuple[PartitionLog, int]]]
"""The partitions of the journal topic with their leader epochs, made on first use."""

MAX_EVENTS_A_TICK = 10_000
"""Beyond this the events of one tick are dropped and counted: a journal must not become the server's memory."""


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
        if len(self._events) == 1:
            self._call_soon(self.flush)

    def open(self) -> None:
        """Have the journal's partitions ready before the first event comes. A failure shows itself again at that event."""
        if self._logs is None:
            try:
                self._logs = self._open_logs()
            except StorageError as error:
                _log.warning("the group journal cannot be opened: %s", error)

    def forget_logs(self) -> None:
        """The journal's topic was deleted, or its leaders changed; the next event asks for it anew."""
        self._logs = None

    def flush(self) -> None:
        """Append what has gathered. Also called at a stop."""
        events, self._events = self._events, []
        if not events:
            return
        try:
            if self._logs is None:
                self._logs = self._open_logs()
            self._append(events, self._logs)
        except StorageError as error:
            self._drop(len(events), str(error))

    def _append(self, events: list[JournalEvent], logs: list[tuple[PartitionLog, int]]) -> None:
        import json

        by_partition: dict[int, list[tuple[bytes | None, bytes | None]]] = {}
        for event in events:
            value = json.dumps(event.to_json(), separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
            partition = partition_for(event.group_id, len(logs))
            by_partition.setdefault(partition, []).append((event.group_id.encode("utf-8", "replace"), value))
        now_ms = self._clock.now_ms()
        for partition, records in by_partition.items():
            batch = encode_pairs(records, now_ms)
            log, epoch = logs[partition]
            try:
                base_offset = log.append(batch, parse_header(batch, 0), epoch, now_ms)
            except LedElsewhere as error:
                self._drop(len(records), str(error))
                continue
            self._commit.when_durable(log, base_offset + len(records), _Settled(self, len(records)))

    def _drop(self, count: int, why: str) -> None:
        if self.dropped == 0:
            _log.warning("the group journal loses events: %s", why)
        self.dropped += count


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
