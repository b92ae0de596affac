"""Which record of a batch a timestamp search means. Pure; `memory` and `files` find the batch, this finds the record."""

from __future__ import annotations

from muster.log.contract import StorageError, TimestampOffset
from muster.wire.batch import BatchHeader, decode_records
from muster.wire.errors import WireError


def first_at_or_after(
    batch: bytes, header: BatchHeader, timestamp_ms: int, from_offset: int, where: str
) -> TimestampOffset | None:
    """The first record at or after `from_offset` whose timestamp is at least `timestamp_ms`, if the batch has one."""
    is_whole = header.record_count == header.last_offset_delta + 1  # compaction leaves records out
    if header.is_log_append_time and is_whole and header.base_offset >= from_offset:
        return TimestampOffset(header.max_timestamp, header.base_offset)
    try:
        records = decode_records(batch, header)
    except WireError as error:
        raise StorageError(f"{where}: the batch at offset {header.base_offset} cannot be read: {error}") from error
    for record in records:
        if record.offset >= from_offset and record.timestamp_ms >= timestamp_ms:
            return TimestampOffset(record.timestamp_ms, record.offset)
    return None
