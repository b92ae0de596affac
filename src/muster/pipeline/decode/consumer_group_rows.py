"""Rows of epochs from the records of KIP-848 groups: types 3 to 8, values of version 0 (spec 5.4).

The values are flexible: tagged fields that are not known are passed over. One record at a time; read with the field reader
of `muster.log`. What a group's epochs mean together is `muster.pipeline.tables`' to say.
"""

from __future__ import annotations

from typing import Final

from muster.log.record_fields import FieldReader
from muster.pipeline.decode.group_rows import RecordPlace, Row

GROUP_EPOCH_TYPES: Final = (3, 4, 6)
MEMBER_EPOCH_TYPES: Final = (5, 7, 8)
STATES: Final = {0: "STABLE", 1: "UNREVOKED_PARTITIONS", 2: "UNRELEASED_PARTITIONS"}
_UUID_BYTES: Final = 16
_KNOWN_VERSION: Final = 0
_NAMES: Final = {
    3: "consumer group epoch",
    4: "subscription metadata",
    5: "member subscription",
    6: "target assignment epoch",
    7: "target assignment",
    8: "current assignment",
}


def group_epoch_row(place: RecordPlace, record_type: int, group_id: str, value: bytes | None) -> Row:
    """Types 3, 4 and 6. Raises RecordError."""
    row: Row = {**place, "group_id": group_id, "record_type": record_type, "is_tombstone": value is None}
    if value is None:
        return row
    reader = _open(record_type, group_id, value)
    if record_type != 4:  # type 4 has no epoch and Kafka no longer writes it, only its tombstone
        row["epoch"] = reader.i32("epoch")
        reader.tags()
    return row


def member_epoch_row(place: RecordPlace, record_type: int, group_id: str, member_id: str, value: bytes | None) -> Row:
    """Types 5, 7 and 8. Raises RecordError."""
    row: Row = {
        **place,
        "group_id": group_id,
        "member_id": member_id,
        "record_type": record_type,
        "is_tombstone": value is None,
    }
    if value is None:
        return row
    reader = _open(record_type, group_id, value)
    match record_type:
        case 5:
            row.update(_subscription(reader))
        case 7:
            row["n_assigned"] = _partitions(reader, "target partitions")
        case 8:
            row["member_epoch"] = reader.i32("member epoch")
            reader.i32("previous member epoch")
            row["state"] = STATES.get(reader.take(1, "state")[0], "UNKNOWN")
            row["n_assigned"] = _partitions(reader, "assigned partitions")
            row["n_pending_revocation"] = _partitions(reader, "partitions pending revocation")
    reader.tags()
    return row


def _open(record_type: int, group_id: str, value: bytes) -> FieldReader:
    reader = FieldReader(value, f"value of a {_NAMES[record_type]} record of group {group_id!r}")
    version = reader.i16("version")
    if version != _KNOWN_VERSION:
        raise reader.error(f"version {version} is not known, only {_KNOWN_VERSION} is")
    reader.flexible = True
    return reader


def _subscription(reader: FieldReader) -> Row:
    row: Row = {"instance_id": reader.nullable_string("instance id")}
    reader.nullable_string("rack id")
    row["client_id"] = reader.string("client id")
    row["client_host"] = reader.string("client host")
    topics = [reader.string("topic") for _ in range(reader.count("subscribed topics"))]
    # Which topics an expression matches only the broker knows: the subscription cannot be told, which is not that it is empty.
    row["topics"] = None if reader.nullable_string("topic regular expression") else topics
    reader.i32("rebalance timeout")
    reader.nullable_string("server assignor")
    return row


def _partitions(reader: FieldReader, field: str) -> int:
    """How many partitions an array of (topic id, partitions) names."""
    total = 0
    for _ in range(reader.count(field)):
        reader.take(_UUID_BYTES, "topic id")
        numbers = reader.count(f"{field} of a topic")
        reader.take(4 * numbers, f"{field} of a topic")
        reader.tags()
        total += numbers
    return total
