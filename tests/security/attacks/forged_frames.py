"""Frames of the sync journal as an attacker or a broken disk may make them, and stores that end without a clean stop."""

from __future__ import annotations

import struct

import google_crc32c

from muster.log.files import FileStore

FORMAT_1 = b"muster sync journal 1\n"
FORMAT_2 = b"muster sync journal 2\n"
SECRET = bytes(range(100, 116))
"""Of the files that are made here; an attacker does not know that of a real one."""


def frame_1(
    tick: int, segment: int, position: int, topic_id: bytes, partition: int, topic: bytes, batches: bytes
) -> bytes:
    """Format 1: a magic and a checksum that anybody can compute."""
    body = struct.pack(">qqq16siH", tick, segment, position, topic_id, partition, len(topic)) + topic + batches
    return b"MSF1" + struct.pack(">II", google_crc32c.value(body), len(body)) + body


def frame_2(
    sequence: int, tick: int, segment: int, position: int, topic_id: bytes, partition: int, topic: bytes, batches: bytes
) -> bytes:
    """Format 2 with the secret of this module."""
    head = SECRET + struct.pack(
        ">qqqqII", sequence, tick, segment, position, len(batches), google_crc32c.value(batches)
    )
    head += struct.pack(">16siH", topic_id, partition, len(topic)) + topic
    return head + struct.pack(">I", google_crc32c.value(head)) + batches


def journal_2(*frames: tuple[int, int, bytes, int, bytes, bytes]) -> bytes:
    """A whole file; each frame is segment, position, topic id, partition, topic, batches."""
    content = FORMAT_2 + SECRET
    for sequence, frame in enumerate(frames):
        content += frame_2(sequence, len(content), *frame)
    return content


def journal_1(*frames: tuple[int, int, bytes, int, bytes, bytes]) -> bytes:
    content = FORMAT_1
    for frame in frames:
        content += frame_1(len(content), *frame)
    return content


def kill(store: FileStore) -> None:
    """The process is gone: nothing more is written, the lock falls."""
    store._journal.abandon()
    store._side_by_side.close()
    store._access.readers.close()
    store._access.writers.close()
    store._release_directory()
