"""The frames of a sync journal: which bytes a commit put where in which segment. Knows the bytes, no files.

A file of the journal is `FILE_HEAD` and frames behind it. Numbers are big-endian:

    magic "MSF1" · crc u32 · length u32 · tick i64 · segment i64 · position i64 ·
    topic id 16 bytes · partition i32 · topic's length u16 · topic · batches

`crc` is CRC-32C of the `length` bytes behind it. `tick` is the place in the journal where the frames begin that were written and
synced together with this one: it tells a torn end from damage. `position` is where the batches stand in the segment's file.
Zeros may follow the last frame, to be overwritten by the next ones.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple

import google_crc32c
from librt.strings import BytesWriter, write_i32_be, write_i64_be
from mypy_extensions import i32, i64

FILE_KIND: Final = b"muster sync journal "
FILE_HEAD: Final = b"muster sync journal 1\n"
_MAGIC: Final = b"MSF1"
_START = Struct(">4sII")
_PLACE = Struct(">qqq")
_LOG = Struct(">16siH")
_START_BYTES: Final = 12
_SMALLEST: Final = 24 + 22
_crc_of: Final = google_crc32c.value
_crc_with: Final = google_crc32c.extend
"""Bound once: a function that is looked up in its module costs as much again as a short checksum."""


class Frame(NamedTuple):
    """What one log had in one commit."""

    tick: int
    segment_base: int
    position: int
    topic_id: bytes
    partition: int
    topic: str
    batches: bytes

    @property
    def end(self) -> int:
        return self.position + len(self.batches)


class JournalContent(NamedTuple):
    frames: list[Frame]
    damage: list[int]
    """Places that cannot be read although they were synced before a later commit was written behind them."""


def log_mark(topic: str, partition: int, topic_id: bytes) -> bytes:
    """The part of a frame that is the same for every frame of a log."""
    text = topic.encode()
    return _LOG.pack(topic_id, partition, len(text)) + text


def frame_head(tick: int, segment_base: int, position: int, mark: bytes, batches: bytes) -> bytes:
    """What stands before `batches`."""
    out = BytesWriter()
    write_i64_be(out, tick)
    write_i64_be(out, segment_base)
    write_i64_be(out, position)
    out.write(mark)
    place = out.getvalue()
    crc: i64 = _crc_with(_crc_of(place), batches)
    out.truncate(0)
    out.write(_MAGIC)
    write_i32_be(out, i32(crc - 0x100000000 if crc & 0x80000000 else crc))
    write_i32_be(out, len(place) + len(batches))
    out.write(place)
    return out.getvalue()


def read_journal(content: bytes) -> JournalContent:
    """Every sound frame. What is not one at the end is a write that was never acknowledged: it ends the reading quietly."""
    frames: list[Frame] = []
    bad: list[int] = [] if content.startswith(FILE_HEAD) else [0]
    at = len(FILE_HEAD)
    while 0 <= at < len(content):
        frame, size = _frame_at(content, at)
        if frame is not None:
            frames.append(frame)
            at += size
        else:
            bad.append(at)
            at = _next_sound(content, at)
    # Frames written together with a bad one prove nothing: the pages of one write may reach the disk in any order.
    last_tick = max((frame.tick for frame in frames), default=0)
    first_tick = len(FILE_HEAD)
    return JournalContent(frames, [at for at in bad if max(at, first_tick) < last_tick])


def _frame_at(content: bytes, at: int) -> tuple[Frame | None, int]:
    if at + _START_BYTES + _SMALLEST > len(content):
        return None, 0
    magic, crc, length = _START.unpack_from(content, at)
    begin = at + _START_BYTES
    end = begin + length
    if magic != _MAGIC or length < _SMALLEST or end > len(content) or _crc_of(content[begin:end]) != crc:
        return None, 0
    tick, segment_base, position = _PLACE.unpack_from(content, begin)
    topic_id, partition, text_bytes = _LOG.unpack_from(content, begin + _PLACE.size)
    text_at = begin + _SMALLEST
    topic = content[text_at : text_at + text_bytes].decode()
    batches = content[text_at + text_bytes : end]
    return Frame(tick, segment_base, position, topic_id, partition, topic, batches), end - at


def _next_sound(content: bytes, at: int) -> int:
    """Where the first sound frame behind `at` begins; -1 if there is none."""
    at = content.find(_MAGIC, at + 1)
    while at >= 0 and _frame_at(content, at)[0] is None:
        at = content.find(_MAGIC, at + 1)
    return at
