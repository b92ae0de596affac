"""What compaction does to the bytes of one batch: find its keys, leave records out, set the delete horizon, empty it.

Knows the layout of batches; does not decide what goes. Base offset, last offset delta, producer and codec stay as they
were, so offsets and producer state survive. Records that stay are copied as bytes, not decoded and made again.
Called by `compaction_filter` and `compaction_scan`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from muster.wire.batch import (
    COMPRESSION_MASK,
    DELETE_HORIZON_BIT,
    NO_TIMESTAMP,
    BatchHeader,
    CorruptBatch,
    records_payload,
    resealed,
)
from muster.wire.compression import compress
from muster.wire.varint import read_zigzag, zigzag


class RecordPlace(NamedTuple):
    """Where one record lies in its batch's unpacked payload, and what compaction asks of it."""

    start: int
    end: int
    body: int
    """Behind the record's length."""
    after_timestamp: int
    timestamp_delta: int
    offset_delta: int
    key: bytes | None
    has_value: bool


def delete_horizon(header: BatchHeader) -> int | None:
    """KIP-534: when tombstones and markers in this batch may go; None until a compaction has set it."""
    return header.base_timestamp if header.attributes & DELETE_HORIZON_BIT else None


def record_places(batch: bytes, header: BatchHeader) -> tuple[bytes, list[RecordPlace]]:
    """The unpacked records of a whole batch, and the place of each."""
    payload = records_payload(batch, header)
    try:
        places = _walk(payload, header.record_count)
    except IndexError:
        raise CorruptBatch("the records end in the middle of a record", len(payload)) from None
    return payload, places


def _walk(data: bytes, count: int) -> list[RecordPlace]:
    places: list[RecordPlace] = []
    new = tuple.__new__
    pos = 0
    for _ in range(count):
        start = pos
        length, body = read_zigzag(data, pos)
        end = body + length
        if length < 0 or end > len(data):
            raise CorruptBatch(f"record length {length} does not fit into the records", start)
        timestamp_delta, after_timestamp = read_zigzag(data, body + 1)
        offset_delta, pos = read_zigzag(data, after_timestamp)
        size, pos = read_zigzag(data, pos)
        key = None
        if size >= 0:
            key = data[pos : pos + size]
            pos += size
        size, pos = read_zigzag(data, pos)
        if pos > end:
            raise CorruptBatch(f"record should end at {end}, its key ends at {pos}", start)
        places.append(
            new(RecordPlace, (start, end, body, after_timestamp, timestamp_delta, offset_delta, key, size >= 0))
        )
        pos = end
    return places


def rebuilt(header: BatchHeader, payload: bytes, kept: Sequence[RecordPlace], horizon_ms: int | None) -> bytes:
    """The batch with these records only. `horizon_ms`: set this delete horizon; None leaves the base timestamp alone."""
    attributes, base_timestamp = header.attributes, header.base_timestamp
    if horizon_ms is None:
        parts = [payload[place.start : place.end] for place in kept]
    else:
        # The horizon takes the place of the base timestamp, so every record's delta is counted from it.
        attributes |= DELETE_HORIZON_BIT
        shift = base_timestamp - horizon_ms
        parts = [_with_timestamp_delta(payload, place, place.timestamp_delta + shift) for place in kept]
        base_timestamp = horizon_ms
    if header.is_log_append_time:
        max_timestamp = header.max_timestamp
    else:
        max_timestamp = header.base_timestamp + max(place.timestamp_delta for place in kept)
    packed = compress(header.compression, b"".join(parts))
    return resealed(header, packed, attributes, base_timestamp, max_timestamp, len(kept), header.partition_leader_epoch)


def emptied(header: BatchHeader) -> bytes:
    """Only the header, so that the offsets up to its last and the producer's sequence are not forgotten."""
    attributes = header.attributes & ~(COMPRESSION_MASK | DELETE_HORIZON_BIT)
    epoch = header.partition_leader_epoch
    return resealed(header, b"", attributes, NO_TIMESTAMP, header.max_timestamp, 0, epoch)


def _with_timestamp_delta(payload: bytes, place: RecordPlace, delta: int) -> bytes:
    attributes = payload[place.body : place.body + 1]
    body = b"".join((attributes, zigzag(delta), payload[place.after_timestamp : place.end]))
    return zigzag(len(body)) + body
