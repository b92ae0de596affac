"""Streams over segment files: any cut into micro-batches, growth, stops and limits give the rows of one batch read."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from muster.core.internal_topics import GROUP_JOURNAL
from muster.core.records import OffsetCommitted
from muster.log.record_codec import encode_record
from muster.pipeline.sources.positions import MARK
from muster.pipeline.sources.run_source import StreamSettings, directory_source
from tests.pipeline.sources.read_segments import read_segments
from tests.pipeline.sources.streamed import Streamed, batch_rows
from tests.pipeline.sources.written_log import NOW_MS, TOPIC, WrittenLog

GROUPS = ("h", "g")
"""One that belongs into each of two log partitions."""


def commit(number: int, group: str = "g") -> tuple[bytes, bytes | None]:
    return encode_record(OffsetCommitted(group, "t", number % 3, number, 2, "", NOW_MS))


def event(number: int) -> tuple[bytes, bytes]:
    return b"g", b'{"kind": "k", "group": "g", "at_ms": %d}' % number


def stream_of(spark: Any, data: Path, home: Path, **settings: Any) -> Streamed:
    return Streamed(spark, home, lambda: directory_source((str(data),), "c").stream(spark, StreamSettings(**settings)))


@pytest.mark.parametrize("seed", range(2))
def test_any_cut_over_growing_logs_gives_the_rows_of_one_batch_read(spark: Any, tmp_path: Path, seed: int) -> None:
    """Logs grow, appear, roll and have damage; the query stops and goes on with another limit each time."""
    chance = random.Random(seed)
    data = tmp_path / "data"
    logs = [WrittenLog(data, TOPIC, 0)]
    for turn in range(4):
        if turn == 1:
            logs += [WrittenLog(data, TOPIC, 1), WrittenLog(data, GROUP_JOURNAL, 0)]
        for log in logs:
            for _ in range(chance.randint(1, 4)):
                count = chance.randint(1, 6)
                log.append(
                    *[commit(n, GROUPS[log.partition]) if log.topic == TOPIC else event(n) for n in range(count)]
                )
                if chance.random() < 0.3:
                    log.roll()
        if turn == 2:
            logs[0].damage(-1, 65, b"\xff\xff")
            logs[0].append(commit(1, GROUPS[0]))
        stream_of(spark, data, tmp_path, offsets_per_partition=chance.randint(1, 9)).run_to_the_end()
    stream = stream_of(spark, data, tmp_path)
    stream.run_to_the_end()
    expected = batch_rows(read_segments(spark, [str(data)], cluster="c"))
    found = stream.rows()
    assert [row for row in found if row["problem"] is None] == [row for row in expected if row["problem"] is None]
    assert {row["place"] for row in found if row["log_offset"] < 0} == {
        row["place"] for row in expected if row["log_offset"] < 0
    }
    assert len([row for row in found if row["log_offset"] < 0]) == 1


def test_available_now_reads_in_limited_micro_batches_to_the_ends_of_the_start(spark: Any, tmp_path: Path) -> None:
    data = tmp_path / "data"
    first, second = WrittenLog(data, TOPIC, 0), WrittenLog(data, TOPIC, 1)
    first.append(*[commit(number) for number in range(32)])
    second.append(*[commit(number) for number in range(12)])
    stream = stream_of(spark, data, tmp_path, offsets_per_partition=10)
    append = stream._append

    def append_and_write(rows: Any, number: int) -> None:
        first.append(commit(99))  # what comes later is not this run's
        append(rows, number)

    stream._append = append_and_write  # type: ignore[method-assign]
    stream.run_to_the_end()
    assert stream.batches == [10 + 12, 10, 12], "what little would be left goes along"
    assert stream.offset() == {TOPIC: {"0": 32, "1": 12}, GROUP_JOURNAL: {}, MARK: 1}
    stream_of(spark, data, tmp_path).run_to_the_end()
    assert len(stream.rows()) == 32 + 12 + 3


def test_holes_that_compaction_left_make_no_micro_batches(spark: Any, tmp_path: Path) -> None:
    data = tmp_path / "data"
    log = WrittenLog(data, TOPIC, 0)
    for number in range(25):
        log.append(commit(number))
        log.skip(10_000_000)
    log.append(commit(25))
    stream = stream_of(spark, data, tmp_path, offsets_per_partition=10)
    stream.run_to_the_end()
    assert stream.batches == [10, 10, 6]
    assert stream.rows() == batch_rows(read_segments(spark, [str(data)], cluster="c"))


def test_run_with_nothing_new_makes_no_micro_batch(spark: Any, tmp_path: Path) -> None:
    data = tmp_path / "data"
    WrittenLog(data, TOPIC, 0).append(commit(1))
    stream_of(spark, data, tmp_path).run_to_the_end()
    again = stream_of(spark, data, tmp_path)
    again.run_to_the_end()
    assert again.batches == []


def test_log_that_became_shorter_is_not_read_until_it_is_longer(spark: Any, tmp_path: Path) -> None:
    """Trap 29: its offsets would mean other records than those that were read."""
    data = tmp_path / "data"
    log = WrittenLog(data, TOPIC, 0)
    log.append(*[commit(number) for number in range(5)])
    stream = stream_of(spark, data, tmp_path)
    stream.run_to_the_end()
    shutil.rmtree(log.path)
    log = WrittenLog(data, TOPIC, 0)
    log.append(commit(100), commit(101))
    stream.run_to_the_end()
    assert len(stream.rows()) == 5
    log.append(*[commit(number) for number in range(102, 106)])
    stream.run_to_the_end()
    assert [row["committed_offset"] for row in stream.rows()] == [0, 1, 2, 3, 4, 105]


def test_log_that_was_deleted_before_a_planned_micro_batch_was_read_is_said_and_passed(
    spark: Any, tmp_path: Path
) -> None:
    """The offsets of the micro-batch are in the checkpoint: without this the query could never go on."""
    data = tmp_path / "data"
    doomed, log = WrittenLog(data, TOPIC, 1), WrittenLog(data, TOPIC, 0)
    log.append(commit(1))
    doomed.append(commit(2), commit(3))
    stream = stream_of(spark, data, tmp_path)
    append = stream._append

    def fail(rows: Any, number: int) -> None:
        raise RuntimeError("the driver died here")

    stream._append = fail  # type: ignore[method-assign]
    with pytest.raises(Exception, match="the driver died here"):
        stream.run_to_the_end()
    shutil.rmtree(doomed.path)
    stream._append = append  # type: ignore[method-assign]
    stream.run_to_the_end()
    read, lost = stream.rows()[1], stream.rows()[0]
    if read["log_partition"] == 1:
        read, lost = lost, read
    assert read["committed_offset"] == 1
    assert (lost["log_offset"], lost["problem"]) == (-1, "the log was deleted before these records were read")
    assert lost["place"] == f"{TOPIC}-1 offsets 0 to 1"


def test_tick_makes_a_micro_batch_without_rows(spark: Any, tmp_path: Path) -> None:
    data = tmp_path / "data"
    WrittenLog(data, TOPIC, 0).append(commit(1))
    stream = stream_of(spark, data, tmp_path, tick_seconds=0.001)
    stream.run_to_the_end()
    first = stream.offset()["tick"]
    stream.run_to_the_end()
    assert stream.batches == [1, 0], "one for each run: availableNow fixes the tick when it begins"
    assert stream.offset()["tick"] > first
    stream_of(spark, data, tmp_path, tick_seconds=3600).run_to_the_end()
    assert stream.batches == [1, 0], "not due yet"


def test_stream_begins_where_it_is_told_to(spark: Any, tmp_path: Path) -> None:
    data = tmp_path / "data"
    WrittenLog(data, TOPIC, 0).append(*[commit(number, GROUPS[0]) for number in range(9)])
    WrittenLog(data, TOPIC, 1).append(commit(50, GROUPS[1]))
    stream = stream_of(spark, data, tmp_path, starts={TOPIC: {0: 7}})
    stream.run_to_the_end()
    assert [row["committed_offset"] for row in stream.rows()] == [7, 8, 50]
