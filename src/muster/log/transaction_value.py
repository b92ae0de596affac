"""Records of `__transaction_state` as bytes: key version 0 and value version 1, byte for byte as Kafka 4.3.1 writes them.

Value version 0 is read too: the same fields without the tagged ones, which Kafka wrote before 4.0 and writes while
`transaction.version` is 0 (spec 14.3). A key of another version comes back as `UnknownRecord`: kept in the log, skipped by the
coordinator. Whatever else cannot be decoded is a `RecordError`, which loading counts and skips.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from librt.strings import BytesWriter, read_i16_be, read_i32_be, read_i64_be, write_i16_be, write_i32_be, write_i64_be
from mypy_extensions import i16, i64, u8

from muster.core.records import UnknownRecord
from muster.core.transactions.records import TopicPartitions, TransactionErased, TransactionRecord, TransactionStored
from muster.core.transactions.states import TransactionState
from muster.log.record_fields import (
    I16,
    I64,
    FieldReader,
    RecordError,
    string_octets,
)
from muster.wire.batch_header import NO_PRODUCER_ID
from muster.wire.native import write_uvarint

__all__ = ["RecordError", "decode_transaction_record", "encode_transaction_record"]

_KEY_VERSION: Final = 0
_WRITTEN_VERSION: Final = 1
_FLEXIBLE_SINCE: Final = 1
_PREVIOUS_PRODUCER_ID_TAG: Final = 0
_NEXT_PRODUCER_ID_TAG: Final = 1
_CLIENT_VERSION_TAG: Final = 2

_TOPICS_AT: Final = 17
"""In a value: behind its version (2 bytes), producer id (8), producer epoch (2), timeout (4) and state (1)."""
_TAGS_AT: Final = 34
"""In a value without topics: one byte says so, then come the times of the last update and of the start."""
_I64_BYTES: Final = 8
_I16_BYTES: Final = 2

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
    transactional_id = _usual_id(key)
    if transactional_id is None:
        reader = FieldReader(key, "key of a transaction record")
        version = reader.i16("version")
        if version != _KEY_VERSION:
            return UnknownRecord(version)
        transactional_id = reader.string("transactional id")
    if value is None:
        return TransactionErased(transactional_id)
    return _decode_usual(transactional_id, value) or _decode_by_fields(transactional_id, value)


def _key(transactional_id: str) -> bytes:
    octets = string_octets(transactional_id, "transactional id")
    out = BytesWriter()
    write_i16_be(out, _KEY_VERSION)
    write_i16_be(out, i16(len(octets)))
    out.write(octets)
    return out.getvalue()


def _encode_value(record: TransactionStored) -> bytes:
    out = BytesWriter()
    write_i16_be(out, _WRITTEN_VERSION)
    write_i64_be(out, record.producer_id)
    write_i16_be(out, record.producer_epoch)
    write_i32_be(out, record.transaction_timeout_ms)
    out.append(_NUMBERS[record.state])
    _write_topics(out, record)
    write_i64_be(out, record.update_timestamp_ms)
    write_i64_be(out, record.start_timestamp_ms)
    _write_tags(out, record)
    return out.getvalue()


def _write_topics(out: BytesWriter, record: TransactionStored) -> None:
    """Null in `Empty`, a list in every other state, also if nothing is in it (spec 14.2)."""
    if record.state is TransactionState.EMPTY:
        assert not record.topics, f"no transaction has begun, and yet partitions are in it: {record}"
        out.append(0)
        return
    write_uvarint(out, len(record.topics) + 1)
    for topic, partitions in record.topics:
        octets = string_octets(topic, "topic")
        write_uvarint(out, len(octets) + 1)
        out.write(octets)
        write_uvarint(out, len(partitions) + 1)
        for partition in partitions:
            write_i32_be(out, partition)
        out.append(0)  # no tagged fields


def _write_tags(out: BytesWriter, record: TransactionStored) -> None:
    """Those that are not at their default, in ascending order."""
    has_previous = record.previous_producer_id != NO_PRODUCER_ID
    has_next = record.next_producer_id != NO_PRODUCER_ID
    has_version = record.client_transaction_version != 0
    out.append(u8(i64(has_previous) + i64(has_next) + i64(has_version)))
    if has_previous:
        out.append(_PREVIOUS_PRODUCER_ID_TAG)
        out.append(_I64_BYTES)
        write_i64_be(out, record.previous_producer_id)
    if has_next:
        out.append(_NEXT_PRODUCER_ID_TAG)
        out.append(_I64_BYTES)
        write_i64_be(out, record.next_producer_id)
    if has_version:
        out.append(_CLIENT_VERSION_TAG)
        out.append(_I16_BYTES)
        write_i16_be(out, record.client_transaction_version)


def _usual_id(key: bytes) -> str | None:
    """The transactional id of a key as it should be; None for any other."""
    size = len(key)
    if size < 4 or read_i16_be(key, 0) != _KEY_VERSION or i64(read_i16_be(key, 2)) != size - 4:
        return None
    return key[4:].decode("utf-8", "replace")


def _decode_usual(transactional_id: str, value: bytes) -> TransactionStored | None:
    """The value of an id in whose transaction there is nothing, in version 1: most of what a load reads. None for any other, which
    is then read field by field; that also finds the words for what is wrong."""
    size: i64 = len(value)
    if size <= _TAGS_AT or read_i16_be(value, 0) != _WRITTEN_VERSION or value[_TOPICS_AT] > 1:
        return None
    state = _STATES.get(value[_TOPICS_AT - 1])
    if state is None or (value[_TOPICS_AT] == 0 and state is not TransactionState.EMPTY):
        return None
    previous_producer_id = next_producer_id = NO_PRODUCER_ID
    client_version = 0
    at: i64 = _TAGS_AT + 1
    for _ in range(i64(value[_TAGS_AT])):
        if at + 2 > size or at + 2 + i64(value[at + 1]) > size:
            return None
        tag: i64 = value[at]
        octets: i64 = value[at + 1]
        if tag == _PREVIOUS_PRODUCER_ID_TAG and octets == _I64_BYTES:
            previous_producer_id = read_i64_be(value, at + 2)
        elif tag == _NEXT_PRODUCER_ID_TAG and octets == _I64_BYTES:
            next_producer_id = read_i64_be(value, at + 2)
        elif tag == _CLIENT_VERSION_TAG and octets == _I16_BYTES:
            client_version = read_i16_be(value, at + 2)
        else:
            return None
        at += 2 + octets
    return TransactionStored(
        transactional_id,
        read_i64_be(value, 2),
        read_i16_be(value, 10),
        read_i32_be(value, 12),
        state,
        (),
        read_i64_be(value, 18),
        read_i64_be(value, 26),
        previous_producer_id,
        next_producer_id,
        client_version,
    )


def _decode_by_fields(transactional_id: str, value: bytes) -> TransactionStored:
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
    return (topic, partitions)


def _tagged_number(reader: FieldReader, tags: dict[int, bytes], tag: int, layout: Struct, default: int) -> int:
    octets = tags.get(tag)
    if octets is None:
        return default
    if len(octets) != layout.size:
        raise reader.error(f"tagged field {tag} has {len(octets)} bytes, it needs {layout.size}")
    number: int = layout.unpack(octets)[0]
    return number
