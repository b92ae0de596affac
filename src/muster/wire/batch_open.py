"""A magic-2 batch that takes records until it is sealed: what a coordinator writes in one tick lies under one header.

Knows the layout of a record without headers and of the batch around it. Keys and values come whole (`add`), or are written
straight into the batch between `begin_record` and `end_record`. What one caller adds between `mark` and `keep` can be taken
back with `undo`. Callers import it through `muster.wire.batch`.
"""

from __future__ import annotations

from typing import Final

import google_crc32c
from librt.strings import BytesWriter, write_i16_be, write_i32_be, write_i64_be
from mypy_extensions import i16, i32, i64, mypyc_attr, u8

from muster.wire.batch_header import CHECKED_FROM, HEADER_SIZE, LENGTH_END, MAGIC, NO_PRODUCER_ID
from muster.wire.compression import NONE, compress
from muster.wire.native import uvarint_size, write_uvarint, write_zigzag, zigzag_size

_HEAD_BYTES: Final = HEADER_SIZE - CHECKED_FROM
"""The part of the header that the checksum covers. It stands before the records in `out`, so that both are summed at once."""
_LAST_DELTA_AT: Final = 2
_TIMES_AT: Final = 6
_COUNT_AT: Final = 36
"""In that part."""
_NULL: Final = 1
"""The zigzag varint of -1."""
_TWO_BYTES: Final = 128
"""The smallest unsigned varint of two bytes."""
_ONE_BYTE: Final = 64
"""A number below it is one byte as a zigzag varint."""
_crc_of: Final = google_crc32c.value
"""Bound once: a function that is looked up in its module costs as much again as a short checksum."""


@mypyc_attr(acyclic=True)
class OpenBatch:
    """Records with consecutive offsets from `base_offset` on; of no producer unless one is named."""

    __slots__ = (
        "_attributes",
        "_delta_ms",
        "_kept_bytes",
        "_kept_count",
        "base_offset",
        "base_timestamp",
        "count",
        "is_open",
        "leader_epoch",
        "max_timestamp",
        "out",
    )

    def __init__(
        self,
        base_offset: int,
        leader_epoch: int,
        producer_id: i64 = NO_PRODUCER_ID,
        producer_epoch: i64 = -1,
        base_sequence: i64 = -1,
        attributes: i64 = 0,
    ) -> None:
        """`attributes`: bits of the header, without the codec, which is given when it is sealed."""
        self.base_offset = base_offset
        self.leader_epoch = leader_epoch
        self._attributes: i64 = attributes
        out = BytesWriter()
        write_i16_be(out, i16(attributes))
        write_i32_be(out, 0)
        write_i64_be(out, 0)
        write_i64_be(out, 0)
        write_i64_be(out, producer_id)
        write_i16_be(out, i16(producer_epoch))
        write_i32_be(out, i32(base_sequence))
        write_i32_be(out, 0)
        self.out = out
        """Keys and values are written here; whatever surrounds them is this class's business."""
        self.count: i64 = 0
        self.base_timestamp: i64 = 0
        self.max_timestamp: i64 = 0
        self.is_open = True
        """Whoever keeps the batch has not sealed or dropped it yet."""
        self._delta_ms: i64 = 0
        self._kept_bytes: i64 = 0
        self._kept_count: i64 = 0

    @property
    def next_offset(self) -> int:
        return self.base_offset + self.count

    @property
    def size(self) -> int:
        """What it takes in the log if it is not compressed."""
        return CHECKED_FROM + len(self.out)

    def mark(self, timestamp_ms: i64) -> None:
        """The records that follow have this timestamp, and `undo` takes them back."""
        if self.count == 0:
            self.base_timestamp = self.max_timestamp = timestamp_ms
        self._delta_ms = timestamp_ms - self.base_timestamp
        self._kept_bytes = len(self.out)
        self._kept_count = self.count

    def keep(self) -> None:
        """What was added since `mark` stays."""
        timestamp_ms = self.base_timestamp + self._delta_ms
        if timestamp_ms > self.max_timestamp:
            self.max_timestamp = timestamp_ms

    def undo(self) -> None:
        """What was added since `mark` is taken back, a record that was not ended too."""
        self.out.truncate(self._kept_bytes)
        self.count = self._kept_count

    def begin_record(self, key_size: i64, value_size: i64) -> None:
        """The next to be written to `out` is the key. A size of -1 is a field that is null."""
        out = self.out
        index = self.count
        delta_ms = self._delta_ms
        delta_ms = (delta_ms << 1) ^ (delta_ms >> 63)  # it may be negative: clocks are set back
        sizes: i64 = 4
        if key_size > 0:
            sizes += key_size
        if value_size > 0:
            sizes += value_size
        if delta_ms < _TWO_BYTES and index < _ONE_BYTE and key_size < _ONE_BYTE and value_size < _ONE_BYTE:
            # Nearly every record, and without a call for each of its numbers.
            _write_short(out, sizes + 2)
            out.append(0)  # attributes
            out.append(u8(delta_ms))
            out.append(u8(index << 1))
            out.append(u8(key_size << 1) if key_size >= 0 else u8(_NULL))
        else:
            sizes += uvarint_size(delta_ms) + zigzag_size(index) - 2
            _write_short(out, sizes + zigzag_size(key_size) + zigzag_size(value_size))
            out.append(0)
            write_uvarint(out, delta_ms)
            _write_short(out, index)
            _write_size(out, key_size)

    def begin_value(self, value_size: i64) -> None:
        """The key is written, the next is the value."""
        _write_size(self.out, value_size)

    def end_record(self) -> None:
        self.out.append(0)  # headers
        self.count += 1

    def add(self, key: bytes | None, value: bytes | None) -> None:
        value_size: i64 = -1 if value is None else len(value)
        self.begin_record(-1 if key is None else len(key), value_size)
        if key is not None:
            self.out.write(key)
        self.begin_value(value_size)
        if value is not None:
            self.out.write(value)
        self.end_record()

    def seal(self, compression: int = NONE) -> bytes:
        """The batch as it goes to the log. It may be sealed again when more has come."""
        count = self.count
        assert count > 0, "a batch needs at least one record"
        records = self.out
        records[1] = u8(self._attributes | compression)
        _put_number(records, _LAST_DELTA_AT, 4, count - 1)
        _put_number(records, _TIMES_AT, 8, self.base_timestamp)
        _put_number(records, _TIMES_AT + 8, 8, self.max_timestamp)
        _put_number(records, _COUNT_AT, 4, count)
        checked = records.getvalue()
        if compression != NONE:
            checked = checked[:_HEAD_BYTES] + compress(compression, checked[_HEAD_BYTES:])
        crc: i64 = _crc_of(checked)
        out = BytesWriter()
        write_i64_be(out, self.base_offset)
        write_i32_be(out, CHECKED_FROM - LENGTH_END + len(checked))
        write_i32_be(out, self.leader_epoch)
        out.append(MAGIC)
        write_i32_be(out, i32(crc - 0x100000000 if crc & 0x80000000 else crc))
        return out.getvalue() + checked


def _put_number(out: BytesWriter, at: i64, size: i64, number: i64) -> None:
    """Over what stands there, most significant byte first."""
    shift = 8 * size
    for place in range(at, at + size):
        shift -= 8
        out[place] = u8((number >> shift) & 0xFF)


def _write_short(out: BytesWriter, number: i64) -> None:
    """`write_zigzag` of a number that is small nearly always. Here, so that the compiler makes it part of its callers."""
    if number < _ONE_BYTE:
        out.append(u8(number << 1))
    else:
        write_zigzag(out, number)


def _write_size(out: BytesWriter, size: i64) -> None:
    if size < 0:
        out.append(_NULL)
    else:
        _write_short(out, size)
