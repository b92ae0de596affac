"""Lakes that the streaming query makes of a data directory, and what the oracle says of the same log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL
from muster.pipeline.decode.log_rows import log_rows
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.rounds import open_or_create
from muster.pipeline.log_schema import LOG
from muster.pipeline.round import RoundWriter
from muster.pipeline.round_settings import RoundSettings, wall_clock_ms
from muster.pipeline.schemas import GOLD, TABLES
from muster.pipeline.sources.journal import journal_rows
from muster.pipeline.sources.log_source import LOG_TOPICS, Stretch, partition_count
from muster.pipeline.sources.run_source import DirectorySource, directory_source
from muster.pipeline.sources.segments import SegmentLogs
from muster.pipeline.stopping import Stop
from muster.pipeline.stream import PipelineQuery, QuerySettings, Watch
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.oracle.build import build_gold
from tests.pipeline.oracle.decode_batch import decode_batch
from tests.pipeline.oracle.silver import SILVER, finish_silver
from tests.pipeline.sources.segment_ends import segment_end_offsets

VIEWS = ("s_offset_commit", "s_leo")
COMPARED = tuple(table for table in (*SILVER, *GOLD) if table not in VIEWS)
FAR_BACK_MS = 100 * 365 * 86_400_000
SETTINGS = GoldSettings(now_ms=0, history_ms=FAR_BACK_MS)
"""The history goes back as far as any log of the tests."""


def source_of(directory: Path, cluster: str = "kafka") -> DirectorySource:
    return directory_source((str(directory),), cluster)


class LakeRun:
    """One run of the query: a source, a lake, how it is cut, by which kind of writer."""

    def __init__(self, spark: Any, root: Path, source: Any, **settings: Any) -> None:
        self.location = Location.parse(root)
        open_or_create(self.location)
        made_with = RoundSettings(settings.pop("gold", SETTINGS), clock=settings.pop("clock", wall_clock_ms))
        self.writer = settings.pop("writer", RoundWriter)(self.location, source, made_with)
        self.stop = Stop()
        self.warnings: list[str] = []
        self.gold: list[Any] = []
        self.compacted: list[Any] = []
        told = {"gold": self.gold.append, "compacted": self.compacted.append, "warn": self.warnings.append}
        watch = Watch(**told | settings.pop("watch", {}))
        self.query = PipelineQuery(
            spark, self.location, source, self.writer, QuerySettings(**settings), watch, self.stop
        )

    def run(self) -> Lake:
        self.query.run()
        return Lake.open(self.location)


def rows_in(lake: Lake, table: str) -> list[tuple[Any, ...]]:
    return comparable(lake.arrow(table))


def assert_same_tables(found: Lake, expected: Lake) -> None:
    different = [table for table in ("log", *COMPARED) if rows_in(found, table) != rows_in(expected, table)]
    assert not different


def comparable(rows: pa.Table) -> list[tuple[Any, ...]]:
    """Sorted, whatever their order and their files."""
    found = [tuple(_plain(value) for value in row.values()) for row in rows.to_pylist()]
    return sorted(found, key=repr)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 9)
    return tuple(value) if isinstance(value, list) else value


def different_tables(lake: Lake, data: Path, cluster: str) -> list[str]:
    """Of a directory that a lake has read: the tables whose rows are not those that the rules give, here and without Spark."""
    assert lake.round.gold_at_ms is not None
    assert lake.round.newest_ms is not None
    expected = oracle([data], cluster, lake.round.gold_at_ms, lake.round.newest_ms)
    wrong = [table for table in COMPARED if rows_in(lake, table) != oracle_rows(expected, table)]
    return wrong if rows_in(lake, "log") == comparable(decoded_log(data, cluster)) else ["log", *wrong]


def decoded_log(data: Path, cluster: str) -> pa.Table:
    """Every row of `log`, read in this process."""
    logs = {topic: SegmentLogs((str(data),), topic, cluster) for topic in LOG_TOPICS}
    count = partition_count(logs[CONSUMER_OFFSETS].ends())
    readers = [log.open(Stretch(number, 0, end)) for log in logs.values() for number, end in log.ends().items()]
    return pa.Table.from_batches([log_rows(batch, count) for each in readers for batch in each.bronze()], LOG)


def oracle(directories: Iterable[Path], cluster: str, now_ms: int, sampled_at_ms: int) -> dict[str, pl.DataFrame]:
    """Every table as the rules give it from the whole log at once, as of `now_ms`: nothing was appended to any topic since."""
    places = tuple(str(directory) for directory in directories)
    bronze: dict[str, list[pa.RecordBatch]] = {topic: [] for topic in LOG_TOPICS}
    quarantine: list[pa.RecordBatch] = []
    count = None
    for topic in LOG_TOPICS:
        log = SegmentLogs(places, topic, cluster)
        if topic == CONSUMER_OFFSETS:
            count = partition_count(log.ends())
        for stretch in (Stretch(number, 0, end) for number, end in sorted(log.ends().items())):
            reader = log.open(stretch)
            bronze[topic] += list(reader.bronze())
            quarantine.append(reader.quarantine())
    decoded = [decode_batch(batch, count) for batch in bronze[CONSUMER_OFFSETS]]
    rows: dict[str, list[pa.RecordBatch]] = {}
    for tables in decoded:
        for name, batch in tables.items():
            rows.setdefault(name, []).append(batch)
    events = [journal_rows(batch) for batch in bronze[GROUP_JOURNAL]]
    rows["b_journal_event"] = [each[0] for each in events]
    rows["b_quarantine"] = [*rows.get("b_quarantine", []), *(each[1] for each in events), *quarantine]
    rows["b_log_record"] = [batch for batches in bronze.values() for batch in batches]
    samples = segment_end_offsets(places, cluster=cluster, read_at_ms=sampled_at_ms)
    rows["b_leo_sample"] = samples.to_batches()
    frames = {
        name: pl.DataFrame(pl.from_arrow(pa.Table.from_batches(batches))) for name, batches in rows.items() if batches
    }
    silver = finish_silver(frames)
    gold = build_gold({**frames, **silver}, replace(SETTINGS, now_ms=now_ms, sampled_ms=now_ms))
    return {**silver, **gold}


def oracle_rows(tables: dict[str, pl.DataFrame], table: str) -> list[tuple[Any, ...]]:
    return comparable(tables[table].to_arrow().cast(TABLES[table]))
