"""Reads a log partition from its segment files, batch by batch in order, without asking any broker.

Compressed batches, holes that compaction left and a half-written end of the last segment are normal. A batch that is damaged goes
to quarantine with file and position, and reading goes on behind it if its length can be trusted; if not, the rest of that file is
said to be unread. Works on plain Python and Arrow; `segments` and `segment_end_offsets` read with it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from muster.pipeline.sources.batch_scan import Problem, Scan, scan_batches
from muster.pipeline.sources.bronze_rows import LogPlace, Quarantined
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.log_directories import LogFolder, SegmentFile, segment_files
from muster.pipeline.sources.offset_index import position_before
from muster.pipeline.sources.record_columns import Numbers, Records, read_headers, read_records
from muster.pipeline.sources.segment_bytes import SegmentBytes, SegmentGone

CHUNK_BYTES: Final = 8 << 20
"""What is read at once, unless one batch is larger. With the columns made of it a worker holds about five times as much."""
MAX_RECORDS: Final = 131_072
"""Records taken out of their batches at once: a compressed chunk may unpack to much more than it is."""
_SHOWN_BYTES: Final = 4096
"""How much of a damaged batch goes to quarantine."""
_ALL: Final = 1 << 62
_LISTINGS: Final = 20


@dataclass(slots=True)
class Chunk:
    """Sound batches that lie in one stretch of a file."""

    file: str
    at: int
    """The position of `buf` in the file."""
    buf: bytes
    positions: list[int]
    headers: Numbers
    """One a position."""


@dataclass(slots=True)
class PartitionReader:
    """One pass over one log partition: [start, end) in log offsets. `problems` fills up while the chunks are taken."""

    folder: LogFolder
    place: LogPlace
    start: int = 0
    end: int = _ALL
    next_offset: int = -1
    """Where the next pass has to begin; valid when the pass is over."""
    log_start: int = -1
    """The first offset that is still there; -1 in a log without a segment."""
    problems: list[Quarantined] = field(default_factory=list)
    _from: int = 0
    """Where the reading of the files as last listed began."""
    _passed: int = 0
    """Behind the last sound batch that was passed, in the range or not."""

    def records(self) -> Iterator[Records]:
        """The records of every sound batch that reaches into the range, at most about `MAX_RECORDS` at a time."""
        for chunk in self.chunks():
            for begin, end in _portions(chunk.headers):
                positions = chunk.positions[begin:end]
                records = read_records(chunk.buf, positions, chunk.headers[begin:end])
                for index, reason in records.broken:
                    position = positions[index]
                    size = int(records.headers["length"][index]) + 12
                    problem = Problem(position, size, int(records.headers["base_offset"][index]), reason)
                    self._quarantine(chunk.file, chunk.at, chunk.buf, problem)
                yield records

    def chunks(self) -> Iterator[Chunk]:
        self._from = self.next_offset = self.start
        for _ in range(_LISTINGS):
            try:
                yield from self._chunks_as_listed()
            except SegmentGone:
                self._from = self.next_offset  # what it held is deleted, or in another file now: look again from here
            else:
                return
        raise SourceError(f"{self.folder.path}: its segments change faster than they can be read")

    def _chunks_as_listed(self) -> Iterator[Chunk]:
        files = segment_files(self.folder)
        if files:
            self.log_start = files[0].base_offset
            self.next_offset = max(self._from, self.log_start)
        for index, file in enumerate(files):
            behind = files[index + 1].base_offset if index + 1 < len(files) else _ALL
            if behind > self._from and file.base_offset < self.end:
                with SegmentBytes(file.path) as content:
                    yield from self._chunks_of(file, content)

    def _chunks_of(self, file: SegmentFile, content: SegmentBytes) -> Iterator[Chunk]:
        at = 0
        if self._from > file.base_offset:
            at = position_before(file.path, content, file.base_offset, self._from)
        want = CHUNK_BYTES
        self._passed = file.base_offset
        while True:
            buf = content.read(at, want)
            scan = scan_batches(buf)
            is_end = len(buf) < want
            if not (scan.positions or scan.problems or scan.lost or is_end):
                want = max(2 * want, scan.needs)
                continue
            _forgive_unfinished(file, buf, scan, is_end)
            headers = read_headers(buf, scan.positions)
            chunk = self._within(Chunk(file.path, at, buf, scan.positions, headers), scan.problems)
            if chunk.positions:
                yield chunk
            if scan.lost or is_end:
                self._note_unread(file, at, buf, scan, content.size() - at - scan.end)
                return
            if self.next_offset >= self.end:
                return
            at += scan.end
            want = CHUNK_BYTES

    def _within(self, chunk: Chunk, problems: list[Problem]) -> Chunk:
        """The batches that reach into the range; damaged ones among them go to quarantine."""
        bases = chunk.headers["base_offset"].astype(np.int64)
        lasts = bases + chunk.headers["last_offset_delta"]
        for problem in problems:
            behind = bisect_left(chunk.positions, problem.position)
            before = int(lasts[behind - 1]) + 1 if behind else self._passed
            after = int(bases[behind]) if behind < len(bases) else _ALL
            if self._is_ours(problem, before, after):
                self._quarantine(chunk.file, chunk.at, chunk.buf, problem)
        if len(lasts):
            self._passed = int(lasts[-1]) + 1
        inside = (lasts >= self._from) & (bases < self.end)
        if inside.any():
            self.next_offset = max(self.next_offset, min(int(lasts[inside].max()) + 1, self.end))
        if (bases >= self.end).any():
            self.next_offset = self.end
        if not inside.all():
            chunk.headers = chunk.headers[inside]
            chunk.positions = [at for at, keep in zip(chunk.positions, inside.tolist(), strict=True) if keep]
        return chunk

    def _is_ours(self, problem: Problem, before: int, after: int) -> bool:
        """Whether a damaged batch lies in the range, so that of several passes one reports it.

        Its own offset may be part of the damage: it counts only between those of its neighbours, which decide otherwise.
        """
        if before <= problem.base_offset < after:
            return self._from <= problem.base_offset < self.end
        return after > self._from and before < self.end

    def _note_unread(self, file: SegmentFile, at: int, buf: bytes, scan: Scan, unread: int) -> None:
        """Say what follows the last batch of a file, if it is neither nothing nor a batch that is still being written."""
        rest = len(buf) - scan.end
        if not scan.lost and (file.is_last or not rest):
            return
        if self.next_offset <= self._from and self._from > file.base_offset:
            return  # the pass that read the batch before it has said so
        what = "this is no record batch" if scan.lost else "a batch is cut off"
        reason = f"{what}: the rest of the file, {unread} bytes, is unread"
        self._quarantine(file.path, at, buf, Problem(scan.end, rest, -1, reason))

    def _quarantine(self, path: str, at: int, buf: bytes, problem: Problem) -> None:
        content = buf[problem.position : problem.position + min(problem.size, _SHOWN_BYTES)]
        where = f"{path} at byte {at + problem.position}"
        self.problems.append(Quarantined(self.place, problem.base_offset, where, problem.reason, None, content))


def _forgive_unfinished(file: SegmentFile, buf: bytes, scan: Scan, is_end: bool) -> None:
    """The end of the segment that is being written: reserved room, or a batch whose content is not all there yet."""
    if not (file.is_last and is_end):
        return
    if scan.lost and not buf[scan.end :].strip(b"\0"):
        scan.lost = False
    elif scan.problems and scan.end == len(buf):
        last = scan.problems[-1]
        if last.position + last.size == scan.end:
            scan.problems.pop()


def _portions(headers: Numbers) -> Iterator[tuple[int, int]]:
    """Runs of batches, [begin, end), of at most about `MAX_RECORDS` records."""
    counts = np.cumsum(headers["record_count"].astype(np.int64))
    begin = 0
    while begin < len(counts):
        before = int(counts[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(counts, before + MAX_RECORDS, side="right")))
        yield begin, end
        begin = end
