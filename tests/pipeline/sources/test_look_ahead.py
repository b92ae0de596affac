"""Holes that compaction left do not count for the limit of a micro-batch, in files and over TCP; records always do."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadMaxRows

from muster.pipeline.sources import look_ahead
from muster.pipeline.sources.broker import BrokerLogs
from muster.pipeline.sources.broker_client import ClusterView, FetchAnswer, TopicPartition
from muster.pipeline.sources.header_at import headers_from
from muster.pipeline.sources.log_source import LogSource, Stretch
from muster.pipeline.sources.positions import offset_of, positions_in
from muster.pipeline.sources.record_columns import NO_HEADERS, Numbers
from muster.pipeline.sources.segments import SegmentLogs
from muster.pipeline.sources.stream_reader import LogStreamReader, StreamPlan
from muster.wire.errors import NONE
from muster.wire.generated.list_offsets import ListOffsetsResponsePartition
from muster.wire.special_values import EARLIEST
from tests.pipeline.sources.written_log import TOPIC, WrittenLog, offsets_in, pairs

MakeLogs = Callable[[WrittenLog], LogSource]


class FakeClient:
    """Stands for the client of a cluster with one log partition: answers as a broker that cuts a batch where the bytes end, but
    never the first.
    """

    def __init__(self, log: WrittenLog) -> None:
        self.log = log

    def __enter__(self) -> FakeClient:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def metadata(self, topics: object) -> ClusterView:
        return ClusterView({1: ("broker", 9092)}, [TopicPartition(TOPIC, 0, 1, 0, b"")], [])

    def list_offsets(self, leader: int, partitions: Any, which: int, isolation: int = 0) -> dict[Any, Any]:
        offset = 0 if which == EARLIEST else self.log.end
        return {place: ListOffsetsResponsePartition(error_code=NONE, offset=offset) for place in partitions}

    def fetch(self, leader: int, topic: str, partition: int, offset: int, max_bytes: int) -> FetchAnswer:
        found = b"".join(batch for _, _, batch in self.log.batches if last_offset(batch) >= offset)
        some = found[: max(max_bytes, 12 + int.from_bytes(found[8:12], "big"))]
        return FetchAnswer(NONE, some, self.log.end)


def last_offset(batch: bytes) -> int:
    return int.from_bytes(batch[:8], "big") + int.from_bytes(batch[23:27], "big")


def in_files(log: WrittenLog) -> LogSource:
    return SegmentLogs((str(log.directory),), TOPIC, "c")


def on_broker(log: WrittenLog) -> LogSource:
    class Faked(BrokerLogs):
        def client(self) -> Any:
            return FakeClient(log)

    return Faked("broker:9092", TOPIC, "c")


both = pytest.mark.parametrize("logs_of", [in_files, on_broker])


def planned(logs: LogSource, limit: int) -> list[tuple[int, int]]:
    """The micro-batches of the only log partition, as Spark would ask for them."""
    reader = LogStreamReader([logs], StreamPlan("log", {}, limit=limit))
    reader.prepareForTriggerAvailableNow()
    cuts: list[tuple[int, int]] = []
    offset = reader.initialOffset()
    while (then := reader.latestOffset(offset, ReadMaxRows(limit))) != offset:
        start, end = (positions_in(each)[TOPIC].get(0, 0) for each in (offset, then))
        cuts.append((start, end))
        assert len(cuts) <= 5_000
        offset = then
    return cuts


def records_in(log: WrittenLog, cuts: list[tuple[int, int]]) -> list[int]:
    offsets = [offset for _, offset in offsets_in([log.directory])]
    assert (cuts[0][0], cuts[-1][1]) == (0, log.end)
    assert all(before[1] == after[0] for before, after in pairwise(cuts))
    return [sum(start <= offset < end for offset in offsets) for start, end in cuts]


@both
def test_compacted_log_is_read_in_as_many_micro_batches_as_its_records_need(
    tmp_path: Path, logs_of: MakeLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 630 million offsets 601 records are left. A limit of so many offsets would make millions of micro-batches."""
    monkeypatch.setattr(look_ahead, "LOOKS", (500, 2_000, 8_000, 32_000))
    log = WrittenLog(tmp_path)
    for number in range(600):
        log.append(*pairs(1))
        log.skip(1_050_000)
        if number % 250 == 249:
            log.roll()
    log.append(*pairs(1))
    cuts = planned(logs_of(log), 125)
    assert len(cuts) <= 6
    assert sum(records_in(log, cuts)) == 601
    assert max(records_in(log, cuts)) <= 125 * 5 // 4


@both
@pytest.mark.parametrize("seed", range(4))
def test_no_micro_batch_holds_more_records_than_the_limit_wherever_the_holes_are(
    tmp_path: Path, logs_of: MakeLogs, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Sparse and dense parts, batches of which some records are left, batches larger than a look, segments without an index."""
    monkeypatch.setattr(look_ahead, "LOOKS", (200, 800, 3_000))
    chance = random.Random(seed)
    log = WrittenLog(tmp_path)
    for _ in range(40):
        match chance.randrange(5):
            case 0:
                log.skip(chance.randint(1, 5_000))
            case 1:
                log.append_compacted([(3, pairs(1)[0]), (7, pairs(1)[0])], last_delta=chance.randint(7, 60))
            case 2:
                log.append(*pairs(chance.randint(1, 100)))
            case 3:
                log.roll()
            case _:
                for _ in range(chance.randint(1, 20)):
                    log.append(*pairs(chance.randint(1, 3)))
                    log.skip(chance.randint(0, 40))
    log.append(*pairs(1))
    limit = chance.randint(1, 60)
    found = records_in(log, planned(logs_of(log), limit))
    assert max(found) <= max(1, limit * 5 // 4)


@both
def test_log_without_holes_is_cut_by_offsets_after_one_small_look(tmp_path: Path, logs_of: MakeLogs) -> None:
    log = WrittenLog(tmp_path)
    for _ in range(50):
        log.append(*pairs(20))
    assert planned(logs_of(log), 300) == [(0, 300), (300, 600), (600, 900), (900, 1_000)]
    looks: list[int] = []

    def look(offset: int, size: int) -> Numbers:
        looks.append(size)
        return headers_from(log.folder, offset, size)

    assert look_ahead.reach(Stretch(0, 5, 1_000), 300, look) == 305
    assert looks == [look_ahead.LOOKS[0]]


def test_what_cannot_be_looked_at_counts_by_offsets() -> None:
    assert look_ahead.reach(Stretch(0, 7, 1_000), 10, lambda *_: NO_HEADERS) == 17


def test_where_nothing_waits_nobody_looks(tmp_path: Path) -> None:
    """A followed log has fewer new offsets than the limit: no file is opened and no broker asked for it."""

    class Untouched(SegmentLogs):
        def reach(self, those: Any, records: int) -> dict[int, int]:
            raise AssertionError("looked")

    log = WrittenLog(tmp_path)
    log.append(*pairs(100))
    reader = LogStreamReader([Untouched((str(tmp_path),), TOPIC, "c")], StreamPlan("log", {}, limit=100))
    assert positions_in(reader.latestOffset(offset_of({}), ReadMaxRows(100))) == {TOPIC: {0: 100}}
