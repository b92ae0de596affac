"""The compactor's pace: small pieces, pauses between them, the dirtiest log first, an orderly stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from muster.log.contract import LogConfig, PartitionLog, StorageError
from muster.log.memory import MemoryStore
from muster.runtime.compaction import PAUSE_MS, PIECE_BYTES, Compactor
from muster.wire.batch import Record, decode_records, encode_batch, iterate_batches, parse_header
from tests.movable_clock import MovableClock

BACKOFF_MS = 15_000
VALUE = b"x" * 20_000


class Stage:
    """Logs in memory, a movable clock, and work that waits until the test lets it be done."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.clock = MovableClock()
        self.logs: list[PartitionLog] = []
        self.waiting: list[tuple[Callable[[], None], Callable[[], None]]] = []
        self.compactor = Compactor(
            lambda: self.logs, self.clock, cast(Any, None), lambda work, then: self.waiting.append((work, then))
        )

    def log(self, *, values: int, ratio: float = 0.0) -> PartitionLog:
        config = LogConfig(
            segment_bytes=100_000, cleanup_compact=True, cleanup_delete=False, min_cleanable_dirty_ratio=ratio
        )
        log = self.store.open("t", len(self.logs), bytes(16), config)
        self.logs.append(log)
        for number in range(values):
            batch = encode_batch([Record(0, 1_000, b"k%d" % (number % 3), VALUE)])
            log.append(batch, parse_header(batch), 0, 1_000)
        commit = self.store.begin_commit()
        assert commit is not None
        commit.run()
        commit.finish()
        return log

    def do_one_piece(self) -> None:
        ((work, then),) = self.waiting
        self.waiting.clear()
        work()
        then()

    def run_until_quiet(self) -> int:
        pieces = 0
        while self.waiting:
            self.do_one_piece()
            self.clock.advance(PAUSE_MS)
            pieces += 1
        return pieces


@pytest.fixture
def stage() -> Stage:
    return Stage()


def record_count(log: PartitionLog) -> int:
    content = log.read(0, 1 << 30)
    return sum(len(decode_records(content, header, at)) for at, header in iterate_batches(content))


def test_nothing_is_done_before_the_backoff_has_passed(stage: Stage) -> None:
    stage.log(values=20)
    stage.compactor.start()
    stage.clock.advance(BACKOFF_MS - 1)
    assert not stage.waiting
    stage.clock.advance(1)
    assert stage.waiting


def test_a_round_is_done_in_pieces_with_a_pause_after_each(stage: Stage) -> None:
    log = stage.log(values=60)
    size = log.size_bytes()
    stage.compactor.start()
    stage.clock.advance(BACKOFF_MS)
    stage.do_one_piece()
    assert not stage.waiting, "a pause comes first"
    stage.clock.advance(PAUSE_MS - 1)
    assert not stage.waiting
    stage.clock.advance(1)
    assert stage.run_until_quiet() > 2 * size / PIECE_BYTES - 3, "it is read twice, so many bytes a piece"
    assert stage.compactor.rounds == 1
    assert log.size_bytes() < size / 5
    assert record_count(log) <= 3 + 5


def test_the_dirtiest_log_goes_first_and_the_others_follow(stage: Stage) -> None:
    lesser = stage.log(values=25, ratio=0.1)
    stage.compactor.start()
    stage.clock.advance(BACKOFF_MS)
    stage.run_until_quiet()
    for log in (lesser, stage.log(values=25)):
        for _ in range(6):
            batch = encode_batch([Record(0, 1_000, b"more", VALUE)])
            log.append(batch, parse_header(batch), 0, 1_000)
    commit = stage.store.begin_commit()
    assert commit is not None
    commit.run()
    commit.finish()
    now_ms = stage.clock.now_ms()
    ratios = [log.dirty_ratio(now_ms) for log in stage.logs]
    assert ratios[0] is not None
    assert ratios[1] is not None
    assert ratios[0] < ratios[1]
    stage.clock.advance(BACKOFF_MS)
    stage.do_one_piece()
    assert stage.logs[0].dirty_ratio(now_ms) is not None, "not begun"
    assert stage.logs[1].dirty_ratio(now_ms) is None, "under way"
    stage.clock.advance(PAUSE_MS)
    stage.run_until_quiet()
    assert stage.compactor.rounds == 3


def test_a_log_that_cannot_be_compacted_is_said_and_tried_again_later(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    log = stage.log(values=20)
    segment = cast(Any, log)._segments[1]
    sound = segment.batches[0]
    segment.batches[0] = sound[:70]
    stage.compactor.start()
    stage.clock.advance(BACKOFF_MS)
    stage.run_until_quiet()
    assert "t-0 could not be compacted" in caplog.text
    segment.batches[0] = sound
    stage.clock.advance(BACKOFF_MS)
    stage.run_until_quiet()
    assert stage.compactor.rounds == 1


@pytest.mark.parametrize("pieces", [0, 1, 3])
def test_stopping_waits_for_the_piece_under_way_and_leaves_the_log_whole(stage: Stage, pieces: int) -> None:
    log = stage.log(values=60)
    before = record_count(log)
    stage.compactor.start()
    stage.clock.advance(BACKOFF_MS)
    for _ in range(pieces):
        stage.do_one_piece()
        stage.clock.advance(PAUSE_MS)
    stopped: list[bool] = []
    stage.compactor.stop(lambda: stopped.append(True))
    assert not stopped
    ((work, then),) = stage.waiting
    work()
    then()
    assert stopped == [True]
    stage.clock.advance(10 * BACKOFF_MS)
    assert len(stage.waiting) == 1, "no more work was asked for"
    assert record_count(log) == before


def test_stopping_while_nothing_is_done_is_at_once(stage: Stage) -> None:
    stage.compactor.start()
    stopped: list[bool] = []
    stage.compactor.stop(lambda: stopped.append(True))
    assert stopped == [True]


def test_a_log_with_transactions_is_compacted_up_to_its_last_stable_offset(stage: Stage) -> None:
    log = stage.log(values=20)
    log.mark_transactional()
    stable_offset = 0
    compactor = Compactor(
        lambda: stage.logs,
        stage.clock,
        cast(Any, None),
        lambda work, then: stage.waiting.append((work, then)),
        stable_offset=lambda of: stable_offset,
    )
    compactor.look()
    assert not stage.waiting, "nothing is decided yet"
    stable_offset = 10
    compactor.look()
    stage.run_until_quiet()
    # Segments have four batches: two of them end at or before offset 10.
    assert record_count(log) == 20 - 8 + 3


def test_a_log_whose_transactions_cannot_be_read_is_left_alone(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    stage.log(values=20).mark_transactional()

    def unreadable(of: PartitionLog) -> int:
        raise StorageError("unreadable")

    compactor = Compactor(lambda: stage.logs, stage.clock, cast(Any, None), stable_offset=unreadable)
    compactor.look()
    assert not stage.waiting
    assert "t-0 cannot be compacted: unreadable" in caplog.text
