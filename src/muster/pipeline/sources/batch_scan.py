"""Finds the whole, sound record batches in a stretch of log bytes, and says what is wrong with the others.

Knows batch headers, lengths and checksums; looks into no record. The bytes may begin at any batch and may end in the middle of
one: a file that is still written to, or a Fetch answer. Called by the readers of files and brokers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import Struct
from typing import Final

import google_crc32c

from muster.wire.batch import HEADER_SIZE
from muster.wire.batch_header import CHECKED_FROM, LENGTH_END, MAGIC

_OLD_MAGICS: Final = (0, 1)
_LEAST_LENGTH: Final = HEADER_SIZE - LENGTH_END
_LEAST_OLD_LENGTH: Final = 14
"""Checksum, magic, attributes, two lengths: a message of Kafka before 0.11 has at least these."""

_START = Struct(">qiibI")
_unpack_start = _START.unpack_from


@dataclass(slots=True, frozen=True)
class Problem:
    """Bytes that are no sound batch. `size` of them are passed over."""

    position: int
    size: int
    base_offset: int
    reason: str


@dataclass(slots=True)
class Scan:
    """What lies in some bytes: sound batches by position, trouble, and where the next look has to begin."""

    positions: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    end: int = 0
    lost: bool = False
    """The bytes from `end` on are not batches and have no length to trust: nothing behind them can be read."""
    needs: int = 0
    """How many bytes the batch at `end` has in all, if it is cut off; 0 if even its header is."""


def scan_batches(buf: bytes, start: int = 0) -> Scan:
    """Every batch from `start` on. One that is cut off at the end of the bytes is neither sound nor a problem: `end` is there."""
    found = Scan()
    add = found.positions.append
    checksum = google_crc32c.value
    size = len(buf)
    last_header = size - HEADER_SIZE
    pos = start
    while pos <= last_header:
        _, length, _, magic, crc = _unpack_start(buf, pos)
        if magic != MAGIC or length < _LEAST_LENGTH:
            problem = _not_a_batch(buf, pos, length, magic)
            if problem is None:
                found.lost = True
                break
            if pos + problem.size > size:
                found.needs = problem.size
                break
            found.problems.append(problem)
            pos += problem.size
            continue
        end = pos + LENGTH_END + length
        if end > size:
            found.needs = end - pos
            break
        if checksum(buf[pos + CHECKED_FROM : end]) == crc:
            add(pos)
        else:
            found.problems.append(_bad_checksum(buf, pos, end, crc))
        pos = end
    found.end = pos
    return found


def _not_a_batch(buf: bytes, pos: int, length: int, magic: int) -> Problem | None:
    """An old message, whose length can be trusted; None for anything else."""
    if magic in _OLD_MAGICS and length >= _LEAST_OLD_LENGTH:
        (base_offset, *_) = _unpack_start(buf, pos)
        reason = f"message format {magic} is older than Kafka 0.11 and is not read"
        return Problem(pos, length + LENGTH_END, base_offset, reason)
    return None


def _bad_checksum(buf: bytes, pos: int, end: int, crc: int) -> Problem:
    (base_offset, *_) = _unpack_start(buf, pos)
    actual = google_crc32c.value(buf[pos + CHECKED_FROM : end])
    reason = f"checksum of the batch is {actual:#010x}, its header says {crc:#010x}"
    return Problem(pos, end - pos, base_offset, reason)
