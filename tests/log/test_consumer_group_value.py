"""Records of consumer groups byte for byte as Kafka 4.3.1 writes them, and what it reads (spec 5.4, 5.5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.core.consumer.records import (
    ClassicMetadata,
    ConsumerGroupRecord,
    CurrentAssignment,
    CurrentErased,
    CurrentStored,
    EpochErased,
    EpochStored,
    MemberErased,
    MemberStored,
    RegexErased,
    RegexStored,
    Subscription,
    TargetEpochErased,
    TargetEpochStored,
    TargetErased,
    TargetStored,
    TopicsErased,
    TopicsStored,
)
from muster.core.consumer.states import MemberState
from muster.log.record_codec import RecordError, decode_record, encode_record
from tests.values import replaced

TS = 1_700_000_000_000
TOPIC_ID = bytes(range(16))
MEMBER = Subscription(None, None, "cid", "/127.0.0.1", ("foo",), "", 300_000, "uniform")
MEMBER_BYTES = "00000000046369640b2f3132372e302e302e310204666f6f01000493e008756e69666f726d"
CLASSIC = ClassicMetadata(45_000, (("range", b"\x01"),))
CURRENT = CurrentAssignment(7, 6, MemberState.STABLE, {TOPIC_ID: {0: 7, 1: 7}})
CURRENT_BYTES = "000000000007000000060002000102030405060708090a0b0c0d0e0f030000000000000001"

GOLDEN = [
    (EpochStored("grp", 7), "00030003677270", "00000000000700"),
    (EpochStored("grp", 2, 0x0102030405060708), "00030003677270", "0000000000020100080102030405060708"),
    (TargetEpochStored("grp", 2, TS), "00060003677270", "0000000000020100080000018bcfe56800"),
    (MemberStored("grp", "m1", MEMBER), "0005000367727000026d31", MEMBER_BYTES + "01000100"),
    (
        MemberStored("grp", "m1", replaced(MEMBER, classic=CLASSIC)),
        "0005000367727000026d31",
        MEMBER_BYTES + "010010010000afc8020672616e676502010000",
    ),
    (
        TargetStored("grp", "m1", {TOPIC_ID: (0, 1)}),
        "0007000367727000026d31",
        "000002000102030405060708090a0b0c0d0e0f0300000000000000010000",
    ),
    (
        CurrentStored("grp", "m1", CURRENT),
        "0008000367727000026d31",
        CURRENT_BYTES + "0100090300000007000000070100",
    ),
    (
        RegexStored("grp", "f.*", ("foo",), 5, TS),
        "00100003677270" + "0003662e2a",
        "0000" + "0204666f6f" + "0000000000000005" + "0000018bcfe56800" + "00",
    ),
]


@pytest.mark.parametrize(("record", "key", "value"), GOLDEN)
def test_golden_bytes_are_written_and_read(record: ConsumerGroupRecord, key: str, value: str) -> None:
    """Spec 5.5."""
    assert encode_record(record) == (bytes.fromhex(key), bytes.fromhex(value))
    assert decode_record(bytes.fromhex(key), bytes.fromhex(value)) == record


@pytest.mark.parametrize(
    ("record", "key"),
    [
        (EpochErased("grp"), "00030003677270"),
        (TopicsErased("grp"), "00040003677270"),
        (MemberErased("grp", "m1"), "0005000367727000026d31"),
        (TargetEpochErased("grp"), "00060003677270"),
        (TargetErased("grp", "m1"), "0007000367727000026d31"),
        (CurrentErased("grp", "m1"), "0008000367727000026d31"),
        (RegexErased("grp", "f.*"), "001000036772700003662e2a"),
    ],
)
def test_tombstones_have_the_key_of_their_record_and_no_value(record: ConsumerGroupRecord, key: str) -> None:
    assert encode_record(record) == (bytes.fromhex(key), None)
    assert decode_record(bytes.fromhex(key), None) == record


def test_a_current_assignment_of_an_older_broker_has_its_partitions_since_its_epoch() -> None:
    """Without the tagged epochs of 4.3.1, as in the golden bytes of 4.0."""
    decoded = decode_record(bytes.fromhex("0008000367727000026d31"), bytes.fromhex(CURRENT_BYTES + "000100"))
    assert decoded == CurrentStored("grp", "m1", CURRENT)


def test_a_member_of_an_older_broker_has_no_tagged_field() -> None:
    decoded = decode_record(bytes.fromhex("0005000367727000026d31"), bytes.fromhex(MEMBER_BYTES + "00"))
    assert decoded == MemberStored("grp", "m1", MEMBER)


def test_an_unknown_state_is_unknown() -> None:
    value = bytearray.fromhex(CURRENT_BYTES + "000100")
    value[10] = 9
    decoded = decode_record(bytes.fromhex("0008000367727000026d31"), bytes(value))
    assert isinstance(decoded, CurrentStored)
    assert decoded.current.state is MemberState.UNKNOWN


def test_metadata_of_topics_are_read_and_not_written() -> None:
    value = bytes.fromhex("000002000102030405060708090a0b0c0d0e0f04666f6f00000003010000")
    assert decode_record(bytes.fromhex("00040003677270"), value) == TopicsStored("grp")
    with pytest.raises(RecordError, match="no longer written"):
        encode_record(TopicsStored("grp"))


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("00030003677270", "0001", "version 1 is not known"),
        ("00030003677270", "00000000", "epoch needs 4 bytes"),
        ("0008000367727000026d31", CURRENT_BYTES + "010005020000000701" + "00", "1 assignment epochs for 2 partitions"),
        ("000800036772", None, "group id needs 3 bytes"),
    ],
)
def test_what_cannot_be_read_says_what_is_wrong(key: str, value: str | None, problem: str) -> None:
    with pytest.raises(RecordError, match=problem):
        decode_record(bytes.fromhex(key), None if value is None else bytes.fromhex(value))


NAMES = st.text(max_size=8)
NUMBERS = st.integers(-(2**31), 2**31 - 1)
TOPIC_IDS = st.binary(min_size=16, max_size=16)
TARGETS = st.dictionaries(TOPIC_IDS, st.sets(st.integers(0, 99), min_size=1).map(lambda each: tuple(sorted(each))))
HELD = st.dictionaries(
    TOPIC_IDS,
    st.dictionaries(st.integers(0, 99), NUMBERS, min_size=1).map(lambda each: dict(sorted(each.items()))),
)
SUBSCRIPTIONS = st.builds(
    Subscription,
    st.none() | NAMES,
    st.none() | NAMES,
    NAMES,
    NAMES,
    st.sets(NAMES).map(lambda each: tuple(sorted(each))),
    NAMES,
    NUMBERS,
    st.none() | NAMES,
)
RECORDS = st.one_of(
    st.builds(MemberStored, NAMES, NAMES, SUBSCRIPTIONS),
    st.builds(TargetStored, NAMES, NAMES, TARGETS),
    st.builds(
        CurrentStored,
        NAMES,
        NAMES,
        st.builds(CurrentAssignment, NUMBERS, NUMBERS, st.sampled_from(MemberState), HELD, HELD),
    ),
    st.builds(EpochStored, NAMES, NUMBERS, st.integers(0, 2**63 - 1)),
)


@given(RECORDS)
def test_what_is_written_is_read_again(record: ConsumerGroupRecord) -> None:
    key, value = encode_record(record)
    assert decode_record(key, value) == record
