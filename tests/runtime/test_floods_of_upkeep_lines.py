"""Compaction, retention and rolled segments have a line for each partition, and clients make partitions: so many in a while."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any, cast

import pytest

from muster.log import tick_commit
from muster.log.contract import LogConfig, PartitionLog, StorageError
from muster.log.files import FileStore
from muster.log.memory import MemoryStore
from muster.log_limit import LINES, LogLimit
from muster.runtime.compaction import Compactor
from muster.runtime.retention_lines import RetentionLines
from muster.topics.retention import RetentionPass
from muster.wire.batch import Record, encode_batch, parse_header
from tests.log.batches import commit, open_log, stage
from tests.movable_clock import MovableClock

_MANY = LINES + 20


def _logs(*, keyed: bool) -> list[PartitionLog]:
    """Each with something to compact."""
    store = MemoryStore()
    config = LogConfig(segment_bytes=100, cleanup_compact=True, cleanup_delete=False, min_cleanable_dirty_ratio=0.0)
    logs: list[PartitionLog] = [store.open("t", number, bytes(16), config) for number in range(_MANY)]
    for log in logs:
        for _ in range(3):
            batch = encode_batch([Record(0, 1_000, b"k" if keyed else None, b"x" * 100)])
            log.append(batch, parse_header(batch), 0, 1_000)
    pending = store.begin_commit()
    assert pending is not None
    pending.run()
    pending.finish()
    return logs


def _compact(logs: list[PartitionLog], clock: MovableClock) -> Compactor:
    def at_once(work: Any, then: Any) -> None:
        work()
        then()

    compactor = Compactor(lambda: logs, clock, cast(Any, None), at_once)
    compactor.look()
    return compactor


@pytest.mark.parametrize("keyed", [True, False])
def test_compacting_many_partitions_tells_so_many_lines(caplog: pytest.LogCaptureFixture, keyed: bool) -> None:
    caplog.set_level(logging.INFO, "muster.runtime.compaction")
    clock = MovableClock()
    compactor = _compact(_logs(keyed=keyed), clock)
    while compactor.rounds < _MANY:
        clock.advance(10)
    assert len([line for line in caplog.messages if "compacted up to" in line]) == LINES
    assert len([line for line in caplog.messages if "without a key were dropped" in line]) == (0 if keyed else LINES)


def test_many_logs_that_cannot_be_compacted_are_so_many_lines(caplog: pytest.LogCaptureFixture) -> None:
    logs = _logs(keyed=True)
    for log in logs:
        log.mark_transactional()

    def unreadable(of: PartitionLog) -> int:
        raise StorageError("unreadable")

    Compactor(lambda: logs, MovableClock(), cast(Any, None), stable_offset=unreadable).look()
    assert len([line for line in caplog.messages if "cannot be compacted: unreadable" in line]) == LINES


def test_a_retention_pass_over_many_partitions_tells_so_many_lines(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "muster.runtime.retention_lines")
    lines = RetentionLines(lambda: 0.0)
    dropped = cast(Any, {f"t-{number}": 1 for number in range(_MANY)})
    failures = cast(Any, [(name, StorageError("the disk is full")) for name in dropped])
    lines.tell(RetentionPass(dropped, failures))
    assert len([line for line in caplog.messages if "1 old segments dropped" in line]) == LINES
    assert len([line for line in caplog.messages if "the disk is full" in line]) == LINES


def test_recovery_points_that_cannot_be_kept_in_any_tick_are_so_many_lines(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may produce into a topic with very small segments rolls one with each batch."""
    monkeypatch.setattr(
        tick_commit, "_failures", LogLimit(logging.getLogger("muster.log.tick_commit"), "failures", lambda: 0.0)
    )
    store = FileStore(str(tmp_path))

    def full(name: str, points: object) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(store, "keep_offsets", full)
    log = open_log(store, segment_bytes=100)
    for _ in range(_MANY):
        stage(log, "x" * 100)
        assert [failure for _, failure in commit(store)] == [None]
    assert len([line for line in caplog.messages if "the disk is full" in line]) == LINES
    monkeypatch.undo()
    store.close()
