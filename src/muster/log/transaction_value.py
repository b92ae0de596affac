"""Records of `__transaction_state` as bytes: key version 0 and value version 1, byte for byte as Kafka 4.3.1 writes them.

Value version 0 is read too: the same fields without the tagged ones, which Kafka wrote before 4.0 and writes while
`transaction.version` is 0 (spec 14.3). A key of another version comes back as `UnknownRecord`: kept in the log, skipped by the
coordinator. Whatever else cannot be decoded is a `RecordError`, which loading counts and skips.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from muster.core.records import UnknownRecord
from muster.core.transactions.records import TopicPartitions, TransactionErased, TransactionRecord, TransactionStored
from muster.core.transactions.states import TransactionState
from muster.log.record_fields import (
    I16,
    I32,
    I64,
    FieldReader,
    RecordError,
    compact_count,
    compact_string_field,
    string_field,
    tagged_section,
)
from muster.wire.batch import NO_PRODUCER_ID

__all__ = ["RecordError", "decode_transaction_record", "encode_transaction_record"]

_KEY_VERSION: Final = 0
_WRITTEN_VERSION: Final = 1
_FLEXIBLE_SINCE: Final = 1
_PREVIOUS_PRODUCER_ID_TAG: Final = 0
_NEXT_PRODUCER_ID_TAG: Final = 1
_CLIENT_VERSION_TAG: Final = 2

_START = Struct(">hqhib")
"""Version, producer id, producer epoch, timeout, state."""
_TIMES = Struct(">qq")
"""Of the last update and of the start."""

_NUMBERS: Final = {
    TransactionState.EMPTY: 0,
    TransactionState.ONGOING: 1,
    TransactionState.PREPARE_COMMIT: 2,
    TransactionState.PREPARE_ABORT: 3,
    TransactionState.COMPLETE_COMMIT: 4,
    TransactionState.COMPLETE_ABORT: 5,
    TransactionState.DEAD: 6,
    TransactionState.PREPARE_EPOCH_FENCE: 7,
}
_STATES: Final = {number: state for state, number in _NUMBERS.items()}


def encode_transaction_record(record: TransactionRecord) -> tuple[bytes, bytes | None]:
    """Key and value; the value of a tombstone is None."""
    match record:
        case TransactionStored():
            return _key(record.transactional_id), _encode_value(record)
        case TransactionErased():
            return _key(record.transactional_id), None
        case UnknownRecord():
            raise RecordError(f"a record of unknown type {record.record_type} cannot be written, only kept")


def decode_transaction_record(key: bytes | None, value: bytes | None) -> TransactionRecord:
    """The typed record; `RecordError` for bytes that are none."""
    if key is None:
        raise RecordError("a transaction record without a key: the topic is compacted, every record needs one")
    reader = FieldReader(key, "key of a transaction record")
    version = reader.i16("version")
    if version != _KEY_VERSION:
        return UnknownRecord(version)
    transactional_id = reader.string("transactional id")
    return TransactionErased(transactional_id) if value is None else _decode_value(transactional_id, value)


def _key(transactional_id: str) -> bytes:
    return I16.pack(_KEY_VERSION) + string_field(transactional_id, "transactional id")


def _encode_value(record: TransactionStored) -> bytes:
    tags = {}
    if record.previous_producer_id != NO_PRODUCER_ID:
        tags[_PREVIOUS_PRODUCER_ID_TAG] = I64.pack(record.previous_producer_id)
    if record.next_producer_id != NO_PRODUCER_ID:
        tags[_NEXT_PRODUCER_ID_TAG] = I64.pack(record.next_producer_id)
    if record.client_transaction_version != 0:
        tags[_CLIENT_VERSION_TAG] = I16.pack(record.client_transaction_version)
    return b"".join(
        (
            _START.pack(
                _WRITTEN_VERSION,
                record.producer_id,
                record.producer_epoch,
                record.transaction_timeout_ms,
                _NUMBERS[record.state],
            ),
            _topics_field(record),
            _TIMES.pack(record.update_timestamp_ms, record.start_timestamp_ms),
            tagged_section(tags),
        )
    )


def _topics_field(record: TransactionStored) -> bytes:
    """Null in `Empty`, a list in every other state, also if nothing is in it (spec 14.2)."""
    if record.state is TransactionState.EMPTY:
        assert not record.topics, f"no transaction has begun, and yet partitions are in it: {record}"
        return compact_count(None)
    parts = [compact_count(len(record.topics))]
    for topic, partitions in record.topics:
        parts += (
            compact_string_field(topic, "topic"),
            compact_count(len(partitions)),
            *(I32.pack(partition) for partition in partitions),
            tagged_section({}),
        )
    return b"".join(parts)


def _decode_value(transactional_id: str, value: bytes) -> TransactionStored:
    reader = FieldReader(value, f"value of transaction record {transactional_id!r}")
    version = reader.i16("version")
    if not 0 <= version <= _WRITTEN_VERSION:
        raise reader.error(f"version {version} is not known, 0 to {_WRITTEN_VERSION} are")
    reader.flexible = version >= _FLEXIBLE_SINCE
    producer_id = reader.i64("producer id")
    producer_epoch = reader.i16("producer epoch")
    transaction_timeout_ms = reader.i32("transaction timeout")
    state = _state(reader)
    topics = _topics(reader, state)
    update_timestamp_ms = reader.i64("time of the last update")
    start_timestamp_ms = reader.i64("time of the start")
    tags = reader.tags()
    return TransactionStored(
        transactional_id=transactional_id,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        transaction_timeout_ms=transaction_timeout_ms,
        state=state,
        topics=topics,
        update_timestamp_ms=update_timestamp_ms,
        start_timestamp_ms=start_timestamp_ms,
        previous_producer_id=_tagged_number(reader, tags, _PREVIOUS_PRODUCER_ID_TAG, I64, NO_PRODUCER_ID),
        next_producer_id=_tagged_number(reader, tags, _NEXT_PRODUCER_ID_TAG, I64, NO_PRODUCER_ID),
        client_transaction_version=_tagged_number(reader, tags, _CLIENT_VERSION_TAG, I16, 0),
    )


def _state(reader: FieldReader) -> TransactionState:
    number = reader.i8("state")
    state = _STATES.get(number)
    if state is None:
        raise reader.error(f"state {number} is not known, 0 to {max(_STATES)} are")
    return state


def _topics(reader: FieldReader, state: TransactionState) -> tuple[TopicPartitions, ...]:
    count = reader.nullable_count("topics")
    if count is None:
        if state is not TransactionState.EMPTY:
            raise reader.error(f"topics are null, in {state} they may not be")
        return ()
    topics = tuple(_topic(reader) for _ in range(count))
    # As Kafka reads it: nothing is in a transaction that has not begun, whatever the record says.
    return () if state is TransactionState.EMPTY else topics


def _topic(reader: FieldReader) -> TopicPartitions:
    topic = reader.string("topic")
    partitions = tuple(reader.i32("partition") for _ in range(reader.count("partitions")))
    reader.tags()
    return TopicPartitions(topic, partitions)


def _tagged_number(reader: FieldReader, tags: dict[int, bytes], tag: int, layout: Struct, default: int) -> int:
    octets = tags.get(tag)
    if octets is None:
        return default
    if len(octets) != layout.size:
        raise reader.error(f"tagged field {tag} has {len(octets)} bytes, it needs {layout.size}")
    number: int = layout.unpack(octets)[0]
    return number
