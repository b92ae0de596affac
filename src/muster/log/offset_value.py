"""The value of a committed offset: read in versions 0 to 4, written in version 4, or 1 with an expire timestamp (spec 5.2).

The layouts that fill real logs are read by one or two structs: version 4 as Kafka writes it now, version 3 as Kafka 2.1 to 4.0
wrote it. Whatever does not fit them exactly is read field by field, which also finds the words for what is wrong.
Called by `record_codec` only.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import Final

from librt.strings import BytesWriter, write_i16_be, write_i32_be, write_i64_be
from mypy_extensions import i32, i64

from muster.core.records import OffsetCommitted
from muster.log.record_fields import I64, FieldReader, string_octets
from muster.wire.native import write_uvarint
from muster.wire.special_values import NO_EXPIRY, TOPIC_ID_BYTES

_FLEXIBLE_SINCE: Final = 4
_TOPIC_ID_TAG = 0
_CACHED_TOPIC_IDS = 4_096

_USUAL = Struct(">hqiBqBBB16s")
"""Version, offset, leader epoch, empty metadata (1), commit timestamp, one tagged field: number 0, 16 bytes, the topic id."""
_START_V4 = Struct(">hqiB")
_END_V4 = Struct(">qBBB16s")
_START_V3 = Struct(">hqih")

_BEFORE_TOPIC_ID: Final = b"\x01\x00\x10"
"""One tagged field: number 0, 16 bytes."""

_START_BYTES_V1: Final = 10
"""Version and offset."""
_START_BYTES_V4: Final = 14
"""Version, offset, leader epoch."""

_USUAL_BYTES = _USUAL.size
_START_V4_BYTES = _START_V4.size
_START_V3_BYTES = _START_V3.size

_unpack_usual = _USUAL.unpack
_unpack_start_v4 = _START_V4.unpack_from
_unpack_end_v4 = _END_V4.unpack_from
_unpack_start_v3 = _START_V3.unpack_from
_unpack_i64 = I64.unpack_from


def encode_offset_value(record: OffsetCommitted) -> bytes:
    metadata = string_octets(record.metadata, "offset metadata")
    expires_ms: i64 = record.expire_timestamp_ms
    out = BytesWriter()
    write_offset_start(out, record.offset, record.leader_epoch, expires_ms)
    out.write(offset_value_end(metadata, record.commit_timestamp_ms, expires_ms, record.topic_id))
    return out.getvalue()


def offset_start_size(expires_ms: i64) -> i64:
    """Of what `write_offset_start` writes."""
    return _START_BYTES_V4 if expires_ms == NO_EXPIRY else _START_BYTES_V1


def write_offset_start(out: BytesWriter, offset: i64, leader_epoch: i64, expires_ms: i64) -> None:
    """The part of a value that each partition of a commit has to itself."""
    if expires_ms != NO_EXPIRY:
        # As Kafka: the version that knows an expire timestamp has neither leader epoch nor topic id.
        write_i16_be(out, 1)
        write_i64_be(out, offset)
        return
    write_i16_be(out, _FLEXIBLE_SINCE)
    write_i64_be(out, offset)
    write_i32_be(out, i32(leader_epoch))


def offset_value_end(metadata: bytes, committed_ms: i64, expires_ms: i64, topic_id: bytes | None) -> bytes:
    """The rest of it: the same for all partitions of a topic in one commit, unless they have metadata of their own."""
    out = BytesWriter()
    if expires_ms != NO_EXPIRY:
        write_i16_be(out, len(metadata))
        out.write(metadata)
        write_i64_be(out, committed_ms)
        write_i64_be(out, expires_ms)
        return out.getvalue()
    if len(metadata) > 0:
        write_uvarint(out, len(metadata) + 1)
        out.write(metadata)
    else:
        out.append(1)
    write_i64_be(out, committed_ms)
    if topic_id is None:
        out.append(0)  # no tagged fields
    else:
        out.write(_BEFORE_TOPIC_ID)
        out.write(topic_id)
    return out.getvalue()


def decode_offset_value(group_id: str, topic: str, partition: int, value: bytes) -> OffsetCommitted:
    size = len(value)
    if size == _USUAL_BYTES:
        version, offset, epoch, text, committed_ms, tags, tag, tag_size, topic_id = _unpack_usual(value)
        if version == 4 and text == 1 and tags == 1 and tag == 0 and tag_size == 16:
            return OffsetCommitted(
                group_id, topic, partition, offset, epoch, "", committed_ms, NO_EXPIRY, _shared_topic_id(topic_id)
            )
    if size >= _USUAL_BYTES and value[1] == 4:
        version, offset, epoch, text = _unpack_start_v4(value)
        # `text` is the metadata's length plus one, if that fits one byte; the value must end right behind the topic id.
        if version == 4 and 0 < text < 0x80 and size == _USUAL_BYTES + text - 1:
            end = _START_V4_BYTES + text - 1
            committed_ms, tags, tag, tag_size, topic_id = _unpack_end_v4(value, end)
            if tags == 1 and tag == 0 and tag_size == 16:
                metadata = value[_START_V4_BYTES:end].decode("utf-8", "replace")
                return OffsetCommitted(
                    group_id,
                    topic,
                    partition,
                    offset,
                    epoch,
                    metadata,
                    committed_ms,
                    NO_EXPIRY,
                    _shared_topic_id(topic_id),
                )
    elif size > _START_V3_BYTES and value[1] == 3:
        version, offset, epoch, text = _unpack_start_v3(value)
        end = _START_V3_BYTES + text
        if version == 3 and text >= 0 and size == end + 8:
            metadata = value[_START_V3_BYTES:end].decode("utf-8", "replace")
            committed_ms = _unpack_i64(value, end)[0]
            return OffsetCommitted(group_id, topic, partition, offset, epoch, metadata, committed_ms)
    return _decode_by_fields(group_id, topic, partition, value)


def _decode_by_fields(group_id: str, topic: str, partition: int, value: bytes) -> OffsetCommitted:
    reader = FieldReader(value, f"value of the offset of group {group_id!r} for {topic!r} partition {partition}")
    version = reader.i16("version")
    if not 0 <= version <= _FLEXIBLE_SINCE:
        raise reader.error(f"version {version} is not known, 0 to {_FLEXIBLE_SINCE} are")
    reader.flexible = version >= _FLEXIBLE_SINCE
    return OffsetCommitted(
        group_id,
        topic,
        partition,
        offset=reader.i64("offset"),
        leader_epoch=reader.i32("leader epoch") if version >= 3 else -1,
        metadata=reader.string("metadata"),
        commit_timestamp_ms=reader.i64("commit timestamp"),
        expire_timestamp_ms=reader.i64("expire timestamp") if version == 1 else NO_EXPIRY,
        topic_id=_tagged_topic_id(reader),
    )


def _tagged_topic_id(reader: FieldReader) -> bytes | None:
    topic_id = reader.tags().get(_TOPIC_ID_TAG)
    if topic_id is None:
        return None
    if len(topic_id) < TOPIC_ID_BYTES:
        raise reader.error(f"the topic id has {len(topic_id)} bytes, it needs {TOPIC_ID_BYTES}")
    return _shared_topic_id(topic_id[:TOPIC_ID_BYTES])


@lru_cache(maxsize=_CACHED_TOPIC_IDS)
def _shared_topic_id(topic_id: bytes) -> bytes | None:
    """One object for all offsets of a topic: a million equal ids would be 49 MB. All zeros is the field's default: none."""
    return topic_id if any(topic_id) else None
