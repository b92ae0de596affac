"""Records of `__transaction_state` byte for byte as Kafka 4.3.1 writes them, and what it reads (spec 14.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.core.records import UnknownRecord
from muster.core.transactions.records import TopicPartitions, TransactionErased, TransactionRecord, TransactionStored
from muster.core.transactions.states import TransactionState
from muster.log.transaction_value import RecordError, decode_transaction_record, encode_transaction_record
from muster.wire.batch import Record, decode_records
from tests.values import replaced
from tests.wire.kafka.transactions import recorded_log

EMPTY, ONGOING = TransactionState.EMPTY, TransactionState.ONGOING
ORDERS, OFFSETS = ("orders", (0,)), ("__consumer_offsets", (0,))

JAVA_KEY = "000000046a617661"
LAST_KEY = "0000000b6c6173742d65706f636873"
EMPTY_V1 = "0001000000000000000800000000ea600000000001a1e5c5fe39ffffffffffffffff0100080000000000000008"
ONGOING_V1 = (
    "0001000000000000000800000000ea600102097061796d656e747302000000000000"
    "0001a1e5c5ff6a000001a1e5c5ff6a020008000000000000000802020002"
)
COMPLETE_V1 = "0001000000000000000800010000ea600401000001a1e5c5fffa000001a1e5c5ff6a020008000000000000000802020002"
USED_UP_V1 = (
    "00010000000000000fa07fff0000ea600202076f7264657273020000000000000001a1e5c62f5a000001a1e5c62eea"
    "0300080000000000000fa0010800000000000003e802020002"
)
NEXT_ID_V1 = "000100000000000003e800000000ea600401000001a1e5c62f5c000001a1e5c62eea0200080000000000000fa002020002"
EMPTY_V0 = "000000000000000003ea00000000ea6000ffffffff000001a1e5c63d4affffffffffffffff"
ONGOING_V0 = (
    "000000000000000003ea00000000ea60010000000100125f5f636f6e73756d65725f6f6666736574730000000100000000"
    "000001a1e5c63e8e000001a1e5c63e8e"
)
COMPLETE_V0 = "000000000000000003ea00000000ea600400000000000001a1e5c63f45000001a1e5c63e8e"

JAVA = TransactionStored(
    transactional_id="java",
    producer_id=8,
    producer_epoch=0,
    transaction_timeout_ms=60_000,
    state=EMPTY,
    topics=(),
    update_timestamp_ms=1_794_856_320_569,
    previous_producer_id=8,
)
JAVA_ONGOING = replaced(
    JAVA,
    state=ONGOING,
    topics=(("payments", (0,)),),
    update_timestamp_ms=1_794_856_320_874,
    start_timestamp_ms=1_794_856_320_874,
    client_transaction_version=2,
)
USED_UP = TransactionStored(
    transactional_id="last-epochs",
    producer_id=4_000,
    producer_epoch=32_767,
    transaction_timeout_ms=60_000,
    state=TransactionState.PREPARE_COMMIT,
    topics=(ORDERS,),
    update_timestamp_ms=1_794_856_333_146,
    start_timestamp_ms=1_794_856_333_034,
    previous_producer_id=4_000,
    next_producer_id=1_000,
    client_transaction_version=2,
)

GOLDEN = [
    (JAVA, JAVA_KEY, EMPTY_V1),
    (JAVA_ONGOING, JAVA_KEY, ONGOING_V1),
    (
        replaced(
            JAVA_ONGOING,
            producer_epoch=1,
            state=TransactionState.COMPLETE_COMMIT,
            topics=(),
            update_timestamp_ms=1_794_856_321_018,
        ),
        JAVA_KEY,
        COMPLETE_V1,
    ),
    (USED_UP, LAST_KEY, USED_UP_V1),
    (
        replaced(
            USED_UP,
            producer_id=1_000,
            producer_epoch=0,
            state=TransactionState.COMPLETE_COMMIT,
            topics=(),
            update_timestamp_ms=1_794_856_333_148,
            next_producer_id=-1,
        ),
        LAST_KEY,
        NEXT_ID_V1,
    ),
]


def recorded() -> list[Record]:
    return [record for batch in recorded_log("__transaction_state-0") for record in decode_records(batch)]


@pytest.mark.parametrize(("record", "key", "value"), GOLDEN)
def test_golden_bytes_are_written_and_read(record: TransactionStored, key: str, value: str) -> None:
    assert encode_transaction_record(record) == (bytes.fromhex(key), bytes.fromhex(value))
    assert decode_transaction_record(bytes.fromhex(key), bytes.fromhex(value)) == record


def test_golden_bytes_are_in_the_log_of_a_real_kafka() -> None:
    values = {record.value.hex() for record in recorded() if record.value is not None}
    assert {value for _, _, value in GOLDEN} | {EMPTY_V0, ONGOING_V0, COMPLETE_V0} <= values


def test_every_record_of_a_real_kafka_is_read_and_written_as_it_was() -> None:
    """Spec 14.3. Value version 0, from the time when `transaction.version` was 0, is read only."""
    versions: dict[int, int] = {}
    for record in recorded():
        decoded = decode_transaction_record(record.key, record.value)
        if record.value is not None:
            version = int.from_bytes(record.value[:2], "big")
            versions[version] = versions.get(version, 0) + 1
            assert isinstance(decoded, TransactionStored)
            if version == 0:
                assert (decoded.previous_producer_id, decoded.client_transaction_version) == (-1, 0)
                continue
        assert encode_transaction_record(decoded) == (record.key, record.value)
    assert versions == {0: 15, 1: 56}


def test_the_log_of_a_real_kafka_tells_the_life_of_a_transactional_id() -> None:
    decoded = [decode_transaction_record(record.key, record.value) for record in recorded()]
    life = [
        (record.state, [(topic, list(partitions)) for topic, partitions in record.topics])
        for record in decoded
        if isinstance(record, TransactionStored) and record.transactional_id == "librdkafka"
    ]
    data = [("payments", [0]), ("orders", [0, 1])]
    whole = [*data, ("__consumer_offsets", [0])]
    assert life == [
        ("Empty", []),
        *(("Ongoing", data), ("Ongoing", whole), ("PrepareCommit", whole), ("CompleteCommit", [])),
        *(("Ongoing", data), ("Ongoing", whole), ("PrepareAbort", whole), ("CompleteAbort", [])),
    ]
    assert TransactionErased("librdkafka") in decoded


@pytest.mark.parametrize(
    ("value", "state", "topics"),
    [(EMPTY_V0, "Empty", ()), (ONGOING_V0, "Ongoing", (OFFSETS,)), (COMPLETE_V0, "CompleteCommit", ())],
)
def test_value_version_0_is_read(value: str, state: str, topics: tuple[TopicPartitions, ...]) -> None:
    record = decode_transaction_record(bytes.fromhex(JAVA_KEY), bytes.fromhex(value))
    assert isinstance(record, TransactionStored)
    assert (record.producer_id, record.producer_epoch, record.transaction_timeout_ms) == (1_002, 0, 60_000)
    assert (record.state, record.topics, record.next_producer_id) == (state, topics, -1)


def test_a_tombstone_is_a_null_value() -> None:
    assert encode_transaction_record(TransactionErased("java")) == (bytes.fromhex(JAVA_KEY), None)
    assert decode_transaction_record(bytes.fromhex(JAVA_KEY), None) == TransactionErased("java")


@pytest.mark.parametrize("version", [1, 2, 99, -1])
def test_a_key_of_another_version_is_kept_unread(version: int) -> None:
    """Kafka warns and goes on."""
    key = version.to_bytes(2, "big", signed=True) + b"whatever"
    assert decode_transaction_record(key, b"\x00\x00") == UnknownRecord(version)
    assert decode_transaction_record(key, None) == UnknownRecord(version)


def test_unknown_tagged_fields_and_bytes_behind_the_value_are_ignored() -> None:
    """Tag 3, an epoch for the next producer id, is known to Kafka 4.3.1, which neither writes nor reads it."""
    tagged = EMPTY_V1[:-22] + "03" + "0008" + "0000000000000008" + "03020007" + "0500" + "beef"
    assert decode_transaction_record(bytes.fromhex(JAVA_KEY), bytes.fromhex(tagged)) == JAVA
    in_topic = ONGOING_V1.replace("000000000000" + "0001a1e5c5ff6a", "000000000107" + "00" + "000001a1e5c5ff6a", 1)
    assert len(in_topic) == len(ONGOING_V1) + 4
    assert decode_transaction_record(bytes.fromhex(JAVA_KEY), bytes.fromhex(in_topic)) == JAVA_ONGOING


def test_partitions_of_an_empty_transaction_are_not_looked_at() -> None:
    """As Kafka reads it."""
    value = ONGOING_V1.replace("0000ea6001", "0000ea6000")
    record = decode_transaction_record(bytes.fromhex(JAVA_KEY), bytes.fromhex(value))
    assert record == replaced(JAVA_ONGOING, state=EMPTY, topics=())


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (None, EMPTY_V1, ["without a key"]),
        ("", EMPTY_V1, ["version needs 2 bytes, 0 are left"]),
        (JAVA_KEY[:-2], EMPTY_V1, ["transactional id needs 4 bytes, 3 are left"]),
        ("0000ffff", EMPTY_V1, ["transactional id is null"]),
        (JAVA_KEY, "", ["'java'", "version needs 2 bytes"]),
        (JAVA_KEY, "0002" + EMPTY_V1[4:], ["version 2 is not known, 0 to 1 are"]),
        (JAVA_KEY, "ffff" + EMPTY_V1[4:], ["version -1"]),
        (JAVA_KEY, EMPTY_V1.replace("0000ea6000", "0000ea6008"), ["state 8 is not known, 0 to 7 are"]),
        (JAVA_KEY, EMPTY_V1.replace("0000ea6000", "0000ea60ff"), ["state -1"]),
        (JAVA_KEY, EMPTY_V1.replace("0000ea6000", "0000ea6001"), ["topics are null, in Ongoing they may not be"]),
        (JAVA_KEY, EMPTY_V0.replace("0000ea6000", "0000ea6004"), ["topics are null, in CompleteCommit"]),
        (JAVA_KEY, ONGOING_V0.replace("0000000100125f", "7fffffff00125f"), ["topics says it has 2147483647"]),
        (JAVA_KEY, ONGOING_V0.replace("0000000100000000", "ffffffff00000000"), ["partitions is null"]),
        (JAVA_KEY, ONGOING_V1.replace("097061796d656e7473", "00"), ["topic is null"]),
        (JAVA_KEY, EMPTY_V0[:-2], ["time of the start needs 8 bytes, 7 are left"]),
        (JAVA_KEY, EMPTY_V1[:-22], ["number of tagged fields"]),
        (JAVA_KEY, EMPTY_V1[:-2], ["tagged field 0 needs 8 bytes, 7 are left"]),
        (JAVA_KEY, EMPTY_V1[:-22] + "010004" + "00000008", ["tagged field 0 has 4 bytes, it needs 8"]),
        (JAVA_KEY, EMPTY_V1[:-22] + "010201" + "02", ["tagged field 2 has 1 bytes, it needs 2"]),
    ],
)
def test_bytes_that_are_no_record_are_refused_with_what_and_where(
    key: str | None, value: str, words: list[str]
) -> None:
    with pytest.raises(RecordError) as refused:
        decode_transaction_record(None if key is None else bytes.fromhex(key), bytes.fromhex(value))
    for word in words:
        assert word in str(refused.value)


@pytest.mark.parametrize(
    "record",
    [
        TransactionErased("t" * 32_768),
        replaced(JAVA_ONGOING, topics=(("é" * 16_384, (0,)),)),
    ],
)
def test_a_text_that_no_record_can_hold_is_refused(record: TransactionRecord) -> None:
    with pytest.raises(RecordError, match="at most 32767"):
        encode_transaction_record(record)


def test_an_unknown_record_is_not_written() -> None:
    with pytest.raises(RecordError, match="type 99"):
        encode_transaction_record(UnknownRecord(99))


def test_partitions_in_a_transaction_that_has_not_begun_are_a_bug() -> None:
    with pytest.raises(AssertionError, match="no transaction has begun"):
        encode_transaction_record(replaced(JAVA, topics=(ORDERS,)))


# -- whatever the core can say, whatever bytes come in

texts = st.text(st.characters(codec="utf-8"), max_size=200)
i16, i32, i64 = (st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (16, 32, 64))
some_topics = st.lists(st.tuples(texts, st.lists(i32, max_size=4).map(tuple)), max_size=130).map(tuple)


def stored(state: st.SearchStrategy[TransactionState], topics: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.builds(TransactionStored, texts, i64, i16, i32, state, topics, i64, i64, i64, i64, i16)


records = st.one_of(
    stored(st.just(EMPTY), st.just(())),
    stored(st.sampled_from([state for state in TransactionState if state is not EMPTY]), some_topics),
    st.builds(TransactionErased, texts),
)


@given(records)
def test_every_record_comes_back_from_its_bytes(record: TransactionRecord) -> None:
    assert decode_transaction_record(*encode_transaction_record(record)) == record


def what_comes_of(key: bytes | None, value: bytes | None) -> object:
    """A record, or the words of the refusal. Anything else that is raised fails the test."""
    try:
        return decode_transaction_record(key, value)
    except RecordError as refused:
        return str(refused)


@given(st.one_of(st.none(), st.binary(max_size=40)), st.one_of(st.none(), st.binary(max_size=80)))
def test_any_bytes_give_a_record_or_a_record_error(key: bytes | None, value: bytes | None) -> None:
    assert what_comes_of(key, value)


@given(records, st.data())
def test_any_damage_gives_a_record_or_a_record_error(record: TransactionRecord, data: st.DataObject) -> None:
    """Cut anywhere, or one byte changed anywhere."""
    key, value = encode_transaction_record(record)
    whole = bytearray(key + (value or b""))
    where = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        del whole[where:]
    else:
        whole[where] = data.draw(st.integers(0, 255))
    assert what_comes_of(bytes(whole[: len(key)]), bytes(whole[len(key) :]))
