"""The journal's writer: events wait, bounded, until their partition has a leader here; nothing else waits for them."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from muster.core.hashing import partition_for
from muster.core.journal import JournalEvent
from muster.log.contract import LogConfig, PartitionLog, StorageError
from muster.log.elsewhere import LogElsewhere
from muster.log.memory import MemoryStore
from muster.log.offline import LogOffline
from muster.runtime import journal_writer
from muster.runtime.group_commit import GroupCommit
from muster.runtime.journal_writer import MAX_WAIT_MS, JournalWriter
from muster.wire.batch import decode_records, iterate_batches
from tests.movable_clock import MovableClock
from tests.runtime.manual_loop import ManualLoop

TOPIC = "__group_journal"
PARTITIONS = 3


class Journal:
    """A writer over logs of which this node leads none at first, as in a cluster that has just begun."""

    def __init__(self) -> None:
        self.loop = ManualLoop()
        self.clock = MovableClock()
        self.store = MemoryStore()
        self.logs: list[PartitionLog] = [LogElsewhere(TOPIC, index, LogConfig()) for index in range(PARTITIONS)]
        self.failure: StorageError | None = None
        self.opened = 0
        commit = GroupCommit(self.store, cast(Any, self.loop))
        self.writer = JournalWriter(self._open, commit, self.clock, self.loop.call_soon)

    def _open(self) -> list[tuple[PartitionLog, int]]:
        self.opened += 1
        if self.failure is not None:
            raise self.failure
        return [(log, 0) for log in self.logs]

    def tell(self, group: str, *kinds: str) -> None:
        for kind in kinds:
            self.writer.write(JournalEvent(cast(Any, kind), 1, group, 0, "new_member"))
        self.loop.run_until_idle()

    def lead(self, index: int) -> None:
        self.logs[index] = self.store.open(TOPIC, index, bytes(16), LogConfig())
        self.writer.forget_logs()
        self.loop.run_until_idle()

    def written(self, index: int) -> list[str]:
        log = self.store.get(TOPIC, index)
        content = log.read(0, 1 << 20) if log is not None and log.durable_offset else b""
        return [
            json.loads(record.value or b"")["kind"]
            for position, header in iterate_batches(content)
            for record in decode_records(content, header, position)
        ]


def group_in(index: int) -> str:
    return next(name for name in map(str, range(99)) if partition_for(name, PARTITIONS) == index)


def test_events_wait_for_a_leader_and_are_written_in_their_order() -> None:
    journal = Journal()
    journal.tell(group_in(1), "member_joined", "rebalance_started")
    journal.tell(group_in(1), "rebalance_ended")
    assert journal.written(1) == []
    journal.lead(1)
    assert journal.written(1) == ["member_joined", "rebalance_started", "rebalance_ended"]
    assert (journal.writer.written, journal.writer.dropped) == (3, 0)


def test_events_of_a_partition_that_has_a_leader_do_not_wait_for_those_of_another() -> None:
    journal = Journal()
    journal.lead(0)
    journal.tell(group_in(1), "waits")
    journal.tell(group_in(0), "goes on")
    assert (journal.written(0), journal.written(1)) == (["goes on"], [])
    journal.lead(1)
    assert (journal.written(0), journal.written(1)) == (["goes on"], ["waits"])


def test_events_wait_while_the_journal_cannot_be_opened() -> None:
    journal = Journal()
    journal.failure = StorageError("the database is away")
    journal.tell(group_in(0), "first")
    journal.failure = None
    journal.lead(0)
    journal.tell(group_in(0), "second")
    assert journal.written(0) == ["first", "second"]


def test_no_more_than_so_many_events_wait(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(journal_writer, "MAX_WAITING_EVENTS", 3)
    journal = Journal()
    for number in range(5):
        journal.tell(group_in(0), f"{number}")
    assert journal.writer.dropped == 2
    assert caplog.text.count("the group journal loses events") == 1
    journal.lead(0)
    assert journal.written(0) == ["0", "1", "2"]


def test_events_do_not_wait_for_ever() -> None:
    journal = Journal()
    journal.tell(group_in(0), "old")
    journal.clock.advance(MAX_WAIT_MS + 1)
    journal.tell(group_in(0), "new")
    journal.lead(0)
    assert journal.written(0) == ["new"]
    assert journal.writer.dropped == 1


def test_events_do_not_wait_for_ever_either_if_leaders_never_change() -> None:
    journal = Journal()
    journal.tell(group_in(0), "old")
    journal.clock.advance(MAX_WAIT_MS + 1)
    journal.tell(group_in(0), "new")
    assert journal.writer.dropped == 1
    assert journal.opened == 1
    journal.lead(0)
    assert journal.written(0) == ["new"]


def test_events_that_wait_cost_nothing_until_leaders_change() -> None:
    journal = Journal()
    for number in range(10):
        journal.tell(group_in(0), f"{number}")
    assert journal.opened == 1


def test_nothing_waits_for_a_partition_that_is_offline() -> None:
    journal = Journal()
    journal.logs[0] = LogOffline(TOPIC, 0, LogConfig(), "damaged")
    journal.lead(1)
    journal.tell(group_in(0), "lost")
    journal.tell(group_in(1), "kept")
    assert (journal.writer.dropped, journal.written(1)) == (1, ["kept"])


def test_a_stop_counts_what_still_waits() -> None:
    journal = Journal()
    journal.tell(group_in(0), "waits")
    journal.writer.close()
    assert journal.writer.dropped == 1


def test_opening_the_journal_early_does_not_leave_behind_what_waits() -> None:
    journal = Journal()
    journal.failure = StorageError("the topic cannot be made yet")
    journal.tell(group_in(0), "first")
    journal.failure = None
    journal.logs[0] = journal.store.open(TOPIC, 0, bytes(16), LogConfig())
    journal.writer.open()
    journal.loop.run_until_idle()
    assert journal.written(0) == ["first"]
