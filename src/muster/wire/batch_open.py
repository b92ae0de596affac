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

_NULL: Final = 1
"""The zigzag varint of -1."""
_TWO_BYTES: Final = 128
"""The smallest unsigned varint of two bytes."""
_crc_of: Final = google_crc32c.value
_crc_with: Final = google_crc32c.extend
"""Bound once: a function that is looked up in its module costs as much again as a short checksum."""


@mypyc_attr(acyclic=True)
class OpenBatch:
    """Records with consecutive offsets from `base_offset` on; of no producer unless one is named."""

    __slots__ = (
        "_attributes",
        "_base_sequence",
        "_delta_ms",
        "_kept_bytes",
        "_kept_count",
        "_producer_epoch",
        "_producer_id",
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
        self._producer_id: i64 = producer_id
        self._producer_epoch: i64 = producer_epoch
        self._base_sequence: i64 = base_sequence
        self._attributes: i64 = attributes
        self.out = BytesWriter()
        """The records. Keys and values are written here; whatever surrounds them is this class's business."""
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
        return HEADER_SIZE + len(self.out)

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
        delta_size: i64 = 1 if delta_ms < _TWO_BYTES else uvarint_size(delta_ms)
        _write_short(out, 2 + delta_size + _short_size(index) + _field_size(key_size) + _field_size(value_size))
        out.append(0)  # attributes
        if delta_ms < _TWO_BYTES:
            out.append(u8(delta_ms))
        else:
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
        checked = BytesWriter()
        write_i16_be(checked, i16(self._attributes | compression))
        write_i32_be(checked, i32(count - 1))
        write_i64_be(checked, self.base_timestamp)
        write_i64_be(checked, self.max_timestamp)
        write_i64_be(checked, self._producer_id)
        write_i16_be(checked, i16(self._producer_epoch))
        write_i32_be(checked, i32(self._base_sequence))
        write_i32_be(checked, i32(count))
        head = checked.getvalue()
        records = self.out.getvalue()
        if compression != NONE:
            records = compress(compression, records)
        # Piece by piece: the records may be many, and are copied as seldom as can be.
        crc: i64 = _crc_with(_crc_of(head), records)
        out = BytesWriter()
        write_i64_be(out, self.base_offset)
        write_i32_be(out, CHECKED_FROM - LENGTH_END + len(head) + len(records))
        write_i32_be(out, self.leader_epoch)
        out.append(MAGIC)
        write_i32_be(out, i32(crc - 0x100000000 if crc & 0x80000000 else crc))
        out.write(head)
        return out.getvalue() + records


def _field_size(size: i64) -> i64:
    if size < 0:
        return 1
    return _short_size(size) + size


def _short_size(number: i64) -> i64:
    """`zigzag_size` of a number that is small nearly always. Here, so that the compiler makes it part of its callers."""
    return 1 if number < _TWO_BYTES // 2 else zigzag_size(number)


def _write_short(out: BytesWriter, number: i64) -> None:
    """`write_zigzag`, likewise: three calls less a record."""
    if number < _TWO_BYTES // 2:
        out.append(u8(number << 1))
    else:
        write_zigzag(out, number)


def _write_size(out: BytesWriter, size: i64) -> None:
    if size < 0:
        out.append(_NULL)
    else:
        _write_short(out, size)
