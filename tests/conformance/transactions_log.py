"""The records of some transactional ids, read back from `__transaction_state` through Fetch, with the names of the replies.

Byte by byte except for what differs from run to run: producer ids are put in place by the number of their name, times by zeros.
Topics and partitions are put in order, because Kafka writes them in the order of hash tables. Positions come from the published
layout (spec 14.3), not from the code under test.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Final

from tests.conformance.codec import read_uvarint, uvarint
from tests.conformance.connection import Connection
from tests.conformance.naming import Names
from tests.conformance.offsets_log import GroupRecord, partition_of, read_partition

TOPIC: Final = "__transaction_state"
_STATES: Final = ("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort")
_HEAD: Final = struct.Struct(">hqhib")
"""Version, producer id, epoch, timeout, state."""
MOST_RECORDS: Final = 40
"""Of one transactional id; of more only the last ones are kept: whoever uses up all epochs writes thousands."""
_PRODUCER_TAGS: Final = (0, 1)
"""The previous producer id and the next one."""


def records_of_transactions(connection: Connection, ids: Iterable[str], names: Names) -> list[GroupRecord]:
    """In the order of the log, transactional id after transactional id."""
    found = []
    for transactional_id in sorted(ids):
        name = transactional_id.encode()
        wanted = struct.pack(">hh", 0, len(name)) + name
        written = [
            (record, header.attributes)
            for header, record in read_partition(connection, TOPIC, partition_of(transactional_id))
            if record.key == wanted
        ]
        found += [_named(wanted, record.value, attributes, names) for record, attributes in written[-MOST_RECORDS:]]
    return found


def _named(key: bytes, value: bytes | None, attributes: int, names: Names) -> GroupRecord:
    if value is None:
        return GroupRecord("transaction tombstone", key.hex(), None, attributes)
    version, producer_id, epoch, timeout, state = _HEAD.unpack_from(value)
    assert version == 1, "the layout of the transaction version that both brokers have"
    topics, at = _topics_in_order(value, _HEAD.size)
    times = struct.unpack_from(">qq", value, at)
    kept = struct.pack(">qq", *(0 if each > 0 else each for each in times))
    head = _HEAD.pack(version, _number(producer_id, names), epoch, timeout, state)
    about = f"transaction {_STATES[state]} epoch {epoch} v{version}"
    return GroupRecord(about, key.hex(), (head + topics + kept + _tags(value, at + 16, names)).hex(), attributes)


def _topics_in_order(value: bytes, at: int) -> tuple[bytes, int]:
    """The list of topics as bytes, sorted, and where it ends."""
    start = at
    count, at = read_uvarint(value, at)
    if not count:
        return value[start:at], at
    topics = []
    for _ in range(count - 1):
        length, begin = read_uvarint(value, at)
        name, at = value[at : begin + length - 1], begin + length - 1
        partitions, at = read_uvarint(value, at)
        numbers = sorted(struct.unpack_from(f">{partitions - 1}i", value, at))
        at += 4 * (partitions - 1)
        tags, at = value[at : at + 1], at + 1
        topics.append(name + uvarint(partitions) + struct.pack(f">{partitions - 1}i", *numbers) + tags)
    return uvarint(count) + b"".join(sorted(topics)), at


def _tags(value: bytes, at: int, names: Names) -> bytes:
    count, at = read_uvarint(value, at)
    out = uvarint(count)
    for _ in range(count):
        tag, at = read_uvarint(value, at)
        size, at = read_uvarint(value, at)
        payload = value[at : at + size]
        if tag in _PRODUCER_TAGS:
            payload = struct.pack(">q", _number(struct.unpack(">q", payload)[0], names))
        out += uvarint(tag) + uvarint(size) + payload
        at += size
    return out + value[at:]


def _number(producer_id: int, names: Names) -> int:
    return names.number("producer", str(producer_id)) if producer_id >= 0 else producer_id
