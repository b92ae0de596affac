"""Producing and fetching by manual assignment, with each client library."""

from __future__ import annotations

import pytest

from muster.wire.batch import iterate_batches
from muster.wire.compression import NAMES
from tests.interop.broker_process import BrokerProcess
from tests.interop.vocabulary import CODECS, Client, Sender, Sent

DEFAULT_MAX_MESSAGE_BYTES = 1_048_588
"""Kafka's default of max.message.bytes: a megabyte and the overhead of an old message."""
ROOM_FOR_OVERHEAD = 200
CODEC_BITS = 0b111


@pytest.mark.parametrize("compression", CODECS)
def test_records_come_back_as_they_were_sent(
    server: BrokerProcess, client: Client, topic: str, compression: str
) -> None:
    """Keys, values, null values, headers (repeated names too) and timestamps, in every compression."""
    client.create_topic(topic)
    sent = [
        Sent(b"plain", timestamp_ms=1_700_000_000_000),
        Sent(b"keyed", b"key", timestamp_ms=1_700_000_000_001),
        Sent(None, b"tombstone", timestamp_ms=1_700_000_000_002),
        Sent(b"", b"", timestamp_ms=1_700_000_000_003),
        Sent(b"labelled", b"k", (("a", b"1"), ("a", b"2"), ("empty", b"")), 1_700_000_000_004),
        Sent(b"long " * 5_000, b"l", timestamp_ms=1_700_000_000_005),
    ]
    assert client.send(topic, 0, sent, compression=compression) == list(range(len(sent)))
    got = client.reader(topic).read(len(sent))
    assert [record.offset for record in got] == list(range(len(sent)))
    assert [Sent(record.value, record.key, record.headers, record.timestamp_ms) for record in got] == sent
    batches = iterate_batches(server.first_segment(topic, 0))
    # aiokafka and librdkafka leave a batch plain when packing does not make it smaller, as for the single short record.
    assert max(header.attributes & CODEC_BITS for _, header in batches) == NAMES[compression]


@pytest.mark.parametrize("compression", CODECS)
def test_every_library_reads_what_every_other_wrote(
    server: BrokerProcess, libraries: list[Client], topic: str, compression: str
) -> None:
    writer = libraries[0]
    writer.create_topic(topic)
    for each in libraries:
        each.send(topic, 0, [Sent(each.name.encode() * 100, b"k")] * 3, compression=compression)
    expected = [each.name.encode() * 100 for each in libraries for _ in range(3)]
    for each in libraries:
        assert [record.value for record in each.reader(topic).read(len(expected))] == expected


def test_an_idempotent_producer_is_served(client: Client, topic: str) -> None:
    client.create_topic(topic)
    sender = client.sender(idempotent=True)
    for start in range(0, 30, 10):
        assert sender.send(topic, 0, [Sent(b"%d" % number) for number in range(start, start + 10)])[0] == start
    assert [record.value for record in client.reader(topic).read(30)] == [b"%d" % number for number in range(30)]


def test_a_record_just_within_the_default_limit_is_taken(client: Client, topic: str) -> None:
    client.create_topic(topic)
    value = b"x" * (DEFAULT_MAX_MESSAGE_BYTES - ROOM_FOR_OVERHEAD)
    assert client.send(topic, 0, [Sent(value)]) == [0]
    assert client.reader(topic).read(1)[0].value == value


def test_a_record_over_the_limit_is_refused_by_name_and_not_stored(client: Client, topic: str) -> None:
    client.create_topic(topic, 1, {"max.message.bytes": "10000"})
    sender = client.sender()
    with pytest.raises(Exception, match=client.too_large):
        _send_naming_the_error(sender, topic, Sent(b"x" * 10_001))
    assert sender.send(topic, 0, [Sent(b"x" * 9_800)]) == [0]
    assert client.reader(topic).watermarks() == (0, 1)


def _send_naming_the_error(sender: Sender, topic: str, record: Sent) -> None:
    """The libraries put the name of an error in its class or in its text: here it is in the text."""
    try:
        sender.send(topic, 0, [record])
    except Exception as error:
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


def test_a_reader_seeks_to_beginning_end_and_offset(client: Client, topic: str) -> None:
    client.create_topic(topic)
    client.send(topic, 0, [Sent(b"%d" % number) for number in range(10)])
    reader = client.reader(topic)
    assert [record.offset for record in reader.read(2)] == [0, 1]
    reader.seek(7)
    assert [record.offset for record in reader.read(3)] == [7, 8, 9]
    reader.seek_to_beginning()
    assert reader.read(1)[0].value == b"0"
    reader.seek_to_end()
    assert reader.position() == 10
    client.send(topic, 0, [Sent(b"after the end")])
    assert reader.read(1)[0].offset == 10


def test_a_reader_finds_offsets_by_time(client: Client, topic: str) -> None:
    client.create_topic(topic)
    client.send(topic, 0, [Sent(b"v", timestamp_ms=1_000_000 + 1_000 * number) for number in range(10)])
    reader = client.reader(topic)
    assert reader.offset_at(0) == 0
    assert reader.offset_at(1_004_000) == 4
    assert reader.offset_at(1_004_001) == 5
    assert reader.offset_at(1_009_001) is None
    offset = reader.offset_at(1_007_500)
    assert offset == 8
    reader.read(1)
    reader.seek(offset)
    assert reader.read(1)[0].timestamp_ms == 1_008_000


def test_deleted_records_move_the_low_watermark(client: Client, topic: str) -> None:
    client.create_topic(topic)
    client.send(topic, 0, [Sent(b"%d" % number) for number in range(10)])
    assert client.delete_records(topic, 0, 6) == 6
    reader = client.reader(topic)
    assert reader.watermarks() == (6, 10)
    assert [record.offset for record in reader.read(4)] == [6, 7, 8, 9]
