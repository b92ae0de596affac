"""The 61 bytes in front of the records of a magic-2 batch: read, checked, patched.

Knows the header's layout and which bytes the checksum covers. Does not look into the records (`batch_records`) and
does not know topics or files. Callers import all of it through `muster.wire.batch`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

import google_crc32c
from librt.strings import BytesWriter, read_i16_be, read_i32_be, read_i64_be, write_i32_be, write_i64_be

from muster.wire.errors import CorruptBatch, WireError
from muster.wire.native import read_i8
from muster.wire.value import Value

HEADER_SIZE: Final = 61
MAGIC: Final = 2
NO_PRODUCER_ID: Final = -1
NO_TIMESTAMP: Final = -1

COMPRESSION_MASK: Final = 0x07
LOG_APPEND_TIME_BIT: Final = 0x08
TRANSACTIONAL_BIT: Final = 0x10
CONTROL_BIT: Final = 0x20
DELETE_HORIZON_BIT: Final = 0x40
"""KIP-534: the compactor has put the time from which tombstones may go into the base timestamp."""

LENGTH_END: Final = 12
"""Base offset and batch length come before what the batch length counts."""
MAGIC_AT: Final = 16
_CRC_AT: Final = 17
CHECKED_FROM: Final = 21
"""The checksum covers everything from the attributes on; base offset and leader epoch stay free to be patched."""
_ATTRIBUTES_AT: Final = 21
_MAX_TIMESTAMP_AT: Final = 35

_COPIED_ONCE_FROM: Final = 64 * 1024
"""Larger batches are patched with one copy of their bytes instead of three, which costs a small one more than it saves."""

_crc_of: Final = google_crc32c.value
"""Bound once: a function that is looked up in its module costs as much again as a short checksum."""
_OFFSET = struct.Struct(">q")
_CRC = struct.Struct(">I")
_ATTRIBUTES = struct.Struct(">h")


class OldMessageFormat(WireError):
    """A message set of magic 0 or 1, written by clients older than Kafka 0.11. KIP-724: brokers no longer take these."""

    def __init__(self, magic: int, position: int) -> None:
        super().__init__(
            f"message format {magic} at byte {position} is no longer supported: send record batches of magic 2"
            " (any client since Kafka 0.11)"
        )
        self.magic = magic
        self.position = position


class BatchHeader(Value):
    """The 61 bytes before the records. `size` counts the whole batch, header included."""

    __match_args__ = (
        "base_offset",
        "size",
        "partition_leader_epoch",
        "crc",
        "attributes",
        "last_offset_delta",
        "base_timestamp",
        "max_timestamp",
        "producer_id",
        "producer_epoch",
        "base_sequence",
        "record_count",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        base_offset: int,
        size: int,
        partition_leader_epoch: int,
        crc: int,
        attributes: int,
        last_offset_delta: int,
        base_timestamp: int,
        max_timestamp: int,
        producer_id: int,
        producer_epoch: int,
        base_sequence: int,
        record_count: int,
    ) -> None:
        self.base_offset = base_offset
        self.size = size
        self.partition_leader_epoch = partition_leader_epoch
        self.crc = crc
        self.attributes = attributes
        self.last_offset_delta = last_offset_delta
        self.base_timestamp = base_timestamp
        self.max_timestamp = max_timestamp
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.base_sequence = base_sequence
        self.record_count = record_count

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        return self.base_offset + self.last_offset_delta + 1

    @property
    def compression(self) -> int:
        return self.attributes & COMPRESSION_MASK

    @property
    def is_log_append_time(self) -> bool:
        return bool(self.attributes & LOG_APPEND_TIME_BIT)

    @property
    def is_transactional(self) -> bool:
        return bool(self.attributes & TRANSACTIONAL_BIT)

    @property
    def is_control(self) -> bool:
        return bool(self.attributes & CONTROL_BIT)

    @property
    def last_sequence(self) -> int:
        """The sequence of the last record; sequences wrap to 0 after 2^31 - 1. -1 without one."""
        if self.base_sequence < 0:
            return -1
        return (self.base_sequence + self.last_offset_delta) & 0x7FFFFFFF


def parse_header(buf: bytes, pos: int = 0) -> BatchHeader:
    """The header at `pos`. The records need not be there yet: callers that need them compare `size` themselves."""
    if len(buf) - pos < HEADER_SIZE:
        _refuse_old_format(buf, pos)
        raise CorruptBatch(
            f"a record batch header needs {HEADER_SIZE} bytes, only {max(0, len(buf) - pos)} are left", pos
        )
    magic = read_i8(buf, pos + MAGIC_AT)
    length: int = read_i32_be(buf, pos + 8)
    if magic != MAGIC:
        _refuse_old_format(buf, pos)
        raise CorruptBatch(f"unknown message format {magic}, expected {MAGIC}", pos + MAGIC_AT)
    if length < HEADER_SIZE - LENGTH_END:
        raise CorruptBatch(f"batch length {length} is less than an empty batch has", pos + 8)
    crc: int = read_i32_be(buf, pos + _CRC_AT)
    header = BatchHeader(
        read_i64_be(buf, pos),
        length + LENGTH_END,
        read_i32_be(buf, pos + 12),
        crc & 0xFFFFFFFF,
        read_i16_be(buf, pos + _ATTRIBUTES_AT),
        read_i32_be(buf, pos + 23),
        read_i64_be(buf, pos + 27),
        read_i64_be(buf, pos + _MAX_TIMESTAMP_AT),
        read_i64_be(buf, pos + 43),
        read_i16_be(buf, pos + 51),
        read_i32_be(buf, pos + 53),
        read_i32_be(buf, pos + 57),
    )
    if header.last_offset_delta < 0:
        raise CorruptBatch(f"last offset delta {header.last_offset_delta} is negative", pos + 23)
    if header.record_count < 0:
        raise CorruptBatch(f"record count {header.record_count} is negative", pos + 57)
    return header


def _refuse_old_format(buf: bytes, pos: int) -> None:
    if len(buf) > pos + MAGIC_AT and buf[pos + MAGIC_AT] in (0, 1):
        raise OldMessageFormat(buf[pos + MAGIC_AT], pos)


def iterate_batches(buf: bytes, pos: int = 0) -> Iterator[tuple[int, BatchHeader]]:
    """(position, header) of every batch up to the end of `buf`; a batch that is cut off is an error."""
    end = len(buf)
    while pos < end:
        header = whole_header(buf, pos)
        yield pos, header
        pos += header.size


def whole_header(buf: bytes, pos: int) -> BatchHeader:
    """The header of a batch that is there to its end; a batch that is cut off is an error."""
    header = parse_header(buf, pos)
    if header.size > len(buf) - pos:
        raise CorruptBatch(f"batch of {header.size} bytes is cut off after {len(buf) - pos}", pos)
    return header


def check_crc(buf: bytes, header: BatchHeader, pos: int = 0) -> None:
    """Raise CorruptBatch unless the checksum in the header is that of the bytes."""
    if pos + header.size > len(buf):
        raise CorruptBatch(f"batch of {header.size} bytes is cut off after {len(buf) - pos}", pos)
    actual = _crc_of(buf[pos + CHECKED_FROM : pos + header.size])
    if actual != header.crc:
        raise CorruptBatch(f"checksum is {actual:#010x}, the header says {header.crc:#010x}", pos + _CRC_AT)


def with_offset_and_epoch(batch: bytes, base_offset: int, leader_epoch: int) -> bytes:
    """The same batch at another place in a log: neither field is covered by the checksum."""
    out = BytesWriter()
    write_i64_be(out, base_offset)
    out.write(batch[8:12])
    write_i32_be(out, leader_epoch)
    if len(batch) > _COPIED_ONCE_FROM:
        with memoryview(batch) as whole:
            return b"".join((out.getvalue(), whole[MAGIC_AT:]))
    out.write(batch[MAGIC_AT:])
    return out.getvalue()


def with_max_timestamp(batch: bytes, max_timestamp: int, *, log_append_time: bool) -> bytes:
    """The same batch with another max timestamp and timestamp type, and the checksum that they need.

    With `log_append_time` every record counts as written at `max_timestamp`, whatever its own delta says.
    """
    (attributes,) = _ATTRIBUTES.unpack_from(batch, _ATTRIBUTES_AT)
    if log_append_time:
        attributes |= LOG_APPEND_TIME_BIT
    else:
        attributes &= ~LOG_APPEND_TIME_BIT
    checked = b"".join(
        (
            _ATTRIBUTES.pack(attributes),
            batch[23:_MAX_TIMESTAMP_AT],
            _OFFSET.pack(max_timestamp),
            batch[_MAX_TIMESTAMP_AT + 8 :],
        )
    )
    return b"".join((batch[:_CRC_AT], _CRC.pack(google_crc32c.value(checked)), checked))
