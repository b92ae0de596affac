"""Coordinator records as bytes: key and value of what lies in `__consumer_offsets`, byte for byte as Kafka 4.3.1 writes them.

Written: offsets under key type 1 and classic groups under key type 2. Read: offsets also under key type 0. Other record types
come back as `UnknownRecord`: kept in the log, skipped by the shard (spec 5.1, 5.7). The layouts of the values are in
`offset_value` and `group_value`.

The runtime encodes what outcomes ask for; the loader decodes a whole log. Both keep the start of an offset's key, group and
topic, in a bounded cache, because it repeats from record to record.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from librt.strings import BytesWriter, write_i32_be

from muster.core.records import (
    GroupErased,
    GroupStored,
    OffsetCommitted,
    OffsetErased,
    Record,
    UnknownRecord,
)
from muster.log.group_value import decode_group_value, encode_group_value
from muster.log.offset_value import NO_EXPIRY, decode_offset_value, encode_offset_value, encode_usual_offset_value
from muster.log.record_fields import I32, FieldReader, RecordError, string_field

__all__ = ["RecordError", "decode_record", "encode_record", "encode_records"]

_OFFSET_KEY_TYPES = (0, 1)
_OFFSET_KEY_START = b"\x00\x01"
_GROUP_KEY_TYPE = 2
_GROUP_KEY_START = b"\x00\x02"
_PARTITION_BYTES = 4
_CACHED_PREFIXES = 65_536

_partition_at = I32.unpack_from


def encode_record(record: Record) -> tuple[bytes, bytes | None]:
    """Key and value; the value of a tombstone is None."""
    match record:
        case OffsetCommitted():
            return _offset_key(record), encode_offset_value(record)
        case OffsetErased():
            return _offset_key(record), None
        case GroupStored():
            return _group_key(record.group_id), encode_group_value(record)
        case GroupErased():
            return _group_key(record.group_id), None
        case UnknownRecord():
            raise RecordError(f"a record of unknown type {record.record_type} cannot be written, only kept")


def encode_records(records: Iterable[Record]) -> list[tuple[bytes, bytes | None]]:
    """The records of one outcome, in their order; the usual offset commit takes a short path."""
    encoded: list[tuple[bytes, bytes | None]] = []
    group_id = topic = ""
    prefix: bytes | None = None
    for record in records:
        if isinstance(record, OffsetCommitted):
            topic_id = record.topic_id
            if topic_id is not None and not record.metadata and record.expire_timestamp_ms == NO_EXPIRY:
                if prefix is None or record.topic != topic or record.group_id != group_id:
                    group_id, topic = record.group_id, record.topic
                    prefix = _offset_key_prefix(group_id, topic)
                encoded.append((_with_partition(prefix, record.partition), encode_usual_offset_value(record, topic_id)))
                continue
        encoded.append(encode_record(record))
    return encoded


def _with_partition(prefix: bytes, partition: int) -> bytes:
    out = BytesWriter()
    out.write(prefix)
    write_i32_be(out, partition)
    return out.getvalue()


def decode_record(key: bytes | None, value: bytes | None) -> Record:
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


def _decode_by_fields(key: bytes, value: bytes | None) -> Record:
    """Every record but an offset whose key ends where it should."""
    reader = FieldReader(key, "key of a coordinator record")
    record_type = reader.i16("record type")
    if record_type == _GROUP_KEY_TYPE:
        group_id = reader.string("group id")
        return GroupErased(group_id) if value is None else decode_group_value(group_id, value)
    if record_type not in _OFFSET_KEY_TYPES:
        return UnknownRecord(record_type)
    group_id, topic, partition = reader.string("group id"), reader.string("topic"), reader.i32("partition")
    if value is None:
        return OffsetErased(group_id, topic, partition)
    return decode_offset_value(group_id, topic, partition, value)


def _offset_key(record: OffsetCommitted | OffsetErased) -> bytes:
    return _with_partition(_offset_key_prefix(record.group_id, record.topic), record.partition)


@lru_cache(maxsize=_CACHED_PREFIXES)
def _offset_key_prefix(group_id: str, topic: str) -> bytes:
    return _OFFSET_KEY_START + string_field(group_id, "group id") + string_field(topic, "topic")


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
