"""Keeps compacted logs compact, a little at a time so that serving does not notice.

Every `log.cleaner.backoff.ms` the dirtiest log that its settings want compacted gets a round. A round is worked on in
pieces of a few milliseconds, away from the loop's thread, with a pause of several times as long between two pieces. Knows
nothing of segments; what a round does is `muster.log`'s.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from muster.log.contract import (
    Compaction,
    CompactionOvertaken,
    CompactionReport,
    NotReadYet,
    PartitionLog,
    StorageError,
)
from muster.log_limit import LogLimit
from muster.runtime.clock import Clock, Wake
from muster.runtime.group_commit import Background

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from concurrent.futures import ThreadPoolExecutor

BACKOFF_MS: Final = 15_000
"""Kafka's default of `log.cleaner.backoff.ms`."""
PIECE_BYTES: Final = 128 * 1024
"""About 2 ms of work; while a piece is being worked on the loop's thread may have to wait for the interpreter so long."""
PAUSE_MS: Final = 8
"""Between two pieces: about a fifth of a core goes into a compaction, and at most 12 MB/s are read."""

_log = logging.getLogger(__name__)


class Compactor:
    def __init__(
        self,
        logs: Callable[[], Iterable[PartitionLog]],
        clock: Clock,
        loop: AbstractEventLoop,
        background: Background | None = None,
        backoff_ms: int = BACKOFF_MS,
        stable_offset: Callable[[PartitionLog], int | None] = lambda log: None,
    ) -> None:
        """`stable_offset`: the last stable offset of a log that has transactions, from which on nothing is compacted."""
        self._logs = logs
        self._stable_offset = stable_offset
        self._clock = clock
        self._loop = loop
        self._in_background = background or self._in_thread
        self._backoff_ms = backoff_ms
        self._done_log = LogLimit(_log, "lines about compacted partitions", lambda: clock.ticks_ms() / 1000)
        self._keyless_log = LogLimit(_log, "lines about records without a key", lambda: clock.ticks_ms() / 1000)
        self._failure_log = LogLimit(_log, "compactions that failed", lambda: clock.ticks_ms() / 1000)
        self._thread: ThreadPoolExecutor | None = None
        self._wake: Wake | None = None
        self._round: tuple[PartitionLog, Compaction] | None = None
        self._is_working = False
        self._when_stopped: Callable[[], None] | None = None
        self.rounds = 0
        self.bytes_saved = 0

    def start(self) -> None:
        self._look_later()

    def stop(self, then: Callable[[], None]) -> None:
        """End between two pieces, and call back when nothing is being worked on any more."""
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        self._when_stopped = then
        if not self._is_working:
            self._stopped()

    def look(self) -> None:
        """Begin a round if any log wants one."""
        self._wake = None
        now_ms = self._clock.now_ms()
        dirtiest, limit, most = None, None, -1.0
        for log in self._logs():
            stable_offset = self._limit_of(log)
            ratio = log.dirty_ratio(now_ms, stable_offset)
            if ratio is not None and ratio > most:
                dirtiest, limit, most = log, stable_offset, ratio
        if dirtiest is None:
            self._look_later()
            return
        try:
            self._round = dirtiest, dirtiest.begin_compaction(now_ms, limit)
        except StorageError as error:
            self._failure_log.error("%s-%d cannot be compacted: %s", dirtiest.topic, dirtiest.partition, error)
            self._look_later()
            return
        self._work()

    def _limit_of(self, log: PartitionLog) -> int | None:
        if not log.config.cleanup_compact or not log.has_transactions:
            return None
        try:
            return self._stable_offset(log)
        except NotReadYet:
            return log.start_offset
        except StorageError as error:
            self._failure_log.error("%s-%d cannot be compacted: %s", log.topic, log.partition, error)
            return log.start_offset

    def _look_later(self) -> None:
        self._wake = self._clock.wake_at(self._clock.ticks_ms() + self._backoff_ms, self.look)

    def _work(self) -> None:
        self._wake = None
        assert self._round is not None
        _, round_ = self._round
        self._is_working = True
        self._in_background(lambda: round_.work(PIECE_BYTES), self._worked)

    def _worked(self) -> None:
        self._is_working = False
        if self._when_stopped is not None:
            self._stopped()
            return
        assert self._round is not None
        log, round_ = self._round
        try:
            report = round_.settle()
        except CompactionOvertaken as overtaken:
            self._done_log.info("%s; its compaction begins anew later", overtaken)
            self._round_over()
        except StorageError as error:
            self._failure_log.error("%s-%d could not be compacted: %s", log.topic, log.partition, error)
            self._round_over()
        else:
            if report is None:
                self._wake = self._clock.wake_at(self._clock.ticks_ms() + PAUSE_MS, self._work)
            else:
                self._note(log, report)
                self._round = None
                self.look()

    def _round_over(self) -> None:
        self._round = None
        self._look_later()

    def _note(self, log: PartitionLog, report: CompactionReport) -> None:
        self.rounds += 1
        self.bytes_saved += report.bytes_before - report.bytes_after
        self._done_log.info(
            "%s-%d compacted up to offset %d: %d records dropped, %d bytes became %d",
            log.topic,
            log.partition,
            report.clean_offset,
            report.records_dropped,
            report.bytes_before,
            report.bytes_after,
        )
        if report.keyless_records:
            self._keyless_log.warning(
                "%s-%d: %d records without a key were dropped", log.topic, log.partition, report.keyless_records
            )

    def _stopped(self) -> None:
        if self._round is not None:
            self._round[1].abandon()
            self._round = None
        if self._thread is not None:
            self._thread.shutdown(wait=True)
            self._thread = None
        then, self._when_stopped = self._when_stopped, None
        if then is not None:
            then()

    def _in_thread(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        if self._thread is None:
            from concurrent.futures import ThreadPoolExecutor

            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="muster-compact")
        loop = self._loop

        def work_and_tell() -> None:
            work()
            loop.call_soon_threadsafe(then)

        self._thread.submit(work_and_tell)
