"""What a broker accepts from producers, what it rewrites, and what it refuses without appending anything."""

from __future__ import annotations

import struct
from typing import Any

import google_crc32c
import pytest

from muster.log.contract import StorageError
from muster.topics.broker import Broker
from muster.topics.effort import UNBOUNDED
from muster.topics.produce import Judging, ProduceTerms
from muster.wire import errors
from muster.wire.batch import (
    LOG_APPEND_TIME_BIT,
    Record,
    decode_records,
    encode_batch,
    parse_header,
    with_offset_and_epoch,
)
from muster.wire.compression import GZIP, SNAPPY, ZSTD
from muster.wire.special_values import NO_TOPIC_ID
from tests.topics.bench_broker import (
    NOW_MS,
    ask,
    batch,
    commit,
    fetch,
    records,
    send,
    send_durably,
    started,
    with_topic,
)


def broker_with(**configs: str) -> Broker:
    broker = started()
    with_topic(broker, "t", 1, **configs)
    return broker


def stored(broker: Broker) -> bytes:
    commit(broker)
    return fetch(broker, ask()).partitions[0].records


def test_batches_get_consecutive_offsets_and_keep_their_bytes() -> None:
    broker = broker_with()
    first = send(broker, batch(b"a", b"b"))
    second = send(broker, batch(b"c"))
    assert (first.error_code, first.base_offset, first.end_offset) == (0, 0, 2)
    assert (second.base_offset, second.end_offset, second.log_start_offset) == (2, 3, 0)
    assert first.log_append_time_ms == -1
    expected = with_offset_and_epoch(batch(b"a", b"b"), 0, 0) + with_offset_and_epoch(batch(b"c"), 2, 0)
    assert stored(broker) == expected


def test_an_unknown_topic_or_partition_is_said() -> None:
    broker = broker_with()
    for topic, partition in (("no", 0), ("t", 1), ("t", -1)):
        answer = broker.produce(topic, partition, batch(b"a"), ProduceTerms(), NOW_MS)
        assert answer.error_code == errors.UNKNOWN_TOPIC_OR_PARTITION


def flipped(content: bytes, position: int) -> bytes:
    return content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :]


def sealed(content: bytearray) -> bytes:
    """With the checksum that its bytes need."""
    struct.pack_into(">I", content, 17, google_crc32c.value(bytes(content[21:])))
    return bytes(content)


def with_magic(magic: int) -> bytes:
    content = batch(b"a")
    return content[:16] + bytes([magic]) + content[17:]


CONTROL = encode_batch(records(b"a"), control=True)
TRANSACTIONAL = encode_batch(records(b"a"), producer_id=1, producer_epoch=0, base_sequence=0, transactional=True)
WITHOUT_SEQUENCE = encode_batch(records(b"a"), producer_id=1, producer_epoch=0, base_sequence=-1)
GAP_IN_OFFSETS = encode_batch([Record(0, NOW_MS, b"k", b"a"), Record(2, NOW_MS, b"k", b"b")])


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (None, errors.INVALID_RECORD, "exactly one record batch"),
        (b"", errors.INVALID_RECORD, "exactly one record batch"),
        (
            batch(b"a") + batch(b"b"),
            errors.INVALID_RECORD,
            "exactly one record batch per partition, found more than one",
        ),
        (with_magic(1), errors.INVALID_RECORD, "magic 2, found 1"),
        (with_magic(0), errors.INVALID_RECORD, "magic 2, found 0"),
        (with_magic(3), errors.INVALID_RECORD, "magic 2, found 3"),
        (batch(b"a")[:-1], errors.CORRUPT_MESSAGE, "cut off"),
        (batch(b"a")[:30], errors.CORRUPT_MESSAGE, "needs 61 bytes"),
        (b"short", errors.CORRUPT_MESSAGE, "needs 61 bytes"),
        (flipped(batch(b"abc"), 65), errors.CORRUPT_MESSAGE, "checksum"),
        (with_offset_and_epoch(batch(b"a"), 5, 0), errors.INVALID_RECORD, "should be 0, but it is 5"),
        (CONTROL, errors.INVALID_RECORD, "not allowed to write control records"),
        (TRANSACTIONAL, errors.INVALID_TXN_STATE, "not part of an ongoing transaction"),
        (WITHOUT_SEQUENCE, errors.INVALID_RECORD, "Invalid sequence number -1"),
        (GAP_IN_OFFSETS, errors.INVALID_RECORD, "last offset delta 2"),
    ],
)
def test_a_batch_that_is_not_sound_is_refused_and_not_appended(content: bytes | None, code: int, message: str) -> None:
    """KIP-724 for old magics; one batch per partition is Kafka's rule since magic 2."""
    broker = broker_with()
    answer = send(broker, content)
    assert answer.error_code == code
    assert message in (answer.message or "")
    assert (answer.base_offset, answer.log) == (-1, None)
    assert broker.partition("t", 0).log.end_offset == 0


def test_a_batch_of_the_largest_size_is_taken_and_one_byte_more_is_not() -> None:
    size = len(batch(b"a" * 100))
    assert send(broker_with(max_message_bytes=str(size)), batch(b"a" * 100)).error_code == 0
    answer = send(broker_with(max_message_bytes=str(size - 1)), batch(b"a" * 100))
    assert answer.error_code == errors.MESSAGE_TOO_LARGE


def test_a_batch_larger_than_a_segment_is_refused() -> None:
    answer = send(broker_with(internal_segment_bytes="100"), batch(b"a" * 100))
    assert answer.error_code == errors.RECORD_LIST_TOO_LARGE


def test_a_compacted_topic_names_every_record_without_a_key() -> None:
    """KIP-467: the producer learns which records were at fault."""
    broker = broker_with(cleanup_policy="compact")
    content = encode_batch(
        [Record(0, NOW_MS, None, b"a"), Record(1, NOW_MS, b"k", b"b"), Record(2, NOW_MS, None, b"c")]
    )
    answer = send(broker, content)
    assert answer.error_code == errors.INVALID_RECORD
    assert [error.batch_index for error in answer.record_errors] == [0, 2]
    assert "without key in topic partition t-0" in answer.record_errors[0].message
    assert send(broker, batch(b"a")).error_code == 0


@pytest.mark.parametrize(
    ("configs", "timestamp_ms", "refused"),
    [
        ({}, NOW_MS + 3_600_000, False),
        ({}, NOW_MS + 3_600_001, True),
        ({}, 0, False),
        ({"message_timestamp_before_max_ms": "10"}, NOW_MS - 10, False),
        ({"message_timestamp_before_max_ms": "10"}, NOW_MS - 11, True),
        ({"message_timestamp_before_max_ms": "10"}, -1, False),
        ({"message_timestamp_type": "LogAppendTime", "message_timestamp_after_max_ms": "1"}, NOW_MS + 99, False),
    ],
)
def test_timestamps_must_lie_within_the_topics_bounds(
    configs: dict[str, str], timestamp_ms: int, refused: bool
) -> None:
    """Only with CreateTime; -1 stands for no timestamp and is always taken."""
    answer = send(broker_with(**configs), batch(b"a", timestamp_ms=timestamp_ms))
    assert answer.error_code == (errors.INVALID_TIMESTAMP if refused else 0)
    assert [error.batch_index for error in answer.record_errors] == ([0] if refused else [])


def test_only_the_records_out_of_bounds_are_named() -> None:
    content = encode_batch([Record(0, NOW_MS, b"k", b"a"), Record(1, NOW_MS + 10**9, b"k", b"b")])
    answer = send(broker_with(), content)
    assert [error.batch_index for error in answer.record_errors] == [1]


def test_log_append_time_is_written_over_the_producers() -> None:
    broker = broker_with(message_timestamp_type="LogAppendTime")
    answer = send(broker, batch(b"a", b"b", timestamp_ms=5))
    assert answer.log_append_time_ms == NOW_MS
    content = stored(broker)
    assert parse_header(content).attributes & LOG_APPEND_TIME_BIT
    assert {record.timestamp_ms for record in decode_records(content)} == {NOW_MS}


def judged(broker: Broker, content: bytes, now_ms: int = NOW_MS) -> Judging:
    """As a thread does it, for topic t."""
    judging = broker.judging("t", 0, content, ProduceTerms(), now_ms)
    assert judging is not None
    judging.run(UNBOUNDED)
    return judging


def test_the_log_append_time_that_is_told_is_the_stored_one() -> None:
    """The batch got its time when it was judged, and was appended later."""
    broker = broker_with(message_timestamp_type="LogAppendTime")
    content = batch(b"a", timestamp_ms=5)
    judging = judged(broker, content)
    answer = broker.produce("t", 0, content, ProduceTerms(), NOW_MS + 700, judged=judging)
    assert answer.log_append_time_ms == parse_header(stored(broker)).max_timestamp == NOW_MS


def test_a_batch_that_was_judged_for_other_settings_is_not_appended() -> None:
    broker = broker_with()
    content = batch(b"a", key=None)
    judging = judged(broker, content)
    broker.replace_topic_configs("t", [("cleanup.policy", "compact")])
    answer = broker.produce("t", 0, content, ProduceTerms(), NOW_MS, judged=judging)
    assert answer.error_code == errors.NOT_LEADER_OR_FOLLOWER
    assert broker.partition("t", 0).log.end_offset == 0


def test_a_batch_that_was_judged_for_a_topic_that_was_made_anew_is_not_appended() -> None:
    broker = broker_with()
    content = batch(b"a")
    judging = judged(broker, content)
    broker.delete_topics([("t", NO_TOPIC_ID)])
    assert broker.produce("t", 0, content, ProduceTerms(), NOW_MS, judged=judging).error_code == (
        errors.UNKNOWN_TOPIC_OR_PARTITION
    )
    with_topic(broker)
    answer = broker.produce("t", 0, content, ProduceTerms(), NOW_MS, judged=judging)
    assert answer.error_code == errors.NOT_LEADER_OR_FOLLOWER
    assert broker.partition("t", 0).log.end_offset == 0


def test_a_producer_may_not_claim_log_append_time_itself() -> None:
    content = encode_batch(records(b"a"), log_append_time_ms=NOW_MS)
    assert send(broker_with(), content).error_code == errors.INVALID_TIMESTAMP


def test_a_wrong_max_timestamp_in_the_header_is_corrected_from_the_records() -> None:
    content = bytearray(batch(b"a", timestamp_ms=NOW_MS))
    struct.pack_into(">q", content, 35, NOW_MS + 10**12)
    broker = broker_with()
    assert send(broker, sealed(content)).error_code == 0
    assert parse_header(stored(broker)).max_timestamp == NOW_MS


@pytest.mark.parametrize(("wanted", "codec"), [("gzip", GZIP), ("snappy", SNAPPY), ("zstd", ZSTD), ("uncompressed", 0)])
def test_the_topics_compression_replaces_the_producers(wanted: str, codec: int) -> None:
    other = 0 if codec else GZIP
    broker = broker_with(compression_type=wanted)
    content = encode_batch(
        records(b"a" * 50, b"b" * 50), compression=other, producer_id=9, producer_epoch=1, base_sequence=4
    )
    assert send(broker, content).error_code == 0
    kept = stored(broker)
    header = parse_header(kept)
    assert (header.compression, header.producer_id, header.producer_epoch, header.base_sequence) == (codec, 9, 1, 4)
    assert decode_records(kept) == decode_records(content)


def test_a_compressed_batch_is_kept_as_it_is_by_default() -> None:
    broker = broker_with()
    content = batch(b"a" * 100, compression=GZIP)
    assert send(broker, content).error_code == 0
    assert stored(broker) == with_offset_and_epoch(content, 0, 0)


def test_recompression_may_not_make_a_batch_too_large() -> None:
    content = batch(b"a" * 5000, compression=GZIP)
    answer = send(broker_with(compression_type="uncompressed", max_message_bytes="1000"), content)
    assert answer.error_code == errors.MESSAGE_TOO_LARGE


def test_zstd_is_refused_where_the_request_is_too_old_for_it() -> None:
    """KIP-110: Produce since version 7."""
    broker = broker_with()
    content = batch(b"a", compression=ZSTD)
    answer = send(broker, content, ProduceTerms(zstd_allowed=False))
    assert answer.error_code == errors.UNSUPPORTED_COMPRESSION_TYPE
    assert send(broker, content).error_code == 0


def test_a_codec_that_nobody_knows_is_refused() -> None:
    content = bytearray(batch(b"a"))
    struct.pack_into(">h", content, 21, 7)
    assert send(broker_with(), sealed(content)).error_code == errors.UNSUPPORTED_COMPRESSION_TYPE


def test_compressed_bytes_that_do_not_unpack_are_refused() -> None:
    content = bytearray(batch(b"a"))
    struct.pack_into(">h", content, 21, GZIP)
    assert send(broker_with(), sealed(content)).error_code == errors.INVALID_RECORD


def test_clients_may_not_write_to_internal_topics_unless_a_setting_allows_it() -> None:
    broker = started()
    broker.ensure_internal("__consumer_offsets", 1, {"cleanup.policy": "compact"})

    def write(**terms: Any) -> int:
        return broker.produce("__consumer_offsets", 0, batch(b"a"), ProduceTerms(**terms), NOW_MS).error_code

    assert write() == errors.INVALID_TOPIC_EXCEPTION
    assert write(internal_allowed=True) == 0


def test_acks_all_needs_min_insync_replicas_which_one_node_cannot_be() -> None:
    broker = broker_with(min_insync_replicas="2")
    assert send(broker, batch(b"a")).error_code == errors.NOT_ENOUGH_REPLICAS
    assert send(broker, batch(b"a"), ProduceTerms(acks=1)).error_code == 0


def test_a_storage_error_while_appending_is_an_error_code(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = broker_with()

    def fail(*arguments: object) -> int:
        raise StorageError("the disk is gone")

    monkeypatch.setattr(broker.partition("t", 0).log, "append", fail)
    answer = send(broker, batch(b"a"))
    assert (answer.error_code, answer.message) == (errors.KAFKA_STORAGE_ERROR, "the disk is gone")


def test_the_log_start_offset_is_told() -> None:
    broker = broker_with()
    send_durably(broker, batch(b"a", b"b"))
    broker.delete_records("t", 0, 1)
    assert send(broker, batch(b"c")).log_start_offset == 1


def test_acks_that_kafka_does_not_know_are_refused() -> None:
    broker = broker_with()
    assert send(broker, batch(b"a"), ProduceTerms(acks=2)).error_code == errors.INVALID_REQUIRED_ACKS
    assert broker.partition("t", 0).log.end_offset == 0


@pytest.mark.parametrize("kind", ["CreateTime", "LogAppendTime"])
def test_timestamps_that_overflow_are_refused(kind: str) -> None:
    """Base and delta are 64 bits each; their sum need not be. The topic's bounds are as wide as they get."""
    content = bytearray(encode_batch([Record(0, 0, b"k", b"a"), Record(1, 100, b"k", b"b")]))
    struct.pack_into(">q", content, 27, 2**63 - 50)
    broker = broker_with(
        message_timestamp_type=kind, message_timestamp_after_max_ms=str(2**63 - 1), compression_type="gzip"
    )
    assert send(broker, sealed(content)).error_code == errors.INVALID_TIMESTAMP
