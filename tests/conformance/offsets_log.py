"""The coordinator's records of some groups, read back from `__consumer_offsets` through Fetch, with the same names.

Byte by byte except for what differs from run to run: member ids are put in place by ids of equal length that only count,
times and topic ids by zeros. Positions come from the published layouts (spec 5.1 to 5.3), not from the code under test.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from muster.wire.batch import BatchHeader, Record, decode_records, iterate_batches
from tests.conformance.codec import api_named, read_uvarint
from tests.conformance.connection import Connection
from tests.conformance.consumer_records import CONSUMER_TYPES, about_consumer_record, in_stable_order, readable_value
from tests.conformance.naming import Names

TOPIC: Final = "__consumer_offsets"
PARTITIONS: Final = 50
_UUID: Final = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
UNKNOWN_TOPIC_OR_PARTITION: Final = 3
OFFSET_TYPES: Final = (0, 1)
GROUP_TYPE: Final = 2


@dataclass(frozen=True)
class GroupRecord:
    """One record as the recording keeps it: what it is about, its key and its value as hex digits with names in place."""

    about: str
    key: str
    value: str | None
    attributes: int

    def as_row(self) -> list[object]:
        return [self.about, self.attributes, self.key, self.value]


def partition_of(group: str) -> int:
    """Java's String.hashCode over UTF-16 units, absolute value, modulo (spec 1.2)."""
    raw = group.encode("utf-16-be")
    value = 0
    for at in range(0, len(raw), 2):
        value = (31 * value + (raw[at] << 8 | raw[at + 1])) & 0xFFFFFFFF
    signed = value - (1 << 32) if value & 0x80000000 else value
    return 0 if signed == -(1 << 31) else abs(signed) % PARTITIONS


def records_of_groups(connection: Connection, groups: Iterable[str], names: Names) -> list[GroupRecord]:
    """In the order of the log, group after group."""
    found: list[GroupRecord] = []
    for group in sorted(groups):
        rows: list[tuple[int, str, GroupRecord]] = []
        for header, record in read_partition(connection, TOPIC, partition_of(group)):
            key = record.key or b""
            if header.is_control:
                rows += [(-1, each.about, each) for each in named_marker(header, record, names)]
            elif group_of(key) == group:
                named = named_record(key, record.value, header, names)
                rows.append((struct.unpack_from(">h", key)[0], named.about, named))
        found += in_stable_order(rows)
    return found


def named_marker(header: BatchHeader, record: Record, names: Names) -> list[GroupRecord]:
    """A marker of one of the scenario's producers, with the epoch of the coordinator in its value; none of others."""
    if not names.knows("producer", str(header.producer_id)):
        return []
    about = f"marker{by_producer(header, names)}"
    return [GroupRecord(about, (record.key or b"").hex(), (record.value or b"").hex(), header.attributes)]


def by_producer(header: BatchHeader, names: Names) -> str:
    """Who wrote a batch in a transaction; nothing for other batches."""
    if not header.is_transactional:
        return ""
    number = names.number("producer", str(header.producer_id))
    return f" by producer {number} epoch {header.producer_epoch} sequence {header.base_sequence}"


def read_partition(connection: Connection, topic_name: str, partition: int) -> Iterator[tuple[BatchHeader, Record]]:
    offset = 0
    while True:
        request = {
            "max_wait_ms": 0,
            "min_bytes": 0,
            "max_bytes": 16_000_000,
            "topics": [
                {
                    "topic": topic_name,
                    "partitions": [{"partition": partition, "fetch_offset": offset, "partition_max_bytes": 16_000_000}],
                }
            ],
        }
        answer = connection.ask(api_named("Fetch"), 11, request)
        if not isinstance(answer, dict):
            raise RuntimeError(f"reading {topic_name}-{partition}: {answer}")
        (topic,) = answer["responses"]
        (part,) = topic["partitions"]
        if part["error_code"] == UNKNOWN_TOPIC_OR_PARTITION:
            return
        if part["error_code"]:
            raise RuntimeError(f"reading {topic_name}-{partition} from {offset}: error {part['error_code']}")
        raw = part["records"] or b""
        for position, header in iterate_batches(raw):
            offset = header.next_offset
            for record in decode_records(raw, header, position):
                yield header, record
        if offset >= part["high_watermark"]:
            return


def group_of(key: bytes) -> str:
    """Every key begins with its type and the group id."""
    (length,) = struct.unpack_from(">h", key, 2)
    return key[4 : 4 + length].decode()


def named_record(key: bytes, value: bytes | None, header: BatchHeader, names: Names) -> GroupRecord:
    (kind,) = struct.unpack_from(">h", key)
    about = about_consumer_record(kind, key, names) if kind in CONSUMER_TYPES else _about(kind, key)
    by = by_producer(header, names)
    shown_key = _count_ids(key, names).hex()
    if value is None:
        return GroupRecord(f"{about} tombstone{by}", shown_key, None, header.attributes)
    if kind in CONSUMER_TYPES:
        return GroupRecord(about, shown_key, readable_value(kind, value, names), header.attributes)
    (version,) = struct.unpack_from(">h", value)
    value = _count_ids(_without_times(kind, version, value), names)
    if kind == GROUP_TYPE and version == 3:
        value = _members_in_order(value)
    return GroupRecord(f"{about} v{version}{by}", shown_key, value.hex(), header.attributes)


def _about(kind: int, key: bytes) -> str:
    if kind not in OFFSET_TYPES:
        return {GROUP_TYPE: "group"}.get(kind, f"type {kind}")
    at = 4 + struct.unpack_from(">h", key, 2)[0]
    (length,) = struct.unpack_from(">h", key, at)
    (partition,) = struct.unpack_from(">i", key, at + 2 + length)
    return f"offset {key[at + 2 : at + 2 + length].decode()}/{partition}"


def _count_ids(value: bytes, names: Names) -> bytes:
    """Ids keep their length: the number that the reply's naming gave them, filled up with zeros."""

    def counted(found: re.Match[bytes]) -> bytes:
        return f"{names.number('uuid', found[0].decode()):0>36}".encode()

    for made in names.made_ids:
        value = value.replace(made.encode(), f"{names.number('uuid', made):0>22}".encode())
    return _UUID.sub(counted, value)


def _without_times(kind: int, version: int, value: bytes) -> bytes:
    if kind in OFFSET_TYPES:
        return _offset_without_times(version, value)
    if kind == GROUP_TYPE and version in (2, 3):
        return _blank(value, _group_time_position(value), 8)
    return value


def _offset_without_times(version: int, value: bytes) -> bytes:
    at = 2 + 8 + (4 if version >= 3 else 0)
    if version >= 4:
        length, at = read_uvarint(value, at)
        at += length - 1
    else:
        at += 2 + struct.unpack_from(">h", value, at)[0]
    value = _blank(value, at, 8)
    if version == 1:
        return _blank(value, at + 8, 8)
    if version >= 4 and value[at + 8]:
        return _blank(value, at + 8 + 3, 16)  # one tagged field: count, tag and size are a byte each
    return value


def _group_time_position(value: bytes) -> int:
    at = _behind_text(value, 2) + 4
    return _behind_text(value, _behind_text(value, at))


def _behind_text(value: bytes, at: int) -> int:
    length: int = struct.unpack_from(">h", value, at)[0]
    return at + 2 + max(length, 0)


def _members_in_order(value: bytes) -> bytes:
    """Kafka writes members in the order of a hash table (spec 3.8); here by their bytes, ids being counted already."""
    start = _group_time_position(value) + 8
    (count,) = struct.unpack_from(">i", value, start)
    at = start + 4
    members = []
    for _ in range(count):
        begin = at
        for _ in ("member id", "instance id", "client id", "client host"):
            at = _behind_text(value, at)
        at += 8
        for _ in ("subscription", "assignment"):
            at += 4 + struct.unpack_from(">i", value, at)[0]
        members.append(value[begin:at])
    return value[: start + 4] + b"".join(sorted(members)) + value[at:]


def _blank(value: bytes, at: int, size: int) -> bytes:
    return value[:at] + bytes(size) + value[at + size :]
