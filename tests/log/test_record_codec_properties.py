"""Whatever the core can say comes back from its bytes; whatever bytes come in, the answer is a record or a RecordError."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muster.core.offsets.topic_offsets import topic_offsets
from muster.core.records import (
    GroupErased,
    GroupStored,
    LogRecord,
    OffsetCommitted,
    OffsetErased,
    OffsetsCommitted,
    StoredMember,
)
from muster.log.record_codec import RecordError, decode_record, encode_record, write_record
from muster.wire.batch import OpenBatch, encode_pairs
from tests.coordinator_records import encode_records

texts = st.text(st.characters(codec="utf-8"), max_size=200)
i32 = st.integers(-(2**31), 2**31 - 1)
i64 = st.integers(-(2**63), 2**63 - 1)
octets = st.binary(max_size=50)
topic_ids = st.binary(min_size=16, max_size=16).filter(any)

plain_offsets = st.builds(
    OffsetCommitted,
    texts,
    texts,
    i32,
    i64,
    i32,
    st.one_of(st.just(""), texts),
    i64,
    st.just(-1),
    st.one_of(st.none(), topic_ids),
)
expiring_offsets = st.builds(
    OffsetCommitted, texts, texts, i32, i64, st.just(-1), texts, i64, i64.filter(lambda ms: ms != -1), st.none()
)
members = st.builds(
    StoredMember,
    texts,
    st.one_of(st.none(), texts),
    texts,
    texts,
    i32.filter(lambda ms: ms != -1),
    i32,
    octets,
    octets,
)
groups = st.builds(
    GroupStored,
    texts,
    texts,
    i32,
    st.one_of(st.none(), texts),
    st.one_of(st.none(), texts),
    i64,
    st.lists(members, max_size=4).map(tuple),
)
records: st.SearchStrategy[LogRecord] = st.one_of(
    plain_offsets,
    expiring_offsets,
    groups,
    st.builds(OffsetErased, texts, texts, i32),
    st.builds(GroupErased, texts),
)


@given(st.lists(records, max_size=5))
def test_every_record_comes_back_from_its_bytes(written: list[LogRecord]) -> None:
    encoded = encode_records(written)
    assert encoded == [encode_record(record) for record in written]
    assert [decode_record(key, value) for key, value in encoded] == written


def what_comes_of(key: bytes | None, value: bytes | None) -> object:
    """A record, or the words of the refusal. Anything else that is raised fails the test."""
    try:
        return decode_record(key, value)
    except RecordError as refused:
        return str(refused)


@given(st.one_of(st.none(), st.binary(max_size=40)), st.one_of(st.none(), st.binary(max_size=80)))
def test_any_bytes_give_a_record_or_a_record_error(key: bytes | None, value: bytes | None) -> None:
    assert what_comes_of(key, value)


@given(records, st.data())
def test_any_damage_gives_a_record_or_a_record_error(record: LogRecord, data: st.DataObject) -> None:
    """Cut anywhere, or one byte changed anywhere."""
    key, value = encode_record(record)
    whole = bytearray(key + (value or b""))
    where = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        del whole[where:]
    else:
        whole[where] = data.draw(st.integers(0, 255))
    assert what_comes_of(bytes(whole[: len(key)]), bytes(whole[len(key) :]))


@given(plain_offsets, st.integers(1, 60))
def test_a_cut_value_is_never_read_as_a_whole_one(record: OffsetCommitted, cut: int) -> None:
    """T211: the last byte is needed."""
    key, value = encode_record(record)
    assert value is not None
    assert isinstance(what_comes_of(key, value[:-cut]), str)


def as_one(record: OffsetCommitted) -> OffsetsCommitted:
    row = (record.partition, record.offset, record.leader_epoch, record.metadata)
    return OffsetsCommitted(
        record.group_id,
        topic_offsets(record.topic, record.topic_id, [row]),
        record.commit_timestamp_ms,
        record.expire_timestamp_ms,
    )


@given(st.lists(records, min_size=1, max_size=5), st.integers(0, 2**40))
def test_a_batch_gets_the_bytes_that_each_record_has_by_itself(written: list[LogRecord], now_ms: int) -> None:
    batch = OpenBatch(0, 0)
    batch.mark(now_ms)
    for record in written:
        write_record(batch, as_one(record) if isinstance(record, OffsetCommitted) else record)
    batch.keep()
    assert batch.seal() == encode_pairs(encode_records(written), now_ms, leader_epoch=0)
