"""Offset commits become rows of s_offset_commit: every key and value version, by columns and one by one alike."""

from __future__ import annotations

from struct import pack
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.core.records import OffsetCommitted, OffsetErased
from muster.log.record_codec import RecordError, decode_record
from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.topics.names import id_text
from tests.pipeline.decode.bronze import NOW_MS, bronze_of, decoded, encoded
from tests.pipeline.oracle.decode_batch import decode_batch

KEY = bytes.fromhex("000100036772700003666f6f00000003")
TOPIC_ID = bytes(range(16))
GOLDEN = {
    "v0": ("0000000000000000006400016d0000018bcfe56800", 0, None, "m", None, None),
    "v1": ("0001000000000000006400016d0000018bcfe568000000018bcfe65260", 1, None, "m", 1_700_000_060_000, None),
    "v2": ("0002000000000000006400016d0000018bcfe56800", 2, None, "m", None, None),
    "v3": ("000300000000000000640000000500000000018bcfe56800", 3, 5, "", None, None),
    "v4": ("0004000000000000006400000005010000018bcfe5680000", 4, 5, "", None, None),
    "v4 with topic id": (
        "0004000000000000006400000005010000018bcfe56800010010000102030405060708090a0b0c0d0e0f",
        4,
        5,
        "",
        None,
        id_text(TOPIC_ID),
    ),
}


@pytest.mark.parametrize("times", [1, 100], ids=["one by one", "by columns"])
@pytest.mark.parametrize("name", GOLDEN)
def test_golden_value_reads_as_the_specification_says(name: str, times: int) -> None:
    """Spec 5.5. Alone it is read field by field, a hundred of them by columns."""
    value, version, epoch, metadata, expire_ms, topic_id = GOLDEN[name]
    rows = decoded(*[(KEY, bytes.fromhex(value))] * times)["s_offset_commit"]
    assert len(rows) == times
    row = rows[-1]
    assert (row["group_id"], row["topic"], row["partition"], row["key_version"]) == ("grp", "foo", 3, 1)
    assert (row["committed_offset"], row["commit_ms"], row["value_version"]) == (100, NOW_MS, version)
    assert (row["leader_epoch"], row["metadata"]) == (epoch, metadata)
    assert (row["expire_ms"], row["topic_id"], row["is_tombstone"]) == (expire_ms, topic_id, False)


def test_key_of_type_0_names_the_same_offset() -> None:
    (row,) = decoded((b"\0\0" + KEY[2:], bytes.fromhex(GOLDEN["v3"][0])))["s_offset_commit"]
    assert (row["group_id"], row["topic"], row["partition"], row["key_version"]) == ("grp", "foo", 3, 0)


def test_tombstone_has_no_offset_and_is_kept() -> None:
    """Trap 1."""
    rows = decoded((KEY, None), (KEY, bytes.fromhex(GOLDEN["v3"][0])))["s_offset_commit"]
    assert [row["is_tombstone"] for row in rows] == [True, False]
    assert (rows[0]["committed_offset"], rows[0]["commit_ms"], rows[0]["metadata"]) == (None, None, None)


def test_columns_of_other_records_are_left_null() -> None:
    (row,) = decoded((KEY, bytes.fromhex(GOLDEN["v4"][0])))["s_offset_commit"]
    assert [row[name] for name in ("txn_state", "is_effective", "faithful", "prev_offset", "is_rewind")] == [None] * 5
    assert list(row) == ROW_TABLES["s_offset_commit"].names


def test_producer_of_a_transactional_commit_is_carried() -> None:
    (row,) = decoded((KEY, bytes.fromhex(GOLDEN["v4"][0])), producer_id=77, is_transactional=True, batch_base_offset=0)[
        "s_offset_commit"
    ]
    assert (row["producer_id"], row["is_transactional"]) == (77, True)


def test_bytes_behind_a_complete_value_are_ignored() -> None:
    """Spec 5.7, observed on 4.3.1."""
    (row,) = decoded((KEY, bytes.fromhex(GOLDEN["v3"][0]) + b"more"))["s_offset_commit"]
    assert row["committed_offset"] == 100


def test_long_metadata_of_version_4_has_a_length_of_two_bytes() -> None:
    """Burrow takes that length as one byte and misreads metadata of 127 bytes and more (analytics 0.9)."""
    records = [OffsetCommitted("g", "t", 0, 5, 1, "m" * size, NOW_MS) for size in (126, 127, 128, 5000)]
    rows = decoded(*encoded(*records * 30))["s_offset_commit"]
    assert [len(row["metadata"]) for row in rows] == [126, 127, 128, 5000] * 30


def test_names_that_are_odd_come_through() -> None:
    """Trap 17: group ids are any UTF-8, may hold colons and spaces or be empty."""
    names = ["", "a:b", "with space", "групп\U0001f680а"]
    records = [OffsetCommitted(name, "t", 0, 1, 1, "", NOW_MS) for name in names]
    assert [row["group_id"] for row in decoded(*encoded(*records))["s_offset_commit"]] == names


BROKEN = {
    "version 5": (KEY, b"\x00\x05" + bytes(22), "version 5 is not known"),
    "version -1": (KEY, b"\xff\xff" + bytes(22), "version -1 is not known"),
    "no byte": (KEY, b"", "version needs 2 bytes"),
    "cut short": (KEY, bytes.fromhex(GOLDEN["v3"][0])[:-1], "commit timestamp needs 8 bytes"),
    "key cut short": (KEY[:7], bytes.fromhex(GOLDEN["v3"][0]), "key"),
    "key without topic": (KEY[:7] + bytes(4), bytes.fromhex(GOLDEN["v3"][0]), "topic"),
    "no key": (None, b"x", "no key"),
    "key of one byte": (b"\x00", b"x", "no key, or one too short"),
}


@pytest.mark.parametrize("times", [1, 50])
@pytest.mark.parametrize("name", BROKEN)
def test_undecodable_record_goes_to_quarantine_and_its_neighbours_do_not(name: str, times: int) -> None:
    key, value, reason = BROKEN[name]
    good = (KEY, bytes.fromhex(GOLDEN["v3"][0]))
    made = decoded(good, *[(key, value)] * times, good)
    assert [row["log_offset"] for row in made["s_offset_commit"]] == [0, times + 1]
    assert [row["log_offset"] for row in made["b_quarantine"]] == list(range(1, times + 1))
    row = made["b_quarantine"][0]
    assert reason in row["reason"]
    assert (row["key"], row["value"]) == (key, value)
    assert row["where"] == "segment __consumer_offsets-0 offset 1"


def test_group_in_the_wrong_partition_is_misplaced() -> None:
    """Trap 26. "grp" hashes to 102629; of 50 partitions it belongs into number 29."""
    value = bytes.fromhex(GOLDEN["v3"][0])
    right = decoded((KEY, value), partition=29, partition_count=50)
    assert (len(right["s_offset_commit"]), right["b_quarantine"]) == (1, [])
    wrong = decoded((KEY, value), (KEY, None), partition=27, partition_count=50)
    assert wrong["s_offset_commit"] == []
    assert [row["reason"] for row in wrong["b_quarantine"]] == [
        "misplaced: group 'grp' belongs into partition 29 of 50, not 27"
    ] * 2


def test_unknown_types_are_counted_and_not_decoded() -> None:
    """Trap 12: share and streams groups write types of their own."""
    share = (b"\x00\x0b\x00\x01s", b"\x00\x00")
    made = decoded((KEY, None), share, share, (b"\x00\x63abc", None))
    assert [
        (row["record_type"], row["records"], row["first_offset"], row["last_offset"]) for row in made["unknown_type"]
    ] == [(11, 2, 1, 2), (99, 1, 3, 3)]
    assert made["b_quarantine"] == []


def test_markers_become_ends_of_transactions_and_other_control_records_nothing() -> None:
    made = decoded((b"\0\0\0\1", b""), is_control=True, control_type=1, producer_id=7, producer_epoch=2)
    (marker,) = made["txn_marker"]
    assert (marker["producer_id"], marker["producer_epoch"], marker["control_type"]) == (7, 2, 1)
    newer = decoded((b"\0\0\0\5", b""), is_control=True)
    assert [name for name, rows in newer.items() if rows] == []


def test_batch_of_several_log_partitions_is_decoded_partition_by_partition() -> None:
    """Spark may put the rows of several files into one batch."""
    value = bytes.fromhex(GOLDEN["v3"][0])
    mixed = bronze_of([(KEY, value)] * 4)
    mixed = mixed.set_column(2, mixed.schema.field(2), pa.array([29, 27, 29, 27], pa.int32()))
    made = decode_batch(mixed, 50)
    assert made["s_offset_commit"].column("log_offset").to_pylist() == [0, 2]
    assert made["b_quarantine"].column("log_offset").to_pylist() == [1, 3]


def test_rows_of_other_topics_are_not_looked_at() -> None:
    assert all(not rows for rows in decoded((KEY, b"junk"), log_topic="__group_journal").values())


_text = st.text(st.characters(codec="utf-8"), max_size=6)
_commit = st.builds(
    OffsetCommitted,
    group_id=_text,
    topic=_text,
    partition=st.integers(0, 2**31 - 1),
    offset=st.integers(-1, 2**62),
    leader_epoch=st.integers(-1, 2**31 - 1),
    metadata=st.sampled_from(["", "", "m", "ü" * 70]),
    commit_timestamp_ms=st.integers(0, 2**45),
    expire_timestamp_ms=st.sampled_from([-1, -1, NOW_MS]),
    topic_id=st.sampled_from([None, TOPIC_ID, b"\xee" * 16]),
)
_erased = st.builds(OffsetErased, group_id=_text, topic=_text, partition=st.integers(0, 9))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(_commit, _erased), min_size=1, max_size=12), st.integers(1, 40))
def test_columns_say_what_the_record_codec_says(records: list[Any], times: int) -> None:
    pairs = encoded(*records) * times
    rows = decoded(*pairs)["s_offset_commit"]
    assert len(rows) == len(pairs)
    for row, (key, value) in zip(rows, pairs, strict=True):
        expected = decode_record(key, value)
        assert isinstance(expected, OffsetCommitted | OffsetErased)
        place = (expected.group_id, expected.topic, expected.partition)
        assert (row["group_id"], row["topic"], row["partition"]) == place
        if isinstance(expected, OffsetErased):
            assert row["is_tombstone"]
            continue
        assert row["committed_offset"] == expected.offset
        assert row["leader_epoch"] == (None if expected.leader_epoch < 0 else expected.leader_epoch)
        assert (row["metadata"], row["commit_ms"]) == (expected.metadata, expected.commit_timestamp_ms)
        assert row["expire_ms"] == (None if expected.expire_timestamp_ms < 0 else expected.expire_timestamp_ms)
        assert row["topic_id"] == (None if expected.topic_id is None else id_text(expected.topic_id))


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=60), st.integers(1, 30), st.sampled_from([0, 1, 2, 3, 4]))
def test_any_value_is_decoded_or_quarantined_as_the_codec_would(content: bytes, times: int, version: int) -> None:
    value = pack(">h", version) + content
    made = decoded(*[(KEY, value)] * times)
    try:
        expected = decode_record(KEY, value)
    except RecordError:
        assert (len(made["s_offset_commit"]), len(made["b_quarantine"])) == (0, times)
    else:
        assert isinstance(expected, OffsetCommitted)
        assert made["b_quarantine"] == []
        assert {row["committed_offset"] for row in made["s_offset_commit"]} == {expected.offset}
