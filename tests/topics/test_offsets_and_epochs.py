"""ListOffsets, OffsetForLeaderEpoch, DeleteRecords, log directories and the retention pass."""

from __future__ import annotations

from typing import NoReturn

import pytest

from muster.log.contract import StorageError
from muster.log.memory import MemoryStore
from muster.topics.broker import Broker, LogDirEntry
from muster.topics.epochs import EpochEnd
from muster.topics.list_offsets import OffsetAnswer
from muster.topics.refusal import TopicError
from muster.wire import errors
from muster.wire.batch import Record, encode_batch, parse_header
from tests.topics.bench_broker import NOW_MS, batch, commit, send, send_durably, started, with_topic

LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED = -1, -2, -3, -4, -5


@pytest.fixture
def broker() -> Broker:
    """Topic t-0: offsets 0..3 with timestamps NOW+0, +30, +10, +20."""
    made = started()
    with_topic(made)
    for delay in (0, 30, 10, 20):
        send_durably(made, batch(b"v", timestamp_ms=NOW_MS + delay))
    return made


@pytest.mark.parametrize(
    ("timestamp", "answer"),
    [
        (LATEST, OffsetAnswer(0, -1, 4, 0)),
        (EARLIEST, OffsetAnswer(0, -1, 0, 0)),
        (EARLIEST_LOCAL, OffsetAnswer(0, -1, 0, 0)),
        (MAX_TIMESTAMP, OffsetAnswer(0, NOW_MS + 30, 1, 0)),
        (LATEST_TIERED, OffsetAnswer(0, -1, -1, -1)),
        (0, OffsetAnswer(0, NOW_MS, 0, 0)),
        (NOW_MS + 1, OffsetAnswer(0, NOW_MS + 30, 1, 0)),
        (NOW_MS + 31, OffsetAnswer(0, -1, -1, -1)),
        (-6, OffsetAnswer(errors.UNSUPPORTED_VERSION)),
        (-100, OffsetAnswer(errors.UNSUPPORTED_VERSION)),
    ],
)
def test_offsets_are_found_by_time(broker: Broker, timestamp: int, answer: OffsetAnswer) -> None:
    """There is no tier, so the latest tiered offset is unknown; -6 came with version 11."""
    assert broker.list_offset("t", 0, timestamp) == answer


def test_special_times_that_the_version_does_not_know_are_refused(broker: Broker) -> None:
    assert broker.list_offset("t", 0, MAX_TIMESTAMP, lowest_special=EARLIEST).error_code == errors.UNSUPPORTED_VERSION
    assert broker.list_offset("t", 0, EARLIEST, lowest_special=EARLIEST).error_code == 0


def test_what_is_not_durable_does_not_count(broker: Broker) -> None:
    send(broker, batch(b"v", timestamp_ms=NOW_MS + 99))
    assert broker.list_offset("t", 0, LATEST).offset == 4
    assert broker.list_offset("t", 0, LATEST, read_committed=True).offset == 4
    assert broker.list_offset("t", 0, NOW_MS + 99).offset == -1


def test_an_empty_log_has_ends_but_no_times() -> None:
    broker = started()
    with_topic(broker)
    assert broker.list_offset("t", 0, LATEST).offset == 0
    assert broker.list_offset("t", 0, EARLIEST).offset == 0
    assert broker.list_offset("t", 0, MAX_TIMESTAMP) == OffsetAnswer()
    assert broker.list_offset("t", 0, 0) == OffsetAnswer()


def test_list_offsets_checks_topic_and_epoch(broker: Broker) -> None:
    assert broker.list_offset("no", 0, LATEST).error_code == errors.UNKNOWN_TOPIC_OR_PARTITION
    assert broker.list_offset("t", 0, LATEST, current_epoch=1).error_code == errors.UNKNOWN_LEADER_EPOCH
    assert broker.list_offset("t", 0, LATEST, current_epoch=0).error_code == 0


@pytest.fixture
def adopted() -> Broker:
    """A log that another broker wrote in epochs 2 (offsets 0, 1) and 4 (offsets 2, 3)."""
    store = MemoryStore()
    log = with_topic(started(store)).log
    for epoch in (2, 4):
        content = encode_batch([Record(0, NOW_MS, b"k", b"a"), Record(1, NOW_MS + epoch, b"k", b"b")])
        log.append(content, parse_header(content), epoch, NOW_MS)
    store.write_document("topics.json", b'{"version": 1, "topics": []}')
    broker = started(store)
    commit(broker)
    store.write_document("topics.json", b'{"version": 1, "topics": []}')
    return started(store)


@pytest.mark.parametrize(
    ("epoch", "answer"),
    [
        (4, EpochEnd(0, 4, 4)),
        (3, EpochEnd(0, 2, 2)),
        (2, EpochEnd(0, 2, 2)),
        (1, EpochEnd(0, 1, 0)),
        (5, EpochEnd(0, -1, -1)),
        (-1, EpochEnd(0, -1, -1)),
    ],
)
def test_an_old_epoch_ended_where_the_next_began(adopted: Broker, epoch: int, answer: EpochEnd) -> None:
    assert adopted.end_of_epoch("t", 0, 4, epoch) == answer


def test_answers_carry_the_epoch_in_which_the_record_was_written(adopted: Broker) -> None:
    assert adopted.list_offset("t", 0, EARLIEST).leader_epoch == 2
    assert adopted.list_offset("t", 0, LATEST).leader_epoch == 4
    assert adopted.list_offset("t", 0, NOW_MS + 3) == OffsetAnswer(0, NOW_MS + 4, 3, 4)


def test_an_epoch_that_is_not_current_is_told(adopted: Broker) -> None:
    assert adopted.end_of_epoch("t", 0, 3, 2).error_code == errors.FENCED_LEADER_EPOCH
    assert adopted.end_of_epoch("t", 0, 5, 2).error_code == errors.UNKNOWN_LEADER_EPOCH
    assert adopted.end_of_epoch("no", 0, -1, 2).error_code == errors.UNKNOWN_TOPIC_OR_PARTITION


def test_a_log_that_cannot_be_read_is_a_storage_error_of_the_epochs_end(
    adopted: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(offset: int) -> NoReturn:
        raise StorageError("the database went away")

    monkeypatch.setattr(adopted.partition("t", 0).log, "read_headers", fails, raising=True)
    assert adopted.end_of_epoch("t", 0, 4, 2).error_code == errors.KAFKA_STORAGE_ERROR


def test_the_current_epoch_of_our_own_log_ends_at_the_high_watermark(broker: Broker) -> None:
    send(broker, batch(b"staged"))
    assert broker.end_of_epoch("t", 0, -1, 0) == EpochEnd(0, 0, 4)


def test_records_before_an_offset_are_deleted(broker: Broker) -> None:
    assert broker.delete_records("t", 0, 2) == 2
    assert broker.list_offset("t", 0, EARLIEST).offset == 2
    assert broker.delete_records("t", 0, 1) == 2
    assert broker.delete_records("t", 0, -1) == 4


@pytest.mark.parametrize(
    ("topic", "offset", "code"),
    [
        ("t", 5, errors.OFFSET_OUT_OF_RANGE),
        ("t", -2, errors.OFFSET_OUT_OF_RANGE),
        ("no", 0, errors.UNKNOWN_TOPIC_OR_PARTITION),
        ("compacted", 0, errors.POLICY_VIOLATION),
        ("__consumer_offsets", 0, errors.INVALID_TOPIC_EXCEPTION),
    ],
)
def test_records_that_may_not_be_deleted_stay(broker: Broker, topic: str, offset: int, code: int) -> None:
    with_topic(broker, "compacted", cleanup_policy="compact")
    broker.ensure_internal("__consumer_offsets", 1, {})
    with pytest.raises(TopicError) as refused:
        broker.delete_records(topic, 0, offset)
    assert refused.value.code == code
    assert broker.partition("t", 0).log.start_offset == 0


def test_log_directories_show_sizes_of_what_exists(broker: Broker) -> None:
    size = 4 * len(batch(b"v"))
    with_topic(broker, "empty", 2)
    assert broker.log_dirs() == [LogDirEntry("empty", 0, 0), LogDirEntry("empty", 1, 0), LogDirEntry("t", 0, size)]
    assert broker.log_dirs({"t": [0, 1], "no": [0]}) == [LogDirEntry("t", 0, size)]


def test_the_retention_pass_drops_old_segments_of_every_topic() -> None:
    broker = started()
    old = with_topic(broker, "t", retention_ms="1000", internal_segment_bytes="100")
    with_topic(broker, "kept", retention_ms="-1")
    for _ in range(3):
        send_durably(broker, batch(b"v" * 30))
    done = broker.apply_retention(NOW_MS + 10_000)
    assert list(done.segments_dropped) == [old]
    assert done.failures == []
    assert old.log.start_offset > 0


def test_a_broken_log_does_not_keep_the_pass_from_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = started()
    broken = with_topic(broker, "a")
    fine = with_topic(broker, "t", retention_ms="1000", internal_segment_bytes="100")
    for _ in range(3):
        send_durably(broker, batch(b"v" * 30))

    def fail(now_ms: int) -> int:
        raise StorageError("cannot unlink")

    monkeypatch.setattr(broken.log, "apply_retention", fail)
    done = broker.apply_retention(NOW_MS + 10_000)
    assert [(partition, str(error)) for partition, error in done.failures] == [(broken, "cannot unlink")]
    assert list(done.segments_dropped) == [fine]
