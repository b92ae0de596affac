"""Which checkpoint and reader a lake goes on with, and up to when its log was read: without Spark, of files as it writes them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from muster.cli.exit_codes import USAGE
from muster.cli.main import main
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.rounds import Round, last_round, open_or_create, publish_round
from muster.pipeline.log_reading import LogReading, waiting
from muster.pipeline.round import RoundWriter
from muster.pipeline.round_settings import RoundSettings
from muster.pipeline.sources.positions import Positions
from muster.pipeline.sources.run_source import BrokerSource, directory_source
from muster.pipeline.tables.settings import GoldSettings

TOPIC = "__consumer_offsets"
CLUSTER = "a cluster"
CHECKPOINT = "_checkpoint/a%20cluster"


@dataclass
class Source:
    """A log whose end moves when the test says so."""

    begin: int = 0
    end: int = 0
    reader: str = "own"
    cluster: str = CLUSTER

    def ends(self) -> Positions:
        return {TOPIC: {0: self.end}}

    def begins(self) -> Positions:
        return {TOPIC: {0: self.begin}}


@dataclass
class Known:
    """A lake, its checkpoint, and a clock."""

    root: Path
    source: Source = field(default_factory=Source)
    now_ms: int = 0

    def __post_init__(self) -> None:
        self.location = Location.parse(self.root)
        open_or_create(self.location)
        self.reading = LogReading(self.location, self.source, lambda: self.now_ms)  # type: ignore[arg-type]

    def last(self) -> Round:
        last = last_round(self.location)
        assert last is not None
        return last

    def starts(self, query: str) -> None:
        """A query starts, and makes its checkpoint if there is none."""
        (self.root / CHECKPOINT / "offsets").mkdir(parents=True, exist_ok=True)
        (self.root / CHECKPOINT / "metadata").write_text(json.dumps({"id": query}))

    def plans(self, batch_id: int, *offsets: Any) -> None:
        """A micro-batch is about to be run; an offset for each source."""
        lines = ["v1", "{}", *("-" if each is None else json.dumps(each) for each in offsets)]
        (self.root / CHECKPOINT / "offsets" / str(batch_id)).write_text("\n".join(lines))

    def has_published(self, batch_id: int, **said: Any) -> None:
        publish_round(self.location, self.last().following({}, batch_id=batch_id, batches={CLUSTER: batch_id}, **said))

    def waiting(self) -> Positions:
        return waiting(self.location, self.source)  # type: ignore[arg-type]

    def writer(self) -> RoundWriter:
        return RoundWriter(self.location, self.source, RoundSettings(GoldSettings(now_ms=0)))  # type: ignore[arg-type]


@pytest.fixture
def known(tmp_path: Path) -> Known:
    found = Known(tmp_path / "lake")
    found.starts("first")
    return found


def read_until(known: Known, batch_id: int, reached: int, end: int, at_ms: int) -> int | None:
    known.plans(batch_id, {TOPIC: {"0": reached}})
    known.source.end, known.now_ms = end, at_ms
    return known.reading.until_ms(batch_id)


def test_log_is_read_until_now_when_all_of_it_was(known: Known) -> None:
    assert read_until(known, 0, reached=7, end=7, at_ms=50) == 50


def test_busy_log_is_read_until_it_was_last_looked_at(known: Known) -> None:
    """Records that came since the micro-batch was planned do not make its tables provisional."""
    known.source.end, known.now_ms = 10, 1_000
    known.reading.begin(known.last())
    assert read_until(known, 0, reached=5, end=12, at_ms=2_000) is None, "it catches up"
    assert read_until(known, 1, reached=11, end=13, at_ms=3_000) is None, "behind where it ended at 2,000"
    assert read_until(known, 2, reached=13, end=14, at_ms=4_000) == 3_000
    assert read_until(known, 3, reached=14, end=15, at_ms=5_000) == 4_000
    assert read_until(known, 4, reached=14, end=90, at_ms=6_000) is None, "it fell behind again"


def test_offsets_of_the_connector_and_of_a_tick_lie_in_several_sources(known: Known) -> None:
    known.plans(0, {TOPIC: {"0": 7}}, {"tick": 1_700_000_000_000})
    known.plans(1, None, {"tick": 1_700_000_000_000})
    known.source.end = 7
    assert known.reading.until_ms(0) == 0
    assert known.reading.until_ms(1) is None


def test_micro_batch_that_the_checkpoint_does_not_have_is_not_known_to_have_read_anything(known: Known) -> None:
    known.source.end = 1
    assert known.reading.until_ms(3) is None


@pytest.mark.parametrize("text", ["v9\n{}\n{}", "", "v1\n{}\n7", "v1\n{}\n{"])
def test_offsets_that_are_not_understood_are_said(known: Known, text: str) -> None:
    known.plans(0)
    (known.root / CHECKPOINT / "offsets" / "0").write_text(text)
    with pytest.raises(LakeError, match=r"offsets/0 (begins with|does not hold)"):
        known.reading.until_ms(0)


def test_what_is_waiting_is_between_the_checkpoint_and_the_end_of_the_log_of_this_cluster(known: Known) -> None:
    """Not the end less the records that were read: a compacted log has few of its offsets, a lake may have another cluster's."""
    known.source.end = 1_000_000_000
    assert known.waiting() == {TOPIC: {0: 1_000_000_000}}, "of a new lake all"
    known.source.begin = 900_000_000
    assert known.waiting() == {TOPIC: {0: 100_000_000}}, "but for what retention took"
    known.plans(0, {TOPIC: {"0": 999_000_000}}, {"tick": 1_700_000_000_000})
    known.plans(1, {TOPIC: {"0": 999_999_990}}, {"tick": 1_700_000_000_000})
    known.has_published(1, records=40)
    assert known.waiting() == {TOPIC: {0: 10}}
    batches = {CLUSTER: 1, "another cluster": 7}
    publish_round(known.location, known.last().following({}, batches=batches, records=5_000_000_000))
    assert known.waiting() == {TOPIC: {0: 10}}
    known.source.end = 999_999_000
    assert known.waiting() == {TOPIC: {0: 0}}, "a log that was cut"


def test_lake_without_its_checkpoint_is_refused_before_spark_makes_another(tmp_path: Path) -> None:
    """All of the log would be read again, as micro-batches that the lake seems to have."""
    known = Known(tmp_path / "lake")
    known.reading.begin(known.last())
    known.has_published(-1)
    known.reading.begin(known.last())
    known.has_published(0)
    with pytest.raises(LakeError, match=r"_checkpoint/a%20cluster is gone, .* bring it back, or read into a new lake"):
        known.reading.begin(known.last())


def test_checkpoint_of_another_query_is_refused(known: Known) -> None:
    known.has_published(4, queries={CLUSTER: "first"})
    known.reading.begin(known.last())
    known.starts("second")
    with pytest.raises(LakeError, match="is not the one that this lake was filled with: bring that one back"):
        known.reading.begin(known.last())
    for batch_id in (3, 4, 5):
        with pytest.raises(LakeError, match="is not the one that this lake was filled with"):
            known.writer().add(None, batch_id)


def test_spark_repeats_its_last_micro_batch_and_no_other(known: Known) -> None:
    """Of a lake that does not name its query yet: an earlier one is of a checkpoint that is behind the lake."""
    known.has_published(4)
    assert known.writer().add(None, 4) is None
    for batch_id in (3, 6):
        with pytest.raises(
            LakeError, match=f"is at micro-batch {batch_id}, the lake at 4: they do not belong together"
        ):
            known.writer().add(None, batch_id)


def test_lake_is_read_on_by_the_reader_that_began(known: Known) -> None:
    known.has_published(0, readers={CLUSTER: "own"}, queries={CLUSTER: "first"})
    known.reading.check(known.last())
    known.source.reader = "connector"
    with pytest.raises(
        LakeError, match=r"this lake is read with --reader own, .*: give --reader own, or read into a new"
    ):
        known.reading.check(known.last())


def test_directories_and_our_own_client_count_as_one_reader() -> None:
    assert [BrokerSource("b:1", "c", by_connector=each).reader for each in (False, True)] == ["own", "connector"]


def test_command_refuses_the_other_reader_before_it_starts_spark(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    location = Location.parse(tmp_path / "lake")
    cluster = directory_source((str(data),), None).cluster
    publish_round(location, open_or_create(location).following({}, readers={cluster: "connector"}))
    assert main(["pipeline", "run", "--from", str(data), "--lake", str(tmp_path / "lake")]) == USAGE
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "give --bootstrap and --reader connector, or read into a new lake" in said[0]
