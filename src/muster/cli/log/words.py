"""How `muster log dump` says what a batch and a record are, for people and for programs.

Decoded are a group coordinator's records of types 0 to 8 and 16, a transaction coordinator's, and the markers that end
transactions. Other coordinator records are named and shown as bytes. What cannot be decoded is shown as bytes too, with what was
wrong: looking must not fail because of what is looked at.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final

from muster.core.consumer.records import TOMBSTONES, ConsumerGroupRecord
from muster.core.records import GroupErased, GroupStored, LogRecord, OffsetCommitted, OffsetErased, UnknownRecord
from muster.core.transactions.records import TransactionErased, TransactionRecord, TransactionStored
from muster.log.record_codec import RecordError, decode_record
from muster.log.record_names import CODEC_NAMES, RECORD_NAMES, TRANSACTION_RECORD_NAMES
from muster.log.transaction_value import decode_transaction_record
from muster.wire.batch import DELETE_HORIZON_BIT, NO_PRODUCER_ID, BatchHeader, control_type, decode_marker
from muster.wire.batch import Record as BatchRecord
from muster.wire.consumer_protocol import decode_assignment, decode_subscription
from muster.wire.errors import WireError
from muster.wire.value import Value


class RecordKind(Enum):
    """Whose records a log holds."""

    PLAIN = "plain"
    GROUPS = "groups"
    TRANSACTIONS = "transactions"


_NAMES: Final = {RecordKind.GROUPS: RECORD_NAMES, RecordKind.TRANSACTIONS: TRANSACTION_RECORD_NAMES}


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


def record_fields(header: BatchHeader, record: BatchRecord, kind: RecordKind) -> dict[str, Any]:
    fields: dict[str, Any] = {"offset": record.offset, "timestamp": record.timestamp_ms}
    if header.is_control:
        return fields | _control_fields(record)
    if kind is not RecordKind.PLAIN:
        return fields | _coordinator_fields(record, kind)
    fields |= _raw_fields(record)
    if record.headers:
        fields["headers"] = [{"name": name, **_bytes_fields("value", value)} for name, value in record.headers]
    return fields


def record_words(header: BatchHeader, record: BatchRecord, kind: RecordKind) -> str:
    start = f"{record.offset} {time_words(record.timestamp_ms)}"
    if header.is_control:
        fields = _control_fields(record)
        name = f"{fields.pop('marker')} marker"
    elif kind is RecordKind.PLAIN:
        headers = "".join(f" {name}={bytes_words(value)}" for name, value in record.headers)
        return f"{start} {bytes_words(record.key)} = {bytes_words(record.value)}{headers}"
    else:
        fields = _coordinator_fields(record, kind)
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


def _control_fields(record: BatchRecord) -> dict[str, Any]:
    try:
        marker = decode_marker(record.key, record.value)
        if marker is None:
            return {"marker": f"control type {control_type(record.key)}", **_raw_fields(record)}
    except WireError as error:
        return {"marker": "undecodable", "problem": str(error), **_raw_fields(record)}
    return {"marker": "COMMIT" if marker.committed else "ABORT", "coordinator_epoch": marker.coordinator_epoch}


def _coordinator_fields(record: BatchRecord, kind: RecordKind) -> dict[str, Any]:
    decode = decode_transaction_record if kind is RecordKind.TRANSACTIONS else decode_record
    try:
        decoded = decode(record.key, record.value)
    except RecordError as error:
        return {"type": "undecodable", "problem": str(error), **_raw_fields(record)}
    number = int.from_bytes((record.key or b"")[:2], "big", signed=True)
    name = _NAMES[kind].get(number, f"unknown type {number}")
    return {"type": name, "type_number": number, **_typed_fields(decoded, record)}


def _typed_fields(decoded: LogRecord | TransactionRecord, record: BatchRecord) -> dict[str, Any]:
    match decoded:
        case OffsetCommitted():
            fields = decoded.as_dict()
            topic_id = fields.pop("topic_id")
            committed = {"committed_offset": fields.pop("offset")}  # the record's own offset is another thing
            return fields | committed | {"topic_id": topic_id.hex() if topic_id is not None else None}
        case OffsetErased() | GroupErased() | TransactionErased():
            return decoded.as_dict() | {"tombstone": True}
        case GroupStored():
            return decoded.as_dict() | {"members": [_member_fields(each.as_dict()) for each in decoded.members]}
        case TransactionStored():
            topics = [{"topic": topic, "partitions": partitions} for topic, partitions in decoded.topics]
            return decoded.as_dict() | {"topics": topics}
        case ConsumerGroupRecord():
            fields = _consumer_group_fields(decoded)
            return fields | {"tombstone": True} if isinstance(decoded, TOMBSTONES) else fields
        case UnknownRecord():
            return _raw_fields(record)


def _consumer_group_fields(value: Value) -> dict[str, Any]:
    """The fields of a record and of what it holds, with topic ids and bytes as texts."""
    fields: dict[str, Any] = {}
    for name, field in value.as_dict().items():
        match field:
            case Enum():
                fields[name] = field.name
            case Value():
                fields[name] = _consumer_group_fields(field)
            case dict():
                fields[name] = {key.hex(): numbers for key, numbers in field.items()}
            case tuple() if name == "protocols":
                fields[name] = [{"name": each, "metadata_hex": metadata.hex()} for each, metadata in field]
            case _:
                fields[name] = field
    return fields


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


def _plain(value: object) -> str:
    match value:
        case dict():
            return "{" + " ".join(f"{name}={_plain(each)}" for name, each in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(_plain(each) for each in value) + "]"
    return str(value)
