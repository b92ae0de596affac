"""A leader that gives no records below the planned end of a log: what is lost is said, and nothing else is passed over."""

from __future__ import annotations

from collections.abc import Callable
from struct import pack_into
from typing import Any

import google_crc32c
import pytest

from muster.pipeline.sources.broker import BrokerLogs
from muster.pipeline.sources.broker_client import ClusterView, FetchAnswer, TopicPartition
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.log_source import Stretch
from muster.wire.batch import HEADER_SIZE, Record, encode_batch
from muster.wire.batch_header import CHECKED_FROM, LENGTH_END
from muster.wire.errors import (
    NOT_LEADER_OR_FOLLOWER,
    OFFSET_NOT_AVAILABLE,
    OFFSET_OUT_OF_RANGE,
    TOPIC_AUTHORIZATION_FAILED,
)
from muster.wire.generated.list_offsets import ListOffsetsResponsePartition
from muster.wire.special_values import EARLIEST, LATEST

TOPIC = "__consumer_offsets"


def batch(first: int, *deltas: int, last_delta: int | None = None, control: bool = False) -> bytes:
    """A batch of which the records with these offset deltas are left."""
    records = [Record(first + delta, 1_000, b"\0\0\0\1", b"v") for delta in deltas]
    last_delta = deltas[-1] if last_delta is None else last_delta
    return encode_batch(records, base_offset=first, last_offset_delta=last_delta, control=control)


def without_records(first: int, last: int) -> bytes:
    """What compaction leaves of the last batch of a producer: a header."""
    raw = bytearray(batch(first, last - first)[:HEADER_SIZE])
    pack_into(">i", raw, 8, HEADER_SIZE - LENGTH_END)
    pack_into(">i", raw, HEADER_SIZE - 4, 0)
    pack_into(">I", raw, CHECKED_FROM - 4, google_crc32c.value(bytes(raw[CHECKED_FROM:])))
    return bytes(raw)


class Leader:
    """Stands for the client of a cluster whose one log is `batches` by first and last offset, readable up to `high_watermark`."""

    def __init__(self, *batches: tuple[int, int, bytes], start: int = 0, high_watermark: int | None = None) -> None:
        self.batches = batches
        self.start = start
        self.end = max((last + 1 for _, last, _ in batches), default=start)
        self.high_watermark = self.end if high_watermark is None else high_watermark
        self.list_error = 0
        self.answers: list[FetchAnswer] = []
        """Given before any other."""
        self.is_there = True
        self.pauses: list[float] = []
        self.when_paused: Callable[[], None] = lambda: None
        self.asked: list[int] = []

    def __enter__(self) -> Leader:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.when_paused()

    def metadata(self, topics: list[str]) -> ClusterView:
        part = TopicPartition(TOPIC, 0, 1, 0, b"")
        return ClusterView({1: ("broker", 9092)}, [part], []) if self.is_there else ClusterView({}, [], [(TOPIC, 0)])

    def list_offsets(self, leader: int, partitions: Any, which: int) -> dict[Any, ListOffsetsResponsePartition]:
        offset = {EARLIEST: self.start, LATEST: self.high_watermark}[which]
        said = ListOffsetsResponsePartition(0, self.list_error, offset=-1 if self.list_error else offset)
        return {(TOPIC, 0): said}

    def fetch(self, leader: int, topic: str, partition: int, offset: int, max_bytes: int) -> FetchAnswer:
        self.asked.append(offset)
        if self.answers:
            return self.answers.pop(0)
        if not self.start <= offset <= self.end:
            return FetchAnswer(OFFSET_OUT_OF_RANGE)
        found = (raw for _, last, raw in self.batches if offset <= last < self.high_watermark)
        return FetchAnswer(0, next(found, b""), self.high_watermark)


LOG = ((0, 2, batch(0, 0, 1, 2)), (3, 5, batch(3, 0, 1, 2)))


def read(monkeypatch: pytest.MonkeyPatch, leader: Leader, end: int, start: int = 0) -> tuple[list[int], list[Any]]:
    """Offsets, and what went to quarantine as (offset, reason)."""
    monkeypatch.setattr(BrokerLogs, "client", lambda _: leader)
    reader = BrokerLogs("broker:9092").open(Stretch(0, start, end))
    offsets = [offset for rows in reader.bronze() for offset in rows.column("log_offset").to_pylist()]
    problems = reader.quarantine()
    return offsets, list(
        zip(problems.column("log_offset").to_pylist(), problems.column("reason").to_pylist(), strict=True)
    )


def test_high_watermark_that_lags_behind_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """KIP-207: what a new leader may give out is known to it only when its followers have asked again."""
    leader = Leader(*LOG, high_watermark=3)

    def followers_ask_again() -> None:
        leader.high_watermark = 6 if len(leader.pauses) == 2 else 3

    leader.when_paused = followers_ask_again
    assert read(monkeypatch, leader, 6) == ([0, 1, 2, 3, 4, 5], [])
    assert leader.asked == [0, 3, 3, 3]
    assert leader.pauses[0] < leader.pauses[1]


def test_high_watermark_that_stays_behind_fails_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    leader = Leader(*LOG, high_watermark=3)
    leader.list_error = OFFSET_NOT_AVAILABLE
    with pytest.raises(SourceError, match=r"__consumer_offsets-0: .* at offset 3: OFFSET_NOT_AVAILABLE"):
        read(monkeypatch, leader, 6)
    assert 2 < sum(leader.pauses) <= 5


def test_end_that_is_there_while_no_record_comes_fails_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    leader = Leader(*LOG)
    leader.answers = [FetchAnswer(0, b"", 3)] * 100
    with pytest.raises(SourceError, match=r"ends at 6, but its leader gives no record from offset 3 on"):
        read(monkeypatch, leader, 6, start=3)


@pytest.mark.parametrize("start", [0, 3])
def test_log_that_was_cut_is_read_to_its_end_and_the_rest_reported(monkeypatch: pytest.MonkeyPatch, start: int) -> None:
    offsets, problems = read(monkeypatch, Leader(LOG[0]), 6, start)
    assert offsets == [0, 1, 2][start:]
    reason = "the log ends at 3 and was longer when this was planned: it was cut or replaced; offsets 3 to 5 are unread"
    assert problems == [(3, reason)]


def test_log_that_was_cut_before_the_stretch_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """OFFSET_OUT_OF_RANGE behind the end."""
    offsets, problems = read(monkeypatch, Leader(LOG[0]), 9, start=5)
    assert offsets == []
    assert [offset for offset, _ in problems] == [5]
    assert "ends at 3" in problems[0][1]


def test_start_that_cannot_be_had_is_no_cut_log(monkeypatch: pytest.MonkeyPatch) -> None:
    leader = Leader(LOG[1], start=3)
    leader.list_error = NOT_LEADER_OR_FOLLOWER
    with pytest.raises(SourceError, match="NOT_LEADER_OR_FOLLOWER"):
        read(monkeypatch, leader, 6)
    leader.when_paused = lambda: setattr(leader, "list_error", 0)
    assert read(monkeypatch, leader, 6) == ([3, 4, 5], [])


def test_log_whose_records_were_all_deleted_has_nothing_to_report(monkeypatch: pytest.MonkeyPatch) -> None:
    leader = Leader(start=6)
    assert read(monkeypatch, leader, 6) == ([], [])
    assert leader.pauses == []


def test_last_records_that_compaction_took_are_passed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once of a batch that is still there, whose header says where it ended, and once of whole batches."""
    leader = Leader((0, 5, batch(0, 0, 1, last_delta=5)))
    assert read(monkeypatch, leader, 6) == ([0, 1], [])
    assert read(monkeypatch, leader, 6, start=3) == ([], [])
    leader = Leader(LOG[0])
    leader.end = leader.high_watermark = 6
    assert read(monkeypatch, leader, 6) == ([0, 1, 2], [])
    assert leader.pauses == []


def test_batches_without_records_and_markers_are_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    leader = Leader((0, 2, without_records(0, 2)), (3, 3, batch(3, 0, control=True)), (4, 5, without_records(4, 5)))
    assert read(monkeypatch, leader, 6) == ([3], [])
    assert leader.pauses == []


def test_leader_that_moves_is_looked_for_until_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    leader = Leader(*LOG)
    leader.answers = [FetchAnswer(NOT_LEADER_OR_FOLLOWER), FetchAnswer(OFFSET_NOT_AVAILABLE)]
    assert read(monkeypatch, leader, 6) == ([0, 1, 2, 3, 4, 5], [])
    leader.is_there = False
    leader.when_paused = lambda: setattr(leader, "is_there", True)
    assert read(monkeypatch, leader, 6) == ([0, 1, 2, 3, 4, 5], [])
    leader.is_there, leader.when_paused = False, lambda: None
    with pytest.raises(SourceError, match=r"offset 0: has no leader now, or the topic is gone"):
        read(monkeypatch, leader, 6)


def test_refusal_that_does_not_pass_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    leader = Leader(*LOG)
    leader.answers = [FetchAnswer(TOPIC_AUTHORIZATION_FAILED)]
    with pytest.raises(SourceError, match="TOPIC_AUTHORIZATION_FAILED"):
        read(monkeypatch, leader, 6)
    assert leader.pauses == []
