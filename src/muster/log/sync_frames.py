"""The frames of a sync journal: which bytes a commit put where in which segment. Knows the bytes, no files.

A file of the journal is a head, `FILE_START` and a secret of 16 random bytes, and frames behind it. Numbers are big-endian:

    secret 16 bytes · sequence i64 · tick i64 · segment i64 · position i64 · length u32 · checksum u32 ·
    topic id 16 bytes · partition i32 · topic's length u16 · topic · head's checksum u32 · batches

Batches are bytes that clients sent. The secret keeps any of them from being taken for a frame: nobody outside of this process can
know it, and each file has another. `sequence` counts the frames of the file, so that each one says which it has to follow. `tick`
is the place in the journal where the frames begin that were written and synced together with this one: it tells a torn end from
damage. `length` and `checksum` are those of the batches, `position` is where they stand in the segment's file. The head's checksum
covers everything before it, so that the length of a frame can be trusted even if its batches cannot. Both are CRC-32C. Zeros may
follow the last frame, to be overwritten by the next ones. `sync_reading` reads what is written here.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple

import google_crc32c
from librt.strings import BytesWriter, write_i32_be, write_i64_be
from mypy_extensions import i32, i64

FILE_KIND: Final = b"muster sync journal "
FILE_START: Final = b"muster sync journal 2\n"
SECRET_BYTES: Final = 16
FILE_HEAD_BYTES: Final = 22 + SECRET_BYTES
_LOG = Struct(">16siH")
_crc_of: Final = google_crc32c.value
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


def file_head(secret: bytes) -> bytes:
    """How a file of the journal begins."""
    return FILE_START + secret


def log_mark(topic: str, partition: int, topic_id: bytes) -> bytes:
    """The part of a frame that is the same for every frame of a log."""
    text = topic.encode()
    return _LOG.pack(topic_id, partition, len(text)) + text


def frame_head(
    secret: bytes, sequence: int, tick: int, segment_base: int, position: int, mark: bytes, batches: bytes
) -> bytes:
    """What stands before `batches`."""
    out = BytesWriter()
    out.write(secret)
    write_i64_be(out, sequence)
    write_i64_be(out, tick)
    write_i64_be(out, segment_base)
    write_i64_be(out, position)
    write_i32_be(out, len(batches))
    write_i32_be(out, _signed(_crc_of(batches)))
    out.write(mark)
    write_i32_be(out, _signed(_crc_of(out.getvalue())))
    return out.getvalue()


def _signed(crc: i64) -> i32:
    return i32(crc - 0x100000000 if crc & 0x80000000 else crc)
