"""One round of compaction over one log, in pieces: scan, then rewrite group after group of segments, then keep the place.

Knows the order of things and what each thread may do; `memory` and `files` bring the segments and the places where the
result goes. A group becomes one segment and is given to the readers before the next is begun, oldest first: a tombstone
can be dropped only after what it erased (see `compaction_filter`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import pairwise
from typing import Protocol

from muster.log.compaction_filter import CompactionFilter
from muster.log.compaction_rules import Cleanable, grouped
from muster.log.compaction_scan import MAX_KEYS, CompactionScan
from muster.log.contract import CompactionOvertaken, CompactionReport, LogConfig, StorageError
from muster.wire.batch import BatchHeader
from muster.wire.errors import WireError


class Source(Protocol):
    """A closed segment as a round sees it."""

    base_offset: int
    size: int

    @property
    def first_time_ms(self) -> int | None: ...

    @property
    def last_time_ms(self) -> int | None: ...

    def all_batches(self) -> Iterator[tuple[BatchHeader, bytes]]:
        """Header and bytes of every batch, checked. Safe in another thread than the loop's."""
        ...


class Target(Protocol):
    """The one segment that takes the place of a group."""

    def add(self, header: BatchHeader, batch: bytes) -> None: ...

    def seal(self) -> None:
        """Everything was added: make it durable, beside the old segments."""
        ...

    def swap(self) -> None:
        """In the loop's thread: readers see the new segment from here on."""
        ...

    def sweep(self) -> None:
        """Make the swap durable and remove what it left. May run in another thread."""
        ...

    def discard(self) -> None:
        """Throw the new segment away; only before `swap`."""
        ...


class Home(Protocol):
    """The log that is being compacted."""

    def compaction_target(self, group: Sequence[Source]) -> Target: ...

    def keep_clean_offset(self, clean_offset: int) -> None:
        """May run in another thread: remember durably how far the log is compacted."""
        ...

    def compaction_over(self, clean_offset: int | None, seen_offset: int = -1) -> None:
        """In the loop's thread. None: the round did not get to its end. Everything before `seen_offset` was looked at."""
        ...


class CompactionRound:
    """A `Compaction` over any kind of segments."""

    def __init__(
        self,
        home: Home,
        closed: Sequence[Source],
        part: Cleanable,
        config: LogConfig,
        now_ms: int,
        max_keys: int = MAX_KEYS,
    ) -> None:
        self._home = home
        self._sources = [source for source in closed if source.base_offset < part.end]
        self._bases_after = [later.base_offset for _, later in pairwise(self._sources)] + [part.end]
        self._part = part
        self._config = config
        self._scan = CompactionScan(part.first_dirty, max_keys)
        self._filter = CompactionFilter(self._scan, config, now_ms)
        self._target: Target | None = None
        self._swap_is_due = False
        self._failure: StorageError | None = None
        self._bytes_before = 0
        self._bytes_after = 0
        self._report: CompactionReport | None = None
        self._pieces = self._all_pieces()

    def work(self, max_bytes: int) -> None:
        left = max_bytes
        try:
            while left > 0 and not self._swap_is_due and self._report is None:
                left -= next(self._pieces)
        except StorageError as error:
            self._failure = error
        except WireError as error:
            self._failure = StorageError(f"{self._home}: cannot be compacted: {error}")
        except FileNotFoundError as error:
            self._failure = CompactionOvertaken(f"{self._home}: {error.filename} went while it was compacted")
        except OSError as error:
            self._failure = StorageError(f"{self._home}: cannot be compacted: {error.strerror or error}")

    def settle(self) -> CompactionReport | None:
        if self._failure is not None:
            self.abandon()
            raise self._failure
        if self._swap_is_due:
            assert self._target is not None
            try:
                self._target.swap()
            except StorageError:
                self._home.compaction_over(None)
                raise
            self._swap_is_due = False
        if self._report is not None:
            self._home.compaction_over(self._report.clean_offset, self._scan.end_offset)
        return self._report

    def abandon(self) -> None:
        self._pieces.close()
        if self._target is not None:
            self._target.discard()
            self._target = None
        self._home.compaction_over(None)

    def _all_pieces(self) -> Generator[int, None, None]:
        """Everything that is done away from the loop's thread; each step says how many bytes it took."""
        yield from self._scan_all()
        count = sum(source.base_offset < self._scan.end_offset for source in self._sources)
        for group in grouped(self._sources[:count], self._bases_after[:count], self._config.segment_bytes):
            yield from self._rewrite(group)
        self._home.keep_clean_offset(self._scan.clean_offset)
        self._report = CompactionReport(
            self._scan.clean_offset,
            self._bytes_before,
            self._bytes_after,
            self._filter.records_dropped,
            self._filter.keyless_records,
        )
        yield 1

    def _scan_all(self) -> Iterator[int]:
        for source in self._sources:
            for header, batch in source.all_batches():
                if not self._scan.note(header, batch):
                    return
                yield header.size
        self._scan.end_offset = self._part.end  # an older compaction may have left a hole there

    def _rewrite(self, group: Sequence[Source]) -> Iterator[int]:
        target = self._target = self._home.compaction_target(group)
        size, changed = 0, len(group) > 1
        for header, batch, is_last in _with_last(group):
            # The last batch of a group stays, if only its header: the new segment ends where the old ones did, so a crash
            # between any two steps of the swap can be told from their names and ends alone (and the log keeps its end).
            left = self._filter.left_of(header, batch, keep_offsets=is_last)
            if left is not None:
                target.add(header, left)
                size += len(left)
            changed = changed or left is not batch
            yield header.size
        before = sum(source.size for source in group)
        self._bytes_before += before
        self._bytes_after += size if changed else before
        if changed:
            target.seal()
            self._swap_is_due = True
            yield 1
            target.sweep()
        else:
            target.discard()
        self._target = None


def _with_last(group: Sequence[Source]) -> Iterator[tuple[BatchHeader, bytes, bool]]:
    """Every batch of the group in order, and whether it is the last."""
    held: tuple[BatchHeader, bytes] | None = None
    for source in group:
        for header, batch in source.all_batches():
            if held is not None:
                yield *held, False
            held = header, batch
    if held is not None:
        yield *held, True
