"""Coordinator records byte for byte as Kafka 4.3.1 writes them, and everything it reads (spec 5.1 to 5.3, 5.5, 5.7)."""

from __future__ import annotations

import pytest

from muster.core.records import (
    GroupErased,
    GroupStored,
    LogRecord,
    OffsetCommitted,
    OffsetErased,
    StoredMember,
    UnknownRecord,
)
from muster.log.record_codec import RecordError, decode_record, encode_record
from tests.coordinator_records import encode_records
from tests.values import replaced

TS = 1_700_000_000_000
TOPIC_ID = bytes(range(16))
OFFSET_KEY = bytes.fromhex("000100036772700003666f6f00000003")
GROUP_KEY = bytes.fromhex("00020003677270")

PLAIN = OffsetCommitted("grp", "foo", 3, 100, 5, "", TS)
WITH_ID = replaced(PLAIN, topic_id=TOPIC_ID)
WITH_EXPIRY = OffsetCommitted("grp", "foo", 3, 100, -1, "m", TS, 1_700_000_060_000)
MEMBER = StoredMember("m1", None, "cid", "/127.0.0.1", 300_000, 45_000, b"\x01", b"\x02")
STABLE = GroupStored("grp", "consumer", 1, "range", "m1", TS, (MEMBER,))

OFFSET_V3 = "000300000000000000640000000500000000018bcfe56800"
OFFSET_V4 = "0004000000000000006400000005010000018bcfe5680000"
OFFSET_V4_WITH_ID = "0004000000000000006400000005010000018bcfe56800010010000102030405060708090a0b0c0d0e0f"
OFFSET_V1 = "0001000000000000006400016d0000018bcfe568000000018bcfe65260"
OFFSET_V0 = "0000000000000000006400016d0000018bcfe56800"
GROUP_STABLE = (
    "00030008636f6e73756d657200000001000572616e676500026d310000018bcfe568000000000100026d31ffff0003636964"
    "000a2f3132372e302e302e31000493e00000afc800000001010000000102"
)

GOLDEN = [
    (PLAIN, OFFSET_KEY, OFFSET_V4),
    (WITH_ID, OFFSET_KEY, OFFSET_V4_WITH_ID),
    (WITH_EXPIRY, OFFSET_KEY, OFFSET_V1),
    (GroupStored("grp", "", 0, None, None, TS, ()), GROUP_KEY, "0003000000000000ffffffff0000018bcfe5680000000000"),
    (STABLE, GROUP_KEY, GROUP_STABLE),
    (
        GroupStored("grp", "consumer", 2, None, None, TS, ()),
        GROUP_KEY,
        "00030008636f6e73756d657200000002ffffffff0000018bcfe5680000000000",
    ),
]


@pytest.mark.parametrize(("record", "key", "value"), GOLDEN)
def test_golden_bytes_are_written_and_read(record: LogRecord, key: bytes, value: str) -> None:
    """T205, spec 5.5."""
    assert encode_record(record) == (key, bytes.fromhex(value))
    assert encode_records([record]) == [(key, bytes.fromhex(value))]
    assert decode_record(key, bytes.fromhex(value)) == record


@pytest.mark.parametrize(
    ("record", "key"), [(OffsetErased("grp", "foo", 3), OFFSET_KEY), (GroupErased("grp"), GROUP_KEY)]
)
def test_a_tombstone_is_a_null_value(record: LogRecord, key: bytes) -> None:
    assert encode_record(record) == (key, None)
    assert decode_record(key, None) == record


def test_an_outcome_is_encoded_in_its_order() -> None:
    records: list[LogRecord] = [
        WITH_ID,
        WITH_EXPIRY,
        OffsetErased("grp", "foo", 3),
        replaced(WITH_ID, metadata="m"),
        GroupErased("grp"),
    ]
    assert encode_records(records) == [encode_record(record) for record in records]
    assert [decode_record(key, value) for key, value in encode_records(records)] == records


def test_an_expire_timestamp_loses_leader_epoch_and_topic_id() -> None:
    """Spec 5.2: value version 1 has neither."""
    key, value = encode_record(replaced(WITH_ID, expire_timestamp_ms=TS + 1))
    assert value is not None
    assert value[:2] == b"\x00\x01"
    assert decode_record(key, value) == replaced(PLAIN, leader_epoch=-1, expire_timestamp_ms=TS + 1)


@pytest.mark.parametrize("key_type", ["0000", "0001"])
@pytest.mark.parametrize(
    ("value", "record"),
    [
        (OFFSET_V0, replaced(WITH_EXPIRY, expire_timestamp_ms=-1)),
        (OFFSET_V1, WITH_EXPIRY),
        ("0002" + OFFSET_V0[4:], replaced(WITH_EXPIRY, expire_timestamp_ms=-1)),
        (OFFSET_V3, PLAIN),
        (OFFSET_V4, PLAIN),
        (OFFSET_V4_WITH_ID, WITH_ID),
    ],
)
def test_offset_values_0_to_4_load_under_both_key_types(key_type: str, value: str, record: LogRecord) -> None:
    """Spec 5.7, observed on 4.3.1: types 0 and 1 name the same offset."""
    key = bytes.fromhex(key_type) + OFFSET_KEY[2:]
    assert decode_record(key, bytes.fromhex(value)) == record
    assert decode_record(key, None) == OffsetErased("grp", "foo", 3)


@pytest.mark.parametrize("metadata", ["", "m", "x" * 125, "x" * 126, "x" * 127, "é" * 4096, "😀", "\x00"])
@pytest.mark.parametrize("topic_id", [None, TOPIC_ID])
def test_metadata_of_any_length_comes_back(metadata: str, topic_id: bytes | None) -> None:
    """126 bytes is where the compact length needs a second byte."""
    record = replaced(PLAIN, metadata=metadata, topic_id=topic_id)
    assert decode_record(*encode_record(record)) == record


def test_metadata_of_a_version_3_value_come_back() -> None:
    """What Kafka 2.1 to 4.0 wrote."""
    value = bytes.fromhex("00030000000000000064ffffffff0003" + b"abc".hex() + "0000018bcfe56800")
    assert decode_record(OFFSET_KEY, value) == replaced(PLAIN, leader_epoch=-1, metadata="abc")


def test_unknown_tagged_fields_are_ignored() -> None:
    """T207: version 4 of types 1 and 2."""
    tagged = OFFSET_V4[:-2] + "03" + "0501ff" + "0010" + TOPIC_ID.hex() + "0600"
    assert decode_record(OFFSET_KEY, bytes.fromhex(tagged)) == WITH_ID
    as_long_as_usual = OFFSET_V4[:-2] + "01" + "0110" + TOPIC_ID.hex()
    assert len(as_long_as_usual) == len(OFFSET_V4_WITH_ID)
    assert decode_record(OFFSET_KEY, bytes.fromhex(as_long_as_usual)) == PLAIN


def test_a_zero_topic_id_means_none() -> None:
    value = OFFSET_V4_WITH_ID.replace(TOPIC_ID.hex(), "00" * 16)
    assert decode_record(OFFSET_KEY, bytes.fromhex(value)) == PLAIN


@pytest.mark.parametrize("value", [OFFSET_V0, OFFSET_V1, OFFSET_V3, OFFSET_V4, OFFSET_V4_WITH_ID])
def test_bytes_behind_a_complete_value_are_ignored(value: str) -> None:
    """Spec 5.7, observed on 4.3.1."""
    assert decode_record(OFFSET_KEY, bytes.fromhex(value + "beef")) == decode_record(OFFSET_KEY, bytes.fromhex(value))


def test_bytes_behind_a_complete_key_are_ignored() -> None:
    assert decode_record(OFFSET_KEY + b"more", bytes.fromhex(OFFSET_V4)) == PLAIN
    assert decode_record(GROUP_KEY + b"more", None) == GroupErased("grp")


def test_group_value_0_takes_the_session_timeout_for_the_rebalance() -> None:
    """T208: and the time of the state is unknown."""
    value = bytes.fromhex(
        "00000008636f6e73756d657200000001000572616e676500026d31"
        "00000001" + "00026d310003636964000a2f3132372e302e302e310000afc800000001010000000102"
    )
    group = decode_record(GROUP_KEY, value)
    assert isinstance(group, GroupStored)
    assert group.state_timestamp_ms == -1
    assert group.members[0].rebalance_timeout_ms == 45_000
    assert group.members[0].group_instance_id is None


@pytest.mark.parametrize(("version", "timestamp", "instance"), [("0001", "", ""), ("0002", "0000018bcfe56800", "")])
def test_group_values_1_and_2_load(version: str, timestamp: str, instance: str) -> None:
    value = bytes.fromhex(
        f"{version}0008636f6e73756d657200000001000572616e676500026d31{timestamp}"
        f"0000000100026d310003636964000a2f3132372e302e302e31000493e00000afc800000001010000000102"
    )
    group = decode_record(GROUP_KEY, value)
    assert group == GroupStored("grp", "consumer", 1, "range", "m1", TS if timestamp else -1, (MEMBER,))


def test_group_value_4_loads_with_unknown_tagged_fields() -> None:
    """T207: the flexible layout, read and not written."""
    value = bytes.fromhex(
        "0004" + "09636f6e73756d6572" + "00000001" + "0672616e6765" + "036d31" + "0000018bcfe56800"
        "02" + "036d31" + "00" + "04636964" + "0b2f3132372e302e302e31" + "000493e0" + "0000afc8" + "0201" + "0202"
        "01070161" + "010000"
    )
    assert decode_record(GROUP_KEY, value) == STABLE


def test_minus_one_as_rebalance_timeout_means_the_session_timeout() -> None:
    value = bytes.fromhex(GROUP_STABLE.replace("000493e0", "ffffffff"))
    group = decode_record(GROUP_KEY, value)
    assert isinstance(group, GroupStored)
    assert group.members[0].rebalance_timeout_ms == 45_000


@pytest.mark.parametrize("record_type", [9, 14, 23, 99, -1])
def test_other_record_types_are_kept_unread(record_type: int) -> None:
    """T206: never a failure."""
    key = record_type.to_bytes(2, "big", signed=True) + b"whatever"
    assert decode_record(key, b"\x00\x00") == UnknownRecord(record_type)
    assert decode_record(key, None) == UnknownRecord(record_type)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (None, OFFSET_V4, ["without a key"]),
        (b"", OFFSET_V4, ["record type needs 2 bytes, 0 are left"]),
        (b"\x00", OFFSET_V4, ["record type"]),
        (OFFSET_KEY[:-1], OFFSET_V4, ["partition needs 4 bytes, 3 are left", "at byte 12 of 15"]),
        (OFFSET_KEY[:7], OFFSET_V4, ["topic"]),
        (b"\x00\x01\xff\xff" + OFFSET_KEY[7:], OFFSET_V4, ["group id is null"]),
        (GROUP_KEY[:-1], GROUP_STABLE, ["group id needs 3 bytes, 2 are left"]),
        (OFFSET_KEY, "", ["'grp'", "'foo' partition 3", "version needs 2 bytes, 0 are left"]),
        (OFFSET_KEY, OFFSET_V4[:-2], ["number of tagged fields"]),
        (OFFSET_KEY, OFFSET_V4_WITH_ID[:-2], ["tagged field 0 needs 16 bytes, 15 are left"]),
        (OFFSET_KEY, OFFSET_V3[:-2], ["commit timestamp needs 8 bytes, 7 are left"]),
        (OFFSET_KEY, OFFSET_V1[:-2], ["expire timestamp"]),
        (OFFSET_KEY, "0005" + OFFSET_V4[4:], ["version 5 is not known, 0 to 4 are"]),
        (OFFSET_KEY, "ffff" + OFFSET_V4[4:], ["version -1"]),
        (OFFSET_KEY, "0104" + OFFSET_V4_WITH_ID[4:], ["version 260"]),
        (OFFSET_KEY, OFFSET_V3.replace("000000050000", "00000005ffff"), ["metadata is null"]),
        (OFFSET_KEY, "000400000000000000640000000500" + "00" * 20, ["metadata is null"]),
        (OFFSET_KEY, "0004000000000000006400000005" + "8080808080" + "00" * 20, ["more than 5 bytes"]),
        (OFFSET_KEY, "0004000000000000006400000005" + "818002" + "00" * 20, ["at most 32767"]),
        (OFFSET_KEY, OFFSET_V4[:-2] + "010001ff", ["the topic id has 1 bytes, it needs 16"]),
        (GROUP_KEY, "", ["'grp'", "version needs 2 bytes"]),
        (GROUP_KEY, GROUP_STABLE[:-2], ["assignment needs 1 bytes, 0 are left"]),
        (GROUP_KEY, "0009" + GROUP_STABLE[4:], ["version 9 is not known"]),
        (GROUP_KEY, "0003000000000000ffffffff0000018bcfe5680000100000", ["members says it has 1048576"]),
        (GROUP_KEY, "0003000000000000ffffffff0000018bcfe56800ffffffff", ["members is null"]),
    ],
)
def test_bytes_that_are_no_record_are_refused_with_what_and_where(
    key: bytes | None, value: str, words: list[str]
) -> None:
    """Spec 5.7. Kafka's load fails; the loader here skips the record (T211)."""
    with pytest.raises(RecordError) as refused:
        decode_record(key, bytes.fromhex(value))
    for word in words:
        assert word in str(refused.value)


@pytest.mark.parametrize(
    "record",
    [
        OffsetErased("g" * 32_768, "foo", 0),
        replaced(PLAIN, topic="é" * 16_384),
        replaced(PLAIN, metadata="m" * 32_768),
        GroupErased("g" * 32_768),
    ],
)
def test_a_text_that_no_record_can_hold_is_refused(record: LogRecord) -> None:
    with pytest.raises(RecordError, match="at most 32767"):
        encode_records([record])


def test_an_unknown_record_is_not_written() -> None:
    with pytest.raises(RecordError, match="type 99"):
        encode_record(UnknownRecord(99))


def test_bytes_that_are_not_utf_8_become_the_replacement_character() -> None:
    """Spec 2.1: as Kafka reads every string."""
    assert decode_record(b"\x00\x02\x00\x02a\xff", None) == GroupErased("a\ufffd")


def test_equal_topic_ids_are_one_object() -> None:
    """A million offsets must not hold a million ids."""
    one, two = (decode_record(OFFSET_KEY, bytes.fromhex(OFFSET_V4_WITH_ID)) for _ in range(2))
    assert isinstance(one, OffsetCommitted)
    assert isinstance(two, OffsetCommitted)
    assert one.topic_id is two.topic_id
