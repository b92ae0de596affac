"""Reading a log partition from its segment files: what is normal there, and what is damaged."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import google_crc32c
import pytest

from muster.pipeline.sources import segment_files
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.log_directories import log_folders
from muster.pipeline.sources.log_end import log_end
from muster.pipeline.sources.log_source import partition_count
from muster.pipeline.sources.segments import SegmentLogs
from muster.wire.batch import Record, encode_batch
from tests.pipeline.sources.written_log import NOW_MS, WrittenLog, offsets_in, pairs, read_all, reader_of


@pytest.mark.parametrize("compression", range(5))
def test_every_compression_reads_the_same_records(tmp_path: Path, compression: int) -> None:
    log = WrittenLog(tmp_path)
    log.append(*pairs(20), compression=compression)
    log.append(*pairs(3, b"later"))
    expected = [
        (index, NOW_MS + index % 20, key, value) for index, (key, value) in enumerate(pairs(20) + pairs(3, b"later"))
    ]
    assert read_all(reader_of(log.folder)) == expected


def test_null_keys_and_values_and_record_headers(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    records = [Record(0, 5, None, None), Record(1, 9, b"k", None, (("h", b"x"), ("n", None))), Record(2, 2, b"", b"")]
    log.write(records, encode_batch(records))
    assert read_all(reader_of(log.folder)) == [(0, 5, None, None), (1, 9, b"k", None), (2, 2, b"", b"")]


def test_log_append_time_counts_for_every_record(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    log.append(*pairs(2), append_ms=77)
    assert [row[1] for row in read_all(reader_of(log.folder))] == [77, 77]


def test_holes_that_compaction_left_are_no_problem(tmp_path: Path) -> None:
    """Trap 3: whole batches may be gone, and records inside the batches that stayed."""
    log = WrittenLog(tmp_path)
    log.append(*pairs(2))
    log.skip(10)
    log.append_compacted([(1, (b"a", b"1")), (4, (b"b", b"2"))], last_delta=6)
    log.append(*pairs(1))
    reader = reader_of(log.folder)
    assert [row[0] for row in read_all(reader)] == [0, 1, 13, 16, 19]
    assert (reader.next_offset, reader.problems) == (20, [])


@pytest.mark.parametrize("left", [0, 1, 11, 16, 17, 30, 60, 61, 70, -1])
def test_half_written_tail_ends_the_reading_without_a_word(tmp_path: Path, left: int) -> None:
    log = WrittenLog(tmp_path)
    log.append(*pairs(3))
    log.append(*pairs(3))
    file, position, batch = log.batches[-1]
    os.truncate(file, position + (left if left >= 0 else len(batch) - 1))
    reader = reader_of(log.folder)
    assert [row[0] for row in read_all(reader)] == [0, 1, 2]
    assert (reader.next_offset, reader.problems) == (3, [])
    assert log_end(log.folder) == 3


def test_tail_of_full_length_with_half_its_content_is_read_later(tmp_path: Path) -> None:
    """A file grows before all its bytes are there: the next pass finds the batch whole."""
    log = WrittenLog(tmp_path)
    log.append(*pairs(3))
    log.append(*pairs(3))
    _, _, batch = log.batches[-1]
    log.damage(1, len(batch) - 8, bytes(8))
    reader = reader_of(log.folder)
    assert [row[0] for row in read_all(reader)] == [0, 1, 2]
    assert (reader.next_offset, reader.problems, log_end(log.folder)) == (3, [], 3)
    log.damage(1, 0, batch)
    assert [row[0] for row in read_all(reader_of(log.folder, start=3))] == [3, 4, 5]


def test_room_reserved_with_zeros_is_no_problem(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    log.append(*pairs(3))
    os.truncate(log.file, log.file.stat().st_size + 4096)
    reader = reader_of(log.folder)
    assert len(read_all(reader)) == 3
    assert (reader.next_offset, reader.problems, log_end(log.folder)) == (3, [], 3)


def test_corrupt_batch_names_file_and_position_and_reading_goes_on(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    for _ in range(3):
        log.append(*pairs(2))
    log.damage(1, 65, b"\xff")
    reader = reader_of(log.folder)
    assert [row[0] for row in read_all(reader)] == [0, 1, 4, 5]
    (problem,) = reader.problems
    file, position, batch = log.batches[1]
    assert problem.where == f"{file} at byte {position}"
    assert "checksum" in problem.reason
    assert (problem.offset, len(problem.value or b"")) == (2, len(batch))


def test_corrupt_batch_is_reported_by_the_pass_that_reads_its_neighbours_alone(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    for _ in range(4):
        log.append(*pairs(2))
    log.damage(1, 0, b"\xff" * 8)  # its offset is nonsense, too
    log.damage(1, 65, b"\xff")
    reports = [len(reader.problems) for reader in _passes(log, [0, 2, 6, 8])]
    assert reports == [0, 1, 0]


def test_length_that_leads_out_of_a_closed_segment_leaves_its_rest_unread(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    log.append(*pairs(2))
    log.append(*pairs(2))
    log.roll()
    log.append(*pairs(2))
    log.damage(1, 8, b"\x00\xff\xff\xff")
    reader = reader_of(log.folder)
    assert [row[0] for row in read_all(reader)] == [0, 1, 4, 5]
    (problem,) = reader.problems
    file, position, batch = log.batches[1]
    assert problem.where == f"{file} at byte {position}"
    assert f"the rest of the file, {len(batch)} bytes, is unread" in problem.reason


def test_garbage_in_the_last_segment_is_said_once(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    log.append(*pairs(2))
    with log.file.open("ab") as file:
        file.write(b"\x07" * 200)
    reader = reader_of(log.folder)
    assert len(read_all(reader)) == 2
    assert [problem.reason for problem in reader.problems] == [
        "this is no record batch: the rest of the file, 200 bytes, is unread"
    ]
    again = reader_of(log.folder, start=reader.next_offset)
    assert (read_all(again), again.problems) == ([], [])


def test_messages_older_than_batches_are_passed_over_with_a_word(tmp_path: Path) -> None:
    """Trap 27: logs that began before Kafka 0.11 hold message sets of magic 0 and 1."""
    log = WrittenLog(tmp_path)
    old = (0).to_bytes(8, "big") + (60).to_bytes(4, "big") + b"\0\0\0\0" + b"\x01" + b"\0" * 55
    log.file.write_bytes(old)
    log.skip(1)
    log.append(*pairs(1))
    reader = reader_of(log.folder)
    assert [row[0] for row in read_all(reader)] == [1]
    assert "message format 1" in reader.problems[0].reason


def test_records_that_do_not_fit_their_batch_go_to_quarantine_although_the_checksum_is_right(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    log.append(*pairs(1))
    good = encode_batch([Record(1, NOW_MS, b"key", b"value")])
    lying = _reseal(good[:61] + bytes([good[61] + 2]) + good[62:])
    log.write([Record(1, NOW_MS, b"key", b"value")], lying)
    log.append(*pairs(1))
    reader = reader_of(log.folder)
    assert [row[0] for row in read_all(reader)] == [0, 2]
    (problem,) = reader.problems
    assert problem.where == f"{log.file} at byte {log.batches[1][1]}"
    assert "does not fit" in problem.reason


def test_compressed_bytes_that_do_not_unpack_go_to_quarantine(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    log.append(*pairs(30), compression=4)
    packed = bytearray(encode_batch([Record(30, NOW_MS, b"key", b"value" * 40)], compression=4))
    packed[70:80] = b"\xee" * 10
    log.write([Record(30, NOW_MS, b"", b"")], _reseal(bytes(packed)))
    log.append(*pairs(1))
    reader = reader_of(log.folder)
    assert [row[0] for row in read_all(reader)] == [*range(30), 31]
    assert "zstd" in reader.problems[0].reason


def test_range_cuts_batches_in_the_middle_only_in_rows(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    log.append(*pairs(4))
    log.append(*pairs(4))
    reader = reader_of(log.folder, 2, 6)
    assert [row[0] for row in read_all(reader)] == [0, 1, 2, 3, 4, 5, 6, 7]
    assert reader.next_offset == 6


@pytest.mark.parametrize("chunk", [64, 200, 1000, 1 << 20])
def test_chunk_size_does_not_matter(tmp_path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    log = WrittenLog(tmp_path)
    for count in (1, 30, 2, 7):
        log.append(*pairs(count))
    log.damage(2, 70, b"\xff\xff")
    monkeypatch.setattr(segment_files, "CHUNK_BYTES", chunk)
    monkeypatch.setattr(segment_files, "MAX_RECORDS", 8)
    reader = reader_of(log.folder)
    assert [row[0] for row in read_all(reader)] == [*range(31), *range(33, 40)]
    assert len(reader.problems) == 1


def test_partitions_of_several_directories_are_read_together(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    WrittenLog(first, partition=0).append(*pairs(1))
    WrittenLog(second, partition=1).append(*pairs(2))
    WrittenLog(second, topic="other").append(*pairs(3))
    (second / "meta.properties").touch()
    assert offsets_in([first, second]) == [(0, 0), (1, 0), (1, 1)]
    ends = [SegmentLogs(tuple(map(str, places))).ends() for places in ([first, second], [second], [])]
    assert list(map(partition_count, ends)) == [2, None, None]


def test_same_partition_in_two_directories_is_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        WrittenLog(tmp_path / name)
    with pytest.raises(SourceError, match="two copies of one log"):
        log_folders([str(tmp_path / "a"), str(tmp_path / "b")])


def test_missing_directory_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read as a data directory"):
        log_folders([str(tmp_path / "nowhere")])


def test_log_without_batches_ends_where_its_segment_begins(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    assert log_end(log.folder) == 0
    log.append(*pairs(5))
    log.roll()
    assert log_end(log.folder) == 5
    log.batches[0][0].unlink()
    reader = reader_of(log.folder)
    assert (read_all(reader), reader.next_offset, log_end(log.folder)) == ([], 5, 5)


def _passes(log: WrittenLog, cuts: list[int]) -> list[segment_files.PartitionReader]:
    readers = [reader_of(log.folder, start, end) for start, end in pairwise(cuts)]
    for reader in readers:
        read_all(reader)
    return readers


def _reseal(batch: bytes) -> bytes:
    """The batch with the checksum that its bytes now have."""
    return batch[:17] + int(google_crc32c.value(batch[21:])).to_bytes(4, "big") + batch[21:]
