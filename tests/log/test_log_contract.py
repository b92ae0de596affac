"""What `muster.log.contract` promises, asked of every store."""

from __future__ import annotations

import pytest

from muster.log.contract import LogConfig, LogStore, TimestampOffset
from muster.wire.batch import OpenBatch, check_crc, encode_batch, iterate_batches, parse_header
from muster.wire.batch import Record as BatchRecord
from tests.log.batches import TOPIC_ID, all_records, commit, open_log, put, records_in, stage

WEEK_MS = 604_800_000


def test_a_new_log_is_empty_and_listed(store: LogStore) -> None:
    log = open_log(store)
    assert (log.start_offset, log.durable_offset, log.end_offset, log.size_bytes()) == (0, 0, 0, 0)
    assert log.read(0, 1000) == b""
    assert list(log.read_headers(0)) == []
    assert log.max_timestamp() is None
    assert log.offset_for_timestamp(0) is None
    assert store.partitions() == [("t", 0)]
    assert store.get("t", 0) is log
    assert store.get("t", 1) is None


def test_opening_an_open_log_returns_the_same_one_with_the_new_settings(store: LogStore) -> None:
    log = open_log(store)
    again = store.open("t", 0, TOPIC_ID, LogConfig(retention_ms=5))
    assert again is log
    assert log.config.retention_ms == 5


def test_a_staged_batch_has_offsets_but_no_readers(store: LogStore) -> None:
    """Contract step 1: offsets at once, visibility with durability."""
    log = open_log(store)
    assert stage(log, "a", "b") == 0
    assert stage(log, "c") == 2
    assert (log.end_offset, log.durable_offset) == (3, 0)
    assert log.read(0, 1000) == b""


def test_a_commit_makes_what_was_staged_visible_and_nothing_later(store: LogStore) -> None:
    """Contract steps 2 to 4."""
    log = open_log(store)
    stage(log, "a")
    pending = store.begin_commit()
    assert pending is not None
    stage(log, "b")
    pending.run()
    assert log.durable_offset == 0
    assert pending.finish() == [(log, None)]
    assert all_records(log) == [(0, "a")]
    assert (log.durable_offset, log.end_offset) == (1, 2)
    assert commit(store) == [(log, None)]
    assert all_records(log) == [(0, "a"), (1, "b")]


def test_an_open_batch_grows_until_a_commit_takes_it_over(store: LogStore) -> None:
    log = open_log(store)
    put(store, log, "a")
    batch = OpenBatch(1, 0)
    for timestamp_ms, value in ((1_000, b"b"), (2_000, b"c")):
        batch.mark(timestamp_ms)
        batch.add(None, value)
        batch.keep()
        log.stage_open(batch)
    assert (log.end_offset, log.durable_offset, batch.is_open) == (3, 1, True)
    assert commit(store) == [(log, None)]
    assert not batch.is_open
    stage(log, "d")
    assert commit(store) == [(log, None)]
    assert all_records(log) == [(0, "a"), (1, "b"), (2, "c"), (3, "d")]
    assert [header.base_offset for _, header in log.read_headers(0)] == [0, 1, 3]
    assert log.max_timestamp() == TimestampOffset(2_000, 2)


def test_an_append_behind_an_open_batch_closes_it(store: LogStore) -> None:
    log = open_log(store)
    batch = OpenBatch(0, 0)
    batch.mark(1_000)
    batch.add(None, b"a")
    batch.keep()
    log.stage_open(batch)
    assert stage(log, "b") == 1
    assert not batch.is_open
    assert commit(store) == [(log, None)]
    assert all_records(log) == [(0, "a"), (1, "b")]


def test_nothing_staged_is_no_commit(store: LogStore) -> None:
    open_log(store)
    assert store.begin_commit() is None


def test_a_commit_names_its_logs_in_staging_order(store: LogStore) -> None:
    logs = [open_log(store, partition=number) for number in range(3)]
    for number in (2, 0, 1):
        stage(logs[number], "x")
    assert [log.partition for log, _ in commit(store)] == [2, 0, 1]


def test_append_patches_offset_and_leader_epoch_and_leaves_the_checksum_valid(store: LogStore) -> None:
    log = open_log(store)
    put(store, log, "a")
    stage(log, "b", "c", epoch=7)
    commit(store)
    batches = log.read(1, 1000)
    (position, header) = next(iter(iterate_batches(batches)))
    check_crc(batches, header, position)
    assert (header.base_offset, header.last_offset, header.partition_leader_epoch) == (1, 2, 7)


@pytest.mark.parametrize("segment_bytes", [150, 1_000_000])
def test_reading_starts_with_the_batch_that_holds_the_offset(store: LogStore, segment_bytes: int) -> None:
    log = open_log(store, segment_bytes=segment_bytes)
    for number in range(10):
        put(store, log, f"{number}a", f"{number}b", f"{number}c")
    for offset in range(30):
        found = records_in(log.read(offset, 100_000))
        assert found[0][0] == offset - offset % 3
        assert found[-1] == (29, "9c")
    assert log.read(30, 1000) == b""


def test_reading_stops_at_max_bytes_on_a_batch_boundary(store: LogStore) -> None:
    log = open_log(store)
    for number in range(5):
        put(store, log, str(number))
    size = log.size_bytes() // 5
    assert [offset for offset, _ in records_in(log.read(1, size * 2 + size // 2))] == [1, 2]
    assert [offset for offset, _ in records_in(log.read(1, size * 2))] == [1, 2]


def test_a_first_batch_larger_than_max_bytes_comes_whole_only_if_asked_for(store: LogStore) -> None:
    """KIP-74: a consumer must be able to make progress."""
    log = open_log(store)
    put(store, log, "a" * 500)
    put(store, log, "b")
    assert records_in(log.read(0, 10)) == [(0, "a" * 500)]
    assert log.read(0, 10, at_least_one=False) == b""
    assert log.read(0, 0, at_least_one=False) == b""


def test_headers_come_without_records_from_the_batch_that_holds_the_offset(store: LogStore) -> None:
    log = open_log(store, segment_bytes=400)
    for number in range(12):
        put(store, log, str(number), "x" * 50, timestamp_ms=number)
    headers = [header for _, header in log.read_headers(7)]
    assert [header.base_offset for header in headers] == list(range(6, 24, 2))
    assert [header.max_timestamp for header in headers] == list(range(3, 12))


def test_headers_reach_past_a_batch_larger_than_the_look_ahead(store: LogStore) -> None:
    log = open_log(store)
    put(store, log, "small")
    put(store, log, "x" * 100_000)
    put(store, log, "last")
    assert [header.base_offset for _, header in log.read_headers(0)] == [0, 1, 2]
    assert records_in(log.read(2, 1000)) == [(2, "last")]


def test_timestamp_lookup_finds_the_first_record_at_or_after(store: LogStore) -> None:
    """ListOffsets by time: inside a batch too, and records out of order count where they stand."""
    log = open_log(store, segment_bytes=300, index_interval_bytes=100)
    put(store, log, "a", "b", "c", timestamp_ms=100, step_ms=10)
    put(store, log, "d", timestamp_ms=500)
    put(store, log, "e", timestamp_ms=300)
    put(store, log, "f", "g", timestamp_ms=600, step_ms=100)
    expected = {
        0: (100, 0),
        100: (100, 0),
        101: (110, 1),
        120: (120, 2),
        121: (500, 3),
        300: (500, 3),
        501: (600, 4 + 1),
    }
    for target, (timestamp, offset) in expected.items():
        assert log.offset_for_timestamp(target) == TimestampOffset(timestamp, offset), target
    assert log.offset_for_timestamp(650) == TimestampOffset(700, 6)
    assert log.offset_for_timestamp(701) is None


def test_timestamp_lookup_skips_records_before_the_start(store: LogStore) -> None:
    log = open_log(store)
    put(store, log, "a", "b", "c", timestamp_ms=100, step_ms=10)
    log.delete_before(2)
    assert log.offset_for_timestamp(0) == TimestampOffset(120, 2)


def test_timestamp_lookup_unpacks_compressed_batches(store: LogStore) -> None:
    log = open_log(store)
    batch = encode_batch([BatchRecord(0, 10, b"k", b"a"), BatchRecord(1, 20, b"k", b"b")], compression=4)
    log.append(batch, parse_header(batch), 0, 0)
    commit(store)
    assert log.offset_for_timestamp(15) == TimestampOffset(20, 1)


def test_log_append_time_counts_for_every_record_of_the_batch(store: LogStore) -> None:
    log = open_log(store)
    batch = encode_batch([BatchRecord(0, 10, None, b"a"), BatchRecord(1, 9_000, None, b"b")], log_append_time_ms=5_000)
    log.append(batch, parse_header(batch), 0, 0)
    commit(store)
    assert log.offset_for_timestamp(4_000) == TimestampOffset(5_000, 0)
    assert log.offset_for_timestamp(5_001) is None


def test_the_newest_timestamp_belongs_to_the_first_record_that_carries_it(store: LogStore) -> None:
    """KIP-734."""
    log = open_log(store, segment_bytes=200)
    put(store, log, "a", timestamp_ms=100)
    put(store, log, "b", "c", timestamp_ms=900)
    put(store, log, "d", timestamp_ms=900)
    put(store, log, "e", timestamp_ms=200)
    assert log.max_timestamp() == TimestampOffset(900, 1)


def test_delete_before_moves_the_start_and_drops_whole_segments(store: LogStore) -> None:
    log = open_log(store, segment_bytes=150)
    for number in range(6):
        put(store, log, str(number), "x" * 80)
    full = log.size_bytes()
    log.delete_before(5)
    assert log.start_offset == 5
    assert log.size_bytes() < full
    assert all_records(log)[0] == (5, "x" * 80)
    log.delete_before(3)
    assert log.start_offset == 5
    log.delete_before(12)
    assert (log.start_offset, all_records(log)) == (12, [])
    assert put(store, log, "next") == 12


def test_retention_by_time_drops_closed_segments_whose_newest_record_is_too_old(store: LogStore) -> None:
    log = open_log(store, segment_bytes=100, retention_ms=1_000)
    for number in range(4):
        put(store, log, str(number) * 50, timestamp_ms=number * 1_000)
    assert log.apply_retention(2_500) == 2
    assert log.start_offset == 2
    assert [offset for offset, _ in all_records(log)] == [2, 3]


def test_retention_takes_an_old_active_segment_too_and_offsets_go_on(store: LogStore) -> None:
    """Kafka rolls the active segment if all of it has expired."""
    log = open_log(store, retention_ms=1_000)
    put(store, log, "a", timestamp_ms=0)
    assert log.apply_retention(5_000) == 1
    assert (log.start_offset, log.size_bytes(), all_records(log)) == (1, 0, [])
    assert put(store, log, "b") == 1
    assert all_records(log) == [(1, "b")]


def test_retention_by_size_keeps_at_least_the_configured_bytes(store: LogStore) -> None:
    log = open_log(store, segment_bytes=100, retention_ms=-1, retention_bytes=300)
    for number in range(6):
        put(store, log, str(number) * 40)
    one = log.size_bytes() // 6
    log.apply_retention(0)
    assert 300 <= log.size_bytes() < 300 + one


def test_retention_leaves_a_compacted_log_alone(store: LogStore) -> None:
    log = open_log(store, segment_bytes=100, retention_ms=1, cleanup_delete=False, cleanup_compact=True)
    put(store, log, "a" * 90, timestamp_ms=0)
    put(store, log, "b" * 90, timestamp_ms=0)
    assert log.apply_retention(WEEK_MS) == 0
    assert len(all_records(log)) == 2


def test_retention_for_ever_drops_nothing(store: LogStore) -> None:
    log = open_log(store, segment_bytes=100, retention_ms=-1)
    put(store, log, "a" * 90, timestamp_ms=0)
    put(store, log, "b" * 90, timestamp_ms=0)
    assert log.apply_retention(WEEK_MS * 100) == 0


def test_a_segment_rolls_when_a_batch_is_segment_ms_younger_than_its_first(store: LogStore) -> None:
    log = open_log(store, segment_ms=1_000, retention_ms=5_000)
    put(store, log, "a", timestamp_ms=0)
    put(store, log, "b", timestamp_ms=900)
    put(store, log, "c", timestamp_ms=1_001)
    assert log.apply_retention(6_000) == 1
    assert log.start_offset == 2


def test_a_deleted_log_is_gone_and_its_name_can_be_used_again(store: LogStore) -> None:
    log = open_log(store)
    put(store, log, "a")
    stage(log, "lost")
    store.delete("t", 0)
    assert store.partitions() == []
    assert store.get("t", 0) is None
    assert store.begin_commit() is None
    fresh = store.open("t", 0, bytes(16), LogConfig())
    assert fresh.end_offset == 0
    assert store.topic_id_of("t", 0) == bytes(16)


def test_deleting_what_is_not_there_does_nothing(store: LogStore) -> None:
    store.delete("t", 0)
    assert store.partitions() == []


def test_the_topic_id_stays_with_the_log(store: LogStore) -> None:
    open_log(store)
    assert store.topic_id_of("t", 0) == TOPIC_ID
    assert store.topic_id_of("t", 1) is None


def test_documents_are_replaced_whole(store: LogStore) -> None:
    assert store.read_document("topics.json") is None
    store.write_document("topics.json", b"long content")
    store.write_document("topics.json", b"short")
    assert store.read_document("topics.json") == b"short"
    assert store.partitions() == []
