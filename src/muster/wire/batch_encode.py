"""Records become a magic-2 batch.

Two ways in: `encode_batch` for any records, `encode_pairs` for keys and values that share one timestamp. `recompressed` has
records that are encoded already. What grows record by
record is `batch_open`'s. Callers import it through `muster.wire.batch`.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

import google_crc32c

from muster.wire.batch_header import (
    CHECKED_FROM,
    CONTROL_BIT,
    LENGTH_END,
    LOG_APPEND_TIME_BIT,
    MAGIC,
    NO_PRODUCER_ID,
    TRANSACTIONAL_BIT,
    BatchHeader,
)
from muster.wire.batch_open import OpenBatch
from muster.wire.batch_records import Headers, Record
from muster.wire.compression import NONE, compress
from muster.wire.varint import zigzag

_BEFORE_CHECKED = struct.Struct(">qiibI")
_CHECKED_HEADER = struct.Struct(">hiqqqhii")
_NULL: Final = zigzag(-1)


def encode_pairs(
    pairs: Sequence[tuple[bytes | None, bytes | None]], timestamp_ms: int, *, leader_epoch: int = -1
) -> bytes:
    """An uncompressed batch of (key, value) pairs that share one timestamp; base offset 0, no producer."""
    batch = OpenBatch(0, leader_epoch)
    batch.mark(timestamp_ms)
    for key, value in pairs:
        batch.add(key, value)
    batch.keep()
    return batch.seal()


def encode_batch(
    records: Sequence[Record],
    *,
    base_offset: int | None = None,
    compression: int = NONE,
    log_append_time_ms: int | None = None,
    leader_epoch: int = -1,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    transactional: bool = False,
    control: bool = False,
    last_offset_delta: int | None = None,
) -> bytes:
    """A batch of these records. Offsets must ascend; the base offset is the first record's unless given.

    A compacted batch keeps the base offset and `last_offset_delta` that it had before records were dropped.
    """
    _refuse_empty(len(records))
    base = records[0].offset if base_offset is None else base_offset
    base_timestamp = records[0].timestamp_ms
    parts: list[bytes] = []
    for record in records:
        body = _encode_record(record, record.timestamp_ms - base_timestamp, record.offset - base)
        parts.append(zigzag(len(body)))
        parts.append(body)
    attributes = compression
    max_timestamp = max(record.timestamp_ms for record in records)
    if log_append_time_ms is not None:
        attributes |= LOG_APPEND_TIME_BIT
        max_timestamp = log_append_time_ms
    if transactional:
        attributes |= TRANSACTIONAL_BIT
    if control:
        attributes |= CONTROL_BIT
    last_delta = records[-1].offset - base if last_offset_delta is None else last_offset_delta
    checked_header = _CHECKED_HEADER.pack(
        attributes,
        last_delta,
        base_timestamp,
        max_timestamp,
        producer_id,
        producer_epoch,
        base_sequence,
        len(records),
    )
    return _seal(base, leader_epoch, checked_header + compress(compression, b"".join(parts)))


def recompressed(
    header: BatchHeader, payload: bytes, codec: int, max_timestamp: int, *, log_append_time: bool
) -> bytes:
    """The batch of this header with the same records, `payload` when unpacked, in another codec. No record is looked at."""
    attributes = codec | (LOG_APPEND_TIME_BIT if log_append_time else 0)
    attributes |= header.attributes & TRANSACTIONAL_BIT
    packed = compress(codec, payload)
    return resealed(header, packed, attributes, header.base_timestamp, max_timestamp, header.record_count, -1)


def resealed(
    header: BatchHeader,
    records: bytes,
    attributes: int,
    base_timestamp: int,
    max_timestamp: int,
    record_count: int,
    leader_epoch: int,
) -> bytes:
    """A batch with these records, compressed if the attributes say so; offsets and producer are those of `header`."""
    checked_header = _CHECKED_HEADER.pack(
        attributes,
        header.last_offset_delta,
        base_timestamp,
        max_timestamp,
        header.producer_id,
        header.producer_epoch,
        header.base_sequence,
        record_count,
    )
    return _seal(header.base_offset, leader_epoch, checked_header + records)


def _encode_record(record: Record, timestamp_delta: int, offset_delta: int) -> bytes:
    parts = [b"\0", zigzag(timestamp_delta), zigzag(offset_delta)]
    _put_nullable(parts, record.key)
    _put_nullable(parts, record.value)
    _put_headers(parts, record.headers)
    return b"".join(parts)


def _put_headers(parts: list[bytes], headers: Headers) -> None:
    parts.append(zigzag(len(headers)))
    for name, value in headers:
        _put_nullable(parts, name.encode())
        _put_nullable(parts, value)


def _put_nullable(parts: list[bytes], field: bytes | None) -> None:
    if field is None:
        parts.append(_NULL)
    else:
        parts.append(zigzag(len(field)))
        parts.append(field)


def _seal(base_offset: int, leader_epoch: int, checked: bytes) -> bytes:
    length = CHECKED_FROM - LENGTH_END + len(checked)
    crc = google_crc32c.value(checked)
    return _BEFORE_CHECKED.pack(base_offset, length, leader_epoch, MAGIC, crc) + checked


def _refuse_empty(count: int) -> None:
    assert count > 0, "a batch needs at least one record"
