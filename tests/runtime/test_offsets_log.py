"""Records of a tick share a batch: what is in it, when it ends, and who hears what became of it."""

from __future__ import annotations

import struct
from typing import Any, cast

import pytest

from muster.core.records import OffsetErased, OffsetsCommitted, Record, singly
from muster.log.contract import LogConfig, StorageError
from muster.log.memory import MemoryStore
from muster.runtime.coordinator_log import RecordsTooLarge
from muster.runtime.group_commit import GroupCommit
from muster.runtime.offsets_log import OffsetsLog
from muster.wire.batch import check_crc, decode_records, encode_pairs, iterate_batches, parse_header
from tests.coordinator_records import encode_records
from tests.core.commit_entries import by_topic
from tests.runtime.manual_loop import ManualLoop

LIMIT = 1_000


class Desk:
    """A log in memory, and what was heard of its appends."""

    def __init__(self, compression: int = 0) -> None:
        self.loop = ManualLoop()
        self.store = MemoryStore()
        self.log = self.store.open("__consumer_offsets", 0, bytes(16), LogConfig())
        self.commit = GroupCommit(self.store, cast(Any, self.loop))
        self.offsets = OffsetsLog(self.log, self.commit, 3, LIMIT, compression)
        self.heard: list[tuple[int, bool]] = []
        self.written: list[Record] = []

    def append(self, *records: Record, now_ms: int = 1_000) -> int:
        base_offset = self.offsets.append(list(records), now_ms, self._hear)
        self.written += records
        return base_offset

    def _hear(self, count: int, error: StorageError | None) -> None:
        self.heard.append((count, error is None))

    def batches(self) -> list[int]:
        """How many records each has, after all of them were looked through."""
        self.loop.run_until_idle()
        content = self.log.read(0, 1 << 30)
        counts, found = [], []
        for position, header in iterate_batches(content):
            check_crc(content, header, position)
            records = decode_records(content, header, position)
            assert [record.offset for record in records] == list(range(header.base_offset, header.next_offset))
            assert header.partition_leader_epoch == 3
            found += [(record.key, record.value) for record in records]
            counts.append(len(records))
        assert found == encode_records(self.written)
        return counts


def offsets(*partitions: int, metadata: str = "") -> OffsetsCommitted:
    (topic,) = by_topic(("t", partition, 5, 1, metadata, b"i" * 16) for partition in partitions)
    return OffsetsCommitted("g", topic, 1_000)


def test_outcomes_of_a_tick_share_a_batch_and_are_settled_together() -> None:
    desk = Desk()
    assert [desk.append(offsets(0)), desk.append(offsets(1, 2)), desk.append(OffsetErased("g", "u", 0))] == [0, 1, 3]
    assert desk.log.end_offset == 4
    assert not desk.heard
    assert desk.batches() == [4]
    assert desk.heard == [(3, True)]


def test_the_next_tick_has_a_batch_of_its_own() -> None:
    desk = Desk()
    desk.append(offsets(0))
    desk.loop.run_until_idle()
    assert desk.append(offsets(1)) == 1
    assert desk.batches() == [1, 1]
    assert desk.heard == [(1, True), (1, True)]


def test_every_record_keeps_its_own_time_also_when_the_clock_was_set_back() -> None:
    desk = Desk()
    for now_ms in (1_000, 1_100, 900):
        desk.append(offsets(0), now_ms=now_ms)
    assert desk.batches() == [3]
    content = desk.log.read(0, 1 << 30)
    assert [record.timestamp_ms for record in decode_records(content)] == [1_000, 1_100, 900]
    assert parse_header(content).max_timestamp == 1_100


def test_a_full_batch_is_closed_and_the_outcome_goes_whole_into_the_next() -> None:
    desk = Desk()
    for _ in range(3):
        desk.append(offsets(*range(6)))
    assert desk.batches() == [12, 6]
    assert desk.heard == [(2, True), (1, True)]


def test_what_does_not_fit_a_batch_is_refused_and_leaves_no_trace() -> None:
    desk = Desk()
    desk.append(offsets(0))
    with pytest.raises(RecordsTooLarge, match=r"max\.message\.bytes"):
        desk.offsets.append([offsets(*range(40))], 1_000, desk._hear)
    with pytest.raises(RecordsTooLarge, match="metadata"):
        desk.offsets.append([offsets(1), offsets(2, metadata="x" * 40_000)], 1_000, desk._hear)
    desk.append(offsets(3))
    assert desk.batches() == [2]
    assert desk.heard == [(2, True)]


def test_a_refusal_of_the_first_of_a_tick_does_not_disturb_the_next() -> None:
    desk = Desk()
    with pytest.raises(RecordsTooLarge):
        desk.offsets.append([offsets(*range(40))], 1_000, desk._hear)
    batch = encode_pairs([(b"k", b"v")], 1)
    desk.log.append(batch, parse_header(batch), 3, 1)
    assert desk.append(offsets(0)) == 1
    desk.loop.run_until_idle()
    assert desk.log.durable_offset == 2


def test_tombstones_take_as_many_batches_as_they_need_and_are_one_outcome() -> None:
    desk = Desk()
    desk.append(offsets(0))
    desk.append(*(OffsetErased("g", "t" * 40, number) for number in range(30)))
    desk.append(offsets(1))
    counts = desk.batches()
    assert (sum(counts), counts[0]) == (32, 1)
    assert len(counts) > 2
    assert sum(count for count, _ in desk.heard) == 3


def test_a_tombstone_that_fits_no_batch_is_refused_with_all_of_its_outcome() -> None:
    desk = Desk()
    with pytest.raises(RecordsTooLarge):
        desk.offsets.append([OffsetErased("g", "t", 0), OffsetErased("g", "t" * 1_000, 1)], 1_000, desk._hear)
    assert desk.log.end_offset == 0


@pytest.mark.parametrize("compression", [0, 1])
def test_a_record_that_cannot_be_written_leaves_those_of_others_as_they_are(compression: int) -> None:
    """A broken invariant ends the shard, not the batch that others share."""
    desk = Desk(compression)
    desk.append(offsets(0))
    with pytest.raises((OverflowError, TypeError, ValueError, struct.error)):
        desk.offsets.append([offsets(1), OffsetErased("g", "t", 2**40)], 1_000, desk._hear)
    assert desk.log.end_offset == 1
    assert desk.append(offsets(2)) == 1
    assert sum(desk.batches()) == 2


def test_many_tombstones_are_compressed_batch_by_batch_and_are_one_outcome() -> None:
    desk = Desk(compression=1)
    desk.append(*(OffsetErased("g", "t", number) for number in range(20_000)))
    counts = desk.batches()
    assert sum(counts) == 20_000
    assert len(counts) > 2
    assert desk.heard == [(1, True)]


def test_a_foreign_append_closes_the_batch_and_order_is_kept() -> None:
    desk = Desk()
    desk.append(offsets(0))
    batch = encode_pairs([(b"k", b"v")], 1)
    assert desk.log.append(batch, parse_header(batch), 3, 1) == 1
    assert desk.append(offsets(1)) == 2
    desk.loop.run_until_idle()
    content = desk.log.read(0, 1 << 30)
    assert [header.base_offset for _, header in iterate_batches(content)] == [0, 1, 2]
    assert desk.heard == [(1, True), (1, True)]


def test_a_failed_commit_loses_all_that_shared_the_batch_and_the_offsets_are_given_out_again() -> None:
    desk = Desk()
    desk.store.failure = lambda topic, partition: StorageError("disk full")
    desk.append(offsets(0))
    desk.append(offsets(1))
    desk.loop.run_until_idle()
    assert desk.heard == [(2, False)]
    desk.store.failure = None
    desk.written.clear()
    assert desk.append(offsets(2)) == 0
    assert desk.batches() == [1]


def test_compressed_outcomes_have_a_batch_each() -> None:
    desk = Desk(compression=1)
    desk.append(offsets(*range(30)))  # would not fit uncompressed
    desk.append(offsets(1))
    assert desk.batches() == [30, 1]
    assert desk.heard == [(1, True), (1, True)]


def test_a_commit_is_as_many_records_of_the_log_as_it_has_rows() -> None:
    records: list[Record] = [offsets(4, 2, 4), OffsetErased("g", "t", 1)]
    assert [(type(each).__name__, each.partition) for each in singly(records) if hasattr(each, "partition")] == [
        ("OffsetCommitted", 4),
        ("OffsetCommitted", 2),
        ("OffsetCommitted", 4),
        ("OffsetErased", 1),
    ]
