"""Reads the frames of a sync journal, from the front, each where the one before it ends. Knows the bytes, no files.

Frames hold bytes that clients sent, so no frame is ever searched for: reading ends at the first place where the head of the next
frame does not stand. A frame whose head is sound and whose batches are not is left out; its length can be trusted, so reading goes
on behind it. Files of format 1, which earlier versions wrote, have no secret and are read by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import Final, NamedTuple

import google_crc32c

from muster.log.sync_frames import FILE_HEAD_BYTES, FILE_START, SECRET_BYTES, Frame

FILE_START_1: Final = b"muster sync journal 1\n"
_MAGIC_1: Final = b"MSF1"
_START_1 = Struct(">4sIIqqq16siH")
_COUNTED_FROM_1: Final = 12
"""What the checksum covers, and the length counts, begins here."""
_HEAD = Struct(">16sqqqqII16siH")
_CRC = Struct(">I")


class LostFrame(NamedTuple):
    """A frame whose batches cannot be read. Its head can, and says which log had something there."""

    place: int
    """Where it stands in the journal."""
    frames_before: int
    """How many sound frames stand before it."""
    tick: int
    segment_base: int
    position: int
    end: int
    topic_id: bytes
    partition: int
    topic: str


class JournalContent(NamedTuple):
    frames: list[Frame]
    damage: list[LostFrame]
    """Those that were synced, hence acknowledged, before a later commit was written behind them."""
    end: int
    """Where the frames end."""
    unfinished_bytes: int
    """What stands there and is not zero: a write that was never acknowledged, as a crash leaves it, unless `goes_on`."""
    goes_on: bool
    """The head of a later commit is among it. So what stands at `end` was synced, and has rotted since."""


class _Read(NamedTuple):
    """One frame, sound or not, and where it ends."""

    tick: int
    frame: Frame
    """Without its batches if they are not sound."""
    length: int
    """Of its batches."""
    is_sound: bool
    end: int


def read_journal(content: bytes) -> JournalContent:
    """Every sound frame of a file. Nothing of a file whose head is not whole: its first commit was never acknowledged."""
    if content.startswith(FILE_START_1):
        return _read_all(content, len(FILE_START_1), _frame_of_format_1)
    secret = content[len(FILE_START) : FILE_HEAD_BYTES]
    if not content.startswith(FILE_START) or len(secret) < SECRET_BYTES or not any(secret):
        return JournalContent([], [], 0, len(content.rstrip(b"\0")), _goes_on(secret, content, FILE_HEAD_BYTES))
    found = _read_all(content, FILE_HEAD_BYTES, lambda *where: _frame_at(secret, *where))
    return found._replace(goes_on=_goes_on(secret, content, found.end)) if found.unfinished_bytes else found


def _read_all(content: bytes, at: int, read_one: Callable[[bytes, int, int], _Read | None]) -> JournalContent:
    frames: list[Frame] = []
    bad: list[LostFrame] = []
    tick, sequence = at, 0
    while (read := read_one(content, at, sequence)) is not None and read.tick in (tick, at):
        if read.is_sound:
            frames.append(read.frame)
        else:
            bad.append(_lost(read, at, len(frames)))
        tick = read.tick
        at = read.end
        sequence += 1
    # Frames written together with a bad one prove nothing: the pages of one write may reach the disk in any order.
    damage = [lost for lost in bad if lost.tick < tick]
    unfinished = max(0, len(content.rstrip(b"\0")) - at)
    # Of format 1 nobody can say: what looks like a head may be a client's. Rather too much is kept.
    return JournalContent(frames, damage, at, unfinished, unfinished > 0)


def _goes_on(secret: bytes, content: bytes, at: int) -> bool:
    """Whether the head of a commit that was written after what stands at `at` is found behind it.

    Nothing that is found so is used: it only tells a torn end from a place that has rotted. The secret itself may be what has
    rotted, in the file's head or in the frame's.
    """
    for each in {secret, content[at : at + SECRET_BYTES]}:
        place = content.find(each, at + 1) if len(each) == SECRET_BYTES and any(each) else -1
        while place >= 0:
            if _tick_of_head(content, place) > at:
                return True
            place = content.find(each, place + 1)
    return False


def _tick_of_head(content: bytes, at: int) -> int:
    """-1 if no sound head stands here."""
    head_end = at + _HEAD.size
    if head_end > len(content):
        return -1
    head = _HEAD.unpack_from(content, at)
    tick: int = head[2]
    topic_bytes: int = head[9]
    crc_at = head_end + topic_bytes
    if crc_at + _CRC.size > len(content):
        return -1
    crc: int = _CRC.unpack_from(content, crc_at)[0]
    return tick if crc == google_crc32c.value(content[at:crc_at]) else -1


def _lost(read: _Read, place: int, frames_before: int) -> LostFrame:
    frame = read.frame
    end = frame.position + read.length
    return LostFrame(
        place,
        frames_before,
        read.tick,
        frame.segment_base,
        frame.position,
        end,
        frame.topic_id,
        frame.partition,
        frame.topic,
    )


def _frame_at(secret: bytes, content: bytes, at: int, sequence: int) -> _Read | None:
    """None: the head of frame number `sequence` does not stand here, or its batches reach past the end of the file."""
    head_end = at + _HEAD.size
    if head_end > len(content) or content[at : at + SECRET_BYTES] != secret:
        return None
    _, number, tick, segment_base, position, length, crc, topic_id, partition, topic_bytes = _HEAD.unpack_from(
        content, at
    )
    crc_at = head_end + topic_bytes
    begin = crc_at + _CRC.size
    end = begin + length
    if number != sequence or end > len(content):
        return None
    if _CRC.unpack_from(content, crc_at)[0] != google_crc32c.value(content[at:crc_at]):
        return None
    batches = content[begin:end]
    is_sound = google_crc32c.value(batches) == crc
    topic = content[head_end:crc_at].decode("utf-8", "replace")
    frame = Frame(tick, segment_base, position, topic_id, partition, topic, batches if is_sound else b"")
    return _Read(tick, frame, length, is_sound, end)


def _frame_of_format_1(content: bytes, at: int, sequence: int) -> _Read | None:
    """One checksum covered all of it, so a frame is sound or ends the reading."""
    if at + _START_1.size > len(content):
        return None
    magic, crc, length, tick, segment_base, position, topic_id, partition, topic_bytes = _START_1.unpack_from(
        content, at
    )
    begin = at + _START_1.size
    end = at + _COUNTED_FROM_1 + length
    if magic != _MAGIC_1 or not begin + topic_bytes <= end <= len(content):
        return None
    if google_crc32c.value(content[at + _COUNTED_FROM_1 : end]) != crc:
        return None
    topic = content[begin : begin + topic_bytes].decode("utf-8", "replace")
    batches = content[begin + topic_bytes : end]
    frame = Frame(tick, segment_base, position, topic_id, partition, topic, batches)
    return _Read(tick, frame, len(batches), True, end)
