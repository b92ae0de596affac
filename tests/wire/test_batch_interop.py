"""Record batches against aiokafka and kafka-python, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.wire.batch import (
    OldMessageFormat,
    Record,
    check_crc,
    check_records,
    decode_records,
    encode_batch,
    encode_pairs,
    parse_header,
)
from tests.log.record_oracles import (
    Reader,
    Writer,
    read_with_aiokafka,
    read_with_kafka_python,
    write_with_aiokafka,
    write_with_kafka_python,
)

SAMPLE = [
    Record(0, 1_700_000_000_000, b"key", b"value", ()),
    Record(1, 1_700_000_000_007, None, b"no key", (("h", b"1"), ("empty", b""), ("none", None))),
    Record(2, 1_700_000_000_003, b"", None, ()),
    Record(3, 1_700_000_100_000, b"k" * 300, b"v" * 70_000, (("ünï", b"x"),)),
]
READERS = [read_with_aiokafka, read_with_kafka_python]

records_strategy = st.lists(
    st.tuples(
        st.integers(0, 2**41),
        st.none() | st.binary(max_size=200),
        st.none() | st.binary(max_size=200),
        st.lists(st.tuples(st.text(max_size=8), st.none() | st.binary(max_size=20)), max_size=3),
    ),
    min_size=1,
    max_size=80,
).map(
    lambda rows: [
        Record(offset, timestamp, key, value, tuple(headers))
        for offset, (timestamp, key, value, headers) in enumerate(rows)
    ]
)


@pytest.mark.parametrize(
    ("reader", "compression"),
    [(read_with_aiokafka, codec) for codec in range(5)] + [(read_with_kafka_python, codec) for codec in range(2)],
)
def test_others_read_what_we_write(reader: Reader, compression: int) -> None:
    """kafka-python needs a library of its own for each of the others."""
    assert reader(encode_batch(SAMPLE, compression=compression)) == SAMPLE


@pytest.mark.parametrize(
    ("writer", "compression"),
    [(write_with_aiokafka, codec) for codec in range(5)] + [(write_with_kafka_python, codec) for codec in range(2)],
)
def test_we_read_what_others_write(writer: Writer, compression: int) -> None:
    batch = writer(SAMPLE, compression)
    header = parse_header(batch)
    check_crc(batch, header)
    verdict = check_records(batch, header)
    assert decode_records(batch, header) == SAMPLE
    assert (verdict.min_timestamp, verdict.max_timestamp) == (1_700_000_000_000, 1_700_000_100_000)
    assert (verdict.max_timestamp_delta, verdict.null_keys) == (3, (1,))
    assert header.max_timestamp == 1_700_000_100_000


@given(records_strategy)
@settings(max_examples=60, deadline=None)
def test_uncompressed_batches_are_equal_byte_for_byte(records: list[Record]) -> None:
    """Except for the leader epoch, which producers leave open in their own ways."""
    ours, theirs = encode_batch(records), write_with_aiokafka(records, 0)
    assert ours[:12] == theirs[:12]
    assert ours[16:] == theirs[16:]
    assert decode_records(theirs) == records


@given(records_strategy, st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_every_batch_survives_the_way_through_both(records: list[Record], compression: int) -> None:
    ours = encode_batch(records, compression=compression)
    assert read_with_aiokafka(ours) == records
    assert decode_records(ours) == records


@pytest.mark.parametrize("reader", READERS, ids=["aiokafka", "kafka-python"])
def test_others_read_the_fast_path(reader: Reader) -> None:
    pairs = [(b"k%d" % number, b"v" * number if number % 7 else None) for number in range(3_000)]
    found = reader(encode_pairs(pairs, 1_700_000_000_000))
    assert [(record.key, record.value) for record in found] == pairs
    assert [record.offset for record in found] == list(range(3_000))
    assert {record.timestamp_ms for record in found} == {1_700_000_000_000}


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("value", [b"", b"v" * 100])
def test_message_sets_of_old_clients_are_told_apart_from_damage(magic: int, value: bytes) -> None:
    """KIP-724: Kafka 4 answers Produce with INVALID_RECORD; a short message set must not look like a cut-off batch."""
    old = write_with_kafka_python([Record(0, 1_000, b"k", value)], 0, magic)
    with pytest.raises(OldMessageFormat) as caught:
        parse_header(old)
    assert caught.value.magic == magic
    assert "magic 2" in str(caught.value)
