"""Coordinator records as bytes: key and value of what lies in `__consumer_offsets`, byte for byte as Kafka 4.3.1 writes them.

Written: offsets under key type 1, classic groups under key type 2, consumer groups under types 3 to 8 and 16. Read: offsets also
under key type 0. Other record types come back as `UnknownRecord`: kept in the log, skipped by the shard (spec 5.1, 5.7). The
layouts of the values are in `offset_value`, `group_value` and `consumer_group_value`.

The runtime writes what outcomes ask for; the loader decodes a whole log. Both keep the start of an offset's key, group and
topic, in a bounded cache, because it repeats from record to record.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from librt.strings import BytesWriter, write_i32_be
from mypy_extensions import i32, i64

from muster.core.consumer.records import ConsumerGroupRecord
from muster.core.offsets.topic_offsets import COLUMNS
from muster.core.records import (
    EndTransactionMarker,
    GroupErased,
    GroupStored,
    LogRecord,
    OffsetCommitted,
    OffsetErased,
    OffsetsCommitted,
    Record,
    SingleRecord,
    TransactionalOffset,
    UnknownRecord,
)
from muster.log.consumer_group_value import (
    CONSUMER_GROUP_TYPES,
    decode_consumer_group_record,
    encode_consumer_group_record,
)
from muster.log.group_value import decode_group_value, encode_group_value
from muster.log.offset_value import (
    decode_offset_value,
    encode_offset_value,
    offset_start_size,
    offset_value_end,
    write_offset_start,
)
from muster.log.record_fields import I32, FieldReader, RecordError, string_field, string_octets
from muster.wire.batch import OpenBatch

__all__ = ["RecordError", "decode_record", "encode_record", "write_record"]

_OFFSET_KEY_TYPES = (0, 1)
_OFFSET_KEY_START = b"\x00\x01"
_GROUP_KEY_TYPE = 2
_GROUP_KEY_START = b"\x00\x02"
_PARTITION_BYTES: Final = 4
_CACHED_PREFIXES: Final = 65_536

_partition_at = I32.unpack_from


def write_record(batch: OpenBatch, record: Record) -> None:
    """Add it to a batch, as the record or the records of the log that it is."""
    if isinstance(record, OffsetsCommitted):
        _write_offsets(batch, record)
    else:
        key, value = encode_record(record)
        batch.add(key, value)


def _write_offsets(batch: OpenBatch, record: OffsetsCommitted) -> None:
    """The hot path: keys and values go straight into the batch."""
    out = batch.out
    offsets = record.offsets
    numbers = offsets.numbers
    topic_id = offsets.topic_id
    prefix = _key_starts.of(record.group_id, offsets.topic)
    key_size: i64 = len(prefix) + _PARTITION_BYTES
    committed_ms: i64 = record.commit_timestamp_ms
    expires_ms: i64 = record.expire_timestamp_ms
    start_size = offset_start_size(expires_ms)
    end = offset_value_end(b"", committed_ms, expires_ms, topic_id)
    at: i64 = 0
    for row in range(i64(len(offsets))):
        if offsets.metadata is not None:
            metadata = string_octets(offsets.metadata_of(row), "offset metadata")
            end = offset_value_end(metadata, committed_ms, expires_ms, topic_id)
        value_size: i64 = start_size + len(end)
        batch.begin_record(key_size, value_size)
        out.write(prefix)
        write_i32_be(out, i32(numbers[at]))
        batch.begin_value(value_size)
        write_offset_start(out, numbers[at + 1], numbers[at + 2], expires_ms)
        out.write(end)
        batch.end_record()
        at += COLUMNS


def encode_record(record: SingleRecord) -> tuple[bytes, bytes | None]:
    """Key and value; the value of a tombstone is None. What its batch has to say is the batch's business."""
    match record:
        case OffsetCommitted():
            return _offset_key(record), encode_offset_value(record)
        case OffsetErased():
            return _offset_key(record), None
        case GroupStored():
            return _group_key(record.group_id), encode_group_value(record)
        case GroupErased():
            return _group_key(record.group_id), None
        case ConsumerGroupRecord():
            return encode_consumer_group_record(record)
        case UnknownRecord():
            raise RecordError(f"a record of unknown type {record.record_type} cannot be written, only kept")
        case TransactionalOffset():
            return encode_record(record.committed)
        case EndTransactionMarker():
            raise AssertionError(f"a control record is no record of the coordinator: {record!r}")


def _with_partition(prefix: bytes, partition: int) -> bytes:
    out = BytesWriter()
    out.write(prefix)
    write_i32_be(out, partition)
    return out.getvalue()


def decode_record(key: bytes | None, value: bytes | None) -> LogRecord:
    """The typed record; `RecordError` for bytes that Kafka would not load either (spec 5.7)."""
    if key is None:
        raise RecordError("a coordinator record without a key: the topic is compacted, every record needs one")
    place = _place_of(key[:-_PARTITION_BYTES])
    if place is None:
        return _decode_by_fields(key, value)
    partition: int = _partition_at(key, len(key) - _PARTITION_BYTES)[0]
    if value is None:
        return OffsetErased(place[0], place[1], partition)
    return decode_offset_value(place[0], place[1], partition, value)


def _decode_by_fields(key: bytes, value: bytes | None) -> LogRecord:
    """Every record but an offset whose key ends where it should."""
    reader = FieldReader(key, "key of a coordinator record")
    record_type = reader.i16("record type")
    if record_type == _GROUP_KEY_TYPE:
        group_id = reader.string("group id")
        return GroupErased(group_id) if value is None else decode_group_value(group_id, value)
    if record_type in CONSUMER_GROUP_TYPES:
        return decode_consumer_group_record(record_type, reader, value)
    if record_type not in _OFFSET_KEY_TYPES:
        return UnknownRecord(record_type)
    group_id, topic, partition = reader.string("group id"), reader.string("topic"), reader.i32("partition")
    if value is None:
        return OffsetErased(group_id, topic, partition)
    return decode_offset_value(group_id, topic, partition, value)


def _offset_key(record: OffsetCommitted | OffsetErased) -> bytes:
    return _with_partition(_key_starts.of(record.group_id, record.topic), record.partition)


class _KeyStarts:
    """group -> topic -> how the keys of its offsets begin. Not lru_cache: making and hashing a tuple costs more than the rest."""

    __slots__ = ("_by_group", "_count")

    def __init__(self) -> None:
        self._by_group: dict[str, dict[str, bytes]] = {}
        self._count = 0

    def of(self, group_id: str, topic: str) -> bytes:
        topics = self._by_group.get(group_id)
        if topics is not None:
            start = topics.get(topic)
            if start is not None:
                return start
        return self._make(group_id, topic)

    def _make(self, group_id: str, topic: str) -> bytes:
        start = _OFFSET_KEY_START + string_field(group_id, "group id") + string_field(topic, "topic")
        if self._count >= _CACHED_PREFIXES:
            self._by_group.clear()
            self._count = 0
        self._by_group.setdefault(group_id, {})[topic] = start
        self._count += 1
        return start


_key_starts: Final = _KeyStarts()


def _group_key(group_id: str) -> bytes:
    return _GROUP_KEY_START + string_field(group_id, "group id")


@lru_cache(maxsize=_CACHED_PREFIXES)
def _place_of(prefix: bytes) -> tuple[str, str] | None:
    """Group and topic, if these bytes are an offset key without its last four, the partition; None for anything else."""
    reader = FieldReader(prefix, "start of an offset key")
    try:
        if reader.i16("record type") not in _OFFSET_KEY_TYPES:
            return None
        place = reader.string("group id"), reader.string("topic")
    except RecordError:
        return None
    return place if reader.position == len(prefix) else None
