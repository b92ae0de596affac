"""How `muster log dump` says what a batch and a record are, for people and for programs.

Coordinator records of types 0 to 2 come decoded; the others are named and shown as bytes. What cannot be decoded is shown
as bytes too, with what was wrong: looking must not fail because of what is looked at.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from muster.core.records import GroupErased, GroupStored, LogRecord, OffsetCommitted, OffsetErased, UnknownRecord
from muster.log.record_codec import RecordError, decode_record
from muster.log.record_names import CODEC_NAMES, RECORD_NAMES
from muster.wire.batch import DELETE_HORIZON_BIT, NO_PRODUCER_ID, BatchHeader
from muster.wire.batch import Record as BatchRecord
from muster.wire.consumer_protocol import decode_assignment, decode_subscription
from muster.wire.errors import WireError

_MARKERS = {0: "ABORT", 1: "COMMIT"}


def batch_fields(header: BatchHeader) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "base_offset": header.base_offset,
        "last_offset": header.last_offset,
        "records": header.record_count,
        "bytes": header.size,
        "leader_epoch": header.partition_leader_epoch,
        "max_timestamp": header.max_timestamp,
        "timestamp_type": "LogAppendTime" if header.is_log_append_time else "CreateTime",
        "codec": CODEC_NAMES.get(header.compression, str(header.compression)),
        "transactional": header.is_transactional,
        "control": header.is_control,
        "crc": header.crc,
    }
    if header.producer_id != NO_PRODUCER_ID:
        fields |= {
            "producer_id": header.producer_id,
            "producer_epoch": header.producer_epoch,
            "base_sequence": header.base_sequence,
        }
    if header.attributes & DELETE_HORIZON_BIT:
        fields["delete_horizon"] = header.base_timestamp
    return fields


def batch_words(header: BatchHeader) -> str:
    words = [
        f"{header.record_count} record{'' if header.record_count == 1 else 's'}",
        f"{header.size} bytes",
        f"leader epoch {header.partition_leader_epoch}",
        f"newest {time_words(header.max_timestamp)}",
    ]
    if header.compression:
        words.append(CODEC_NAMES.get(header.compression, f"codec {header.compression}"))
    if header.producer_id != NO_PRODUCER_ID:
        words.append(f"producer {header.producer_id} epoch {header.producer_epoch} sequence {header.base_sequence}")
    if header.is_transactional:
        words.append("transactional")
    if header.is_control:
        words.append("control")
    if header.attributes & DELETE_HORIZON_BIT:
        words.append(f"tombstones may go from {time_words(header.base_timestamp)} on")
    return ", ".join(words)


def record_fields(header: BatchHeader, record: BatchRecord, *, offsets: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {"offset": record.offset, "timestamp": record.timestamp_ms}
    if header.is_control:
        return fields | {"marker": _marker(record.key)}
    if offsets:
        return fields | _coordinator_fields(record)
    fields |= _raw_fields(record)
    if record.headers:
        fields["headers"] = [{"name": name, **_bytes_fields("value", value)} for name, value in record.headers]
    return fields


def record_words(header: BatchHeader, record: BatchRecord, *, offsets: bool) -> str:
    start = f"{record.offset} {time_words(record.timestamp_ms)}"
    if header.is_control:
        return f"{start} {_marker(record.key)} marker"
    if not offsets:
        headers = "".join(f" {name}={bytes_words(value)}" for name, value in record.headers)
        return f"{start} {bytes_words(record.key)} = {bytes_words(record.value)}{headers}"
    fields = _coordinator_fields(record)
    name = fields.pop("type")
    return f"{start} {name}: " + " ".join(f"{field}={_plain(value)}" for field, value in fields.items())


def time_words(timestamp_ms: int) -> str:
    """UTC, to the millisecond; numbers that are no time of this era as they are."""
    if not 0 <= timestamp_ms < 253_402_300_800_000:
        return str(timestamp_ms)
    return (
        datetime.fromtimestamp(timestamp_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{timestamp_ms % 1000:03d}Z"
    )


def bytes_words(field: bytes | None) -> str:
    if field is None:
        return "null"
    text = _text(field)
    return repr(text) if text is not None else f"0x{field.hex()}"


def _coordinator_fields(record: BatchRecord) -> dict[str, Any]:
    try:
        decoded = decode_record(record.key, record.value)
    except RecordError as error:
        return {"type": "undecodable", "problem": str(error), **_raw_fields(record)}
    number = int.from_bytes((record.key or b"")[:2], "big", signed=True)
    name = RECORD_NAMES.get(number, f"unknown type {number}")
    return {"type": name, "type_number": number, **_typed_fields(decoded, record)}


def _typed_fields(decoded: LogRecord, record: BatchRecord) -> dict[str, Any]:
    match decoded:
        case OffsetCommitted():
            fields = decoded.as_dict()
            topic_id = fields.pop("topic_id")
            committed = {"committed_offset": fields.pop("offset")}  # the record's own offset is another thing
            return fields | committed | {"topic_id": topic_id.hex() if topic_id is not None else None}
        case OffsetErased():
            return decoded.as_dict() | {"tombstone": True}
        case GroupErased():
            return {"group_id": decoded.group_id, "tombstone": True}
        case GroupStored():
            return decoded.as_dict() | {"members": [_member_fields(each.as_dict()) for each in decoded.members]}
        case UnknownRecord():
            return _raw_fields(record)


def _member_fields(member: dict[str, Any]) -> dict[str, Any]:
    """Subscription and assignment are the client's own bytes; most are in the consumer protocol's form."""
    for name, decode in (("subscription", decode_subscription), ("assignment", decode_assignment)):
        raw: bytes = member.pop(name)
        member[f"{name}_hex"] = raw.hex()
        try:
            member[name] = repr(decode(raw))
        except WireError:
            continue
    return member


def _raw_fields(record: BatchRecord) -> dict[str, Any]:
    return _bytes_fields("key", record.key) | _bytes_fields("value", record.value)


def _bytes_fields(name: str, field: bytes | None) -> dict[str, Any]:
    if field is None:
        return {name: None}
    text = _text(field)
    return {name: text} if text is not None else {f"{name}_hex": field.hex()}


def _text(field: bytes) -> str | None:
    try:
        text = field.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None


def _marker(key: bytes | None) -> str:
    number = int.from_bytes((key or b"")[2:4], "big")
    return _MARKERS.get(number, f"control type {number}")


def _plain(value: object) -> str:
    if isinstance(value, list):
        return (
            "[" + ", ".join("{" + " ".join(f"{k}={_plain(v)}" for k, v in each.items()) + "}" for each in value) + "]"
        )
    return str(value)
