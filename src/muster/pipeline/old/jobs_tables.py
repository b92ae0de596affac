"""Silver and gold of some log partitions, made by one task: from files to files, without a shuffle and without Java.

Commits pass by in batches; everything else of the log partitions is small enough to be held. Memory is bounded: of a log
partition with more than `MOST_ROWS` commits only a share of the keys is held at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.old.jobs_bundles import Home
from muster.pipeline.old.jobs_files import BatchFiles
from muster.pipeline.old.jobs_ingest import rows_table
from muster.pipeline.old.jobs_read import different_texts, frame_of, in_log_order, of_topics
from muster.pipeline.old.jobs_split import rows_of_share, split_by_key
from muster.pipeline.old.lake_retention import GOLD_TIMES
from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.settings import GoldSettings

if TYPE_CHECKING:
    import polars as pl

    from muster.pipeline.tables.build import GoldBuild

MOST_ROWS: Final = 2_000_000
"""Commits of a log partition that a worker takes on at once, with about 900 MB; a longer one is split into shares of half of it."""
COMMITS: Final = "s_offset_commit"
_HELD: Final = ("s_group_generation", "s_member", "s_assignment", "s_group_epoch", "s_member_epoch")
_AT_A_TIME: Final = 131_072
_SETTLED_ROWS: Final = 500_000
_LOOKED_AT: Final = tuple(
    name for name in TABLES[COMMITS].names if name not in ("dt", "batch_base_offset", "key_version")
)


@dataclass(frozen=True, slots=True)
class MakeTables:
    """The work of one task. `ends` are the files of `s_leo`, `samples` those of `b_leo_sample`."""

    root: Path
    homes: tuple[Home, ...]
    ends: tuple[str, ...]
    samples: tuple[str, ...]
    settings: GoldSettings
    silver_from_ms: int

    def __call__(self, files: BatchFiles) -> None:
        from muster.pipeline.tables.build import GoldBuild
        from muster.pipeline.tables.silver import finish_groups

        extent, starts = self._extent()
        silver = finish_groups({name: self._held(rows_table(name), name) for name in _HELD}, extent)
        facts = {**silver, **self._about_topics()}
        for name in ("b_journal_event", "b_quarantine", "unknown_type"):
            facts[name] = self._held(rows_table(name), name)
        build = GoldBuild(facts, extent, self.settings)
        self._pass_commits(build, files, starts)
        for table, frame in {**silver, "s_current_offset": build.current_offsets(), **build.tables()}.items():
            self._write(files, table, frame)

    def _extent(self) -> tuple[pl.DataFrame, dict[str, int | None]]:
        """What was read of the log partitions, and by home from where on the coordinator's log is whole."""
        import polars as pl

        from muster.pipeline.tables.log_extent import EXTENT_COLUMNS, LogExtent, extent_frame

        extents: dict[tuple[Any, ...], LogExtent] = {}
        starts: dict[str, int | None] = {}
        for home in self.homes:
            for paths in _by_part(home, "b_log_record"):
                extent = LogExtent()
                place: tuple[Any, ...] = ()
                for batch in in_log_order(self.root, paths, EXTENT_COLUMNS):
                    rows = pl.DataFrame(pl.from_arrow(pa.Table.from_batches([batch.select(EXTENT_COLUMNS[3:])])))
                    place = tuple(batch.column(name)[0].as_py() for name in EXTENT_COLUMNS[:3])
                    extent.add(rows)
                if place:
                    extents[place] = extent
                    if place[1] == "__consumer_offsets":
                        starts[home.name] = extent.faithful_from
        return extent_frame(extents), starts

    def _held(self, stored: str, table: str) -> pl.DataFrame:
        from muster.pipeline.tables.columns import no_rows

        found = frame_of(self.root, (path for home in self.homes for path in home.paths(stored)))
        return no_rows(table) if found is None else found

    def _about_topics(self) -> dict[str, pl.DataFrame]:
        """Ends of the topics that these groups commit to or subscribe to."""
        import polars as pl

        from muster.pipeline.tables.columns import no_rows

        commits = (path for home in self.homes for path in home.paths(rows_table(COMMITS)))
        topics = different_texts(self.root, commits, "topic")
        for table in ("s_member", "s_member_epoch"):
            topics.update(self._held(rows_table(table), table)["topics"].explode().drop_nulls().to_list())
        found = {
            "s_leo": of_topics(self.root, self.ends, topics),
            "b_leo_sample": of_topics(
                self.root, self.samples, topics, ("cluster", "topic", "partition", "leo", "end_ms")
            ),
        }
        return {
            name: no_rows(name) if rows is None else pl.DataFrame(pl.from_arrow(rows)) for name, rows in found.items()
        }

    def _pass_commits(self, build: GoldBuild, files: BatchFiles, starts: dict[str, int | None]) -> None:
        import polars as pl

        waiting: list[pl.DataFrame] = []

        def pass_on() -> None:
            if waiting:
                self._write(files, "g_lag_history", build.add_commits(pl.concat(waiting)))
                waiting.clear()

        passed = 0
        for of_whole_keys in self._finished_commits(starts):
            for rows in of_whole_keys:
                files.add(COMMITS, rows)
                waiting.append(pl.DataFrame(pl.from_arrow(pa.Table.from_batches([rows.select(_LOOKED_AT)]))))
                passed += rows.num_rows
                if sum(map(len, waiting)) >= _AT_A_TIME:
                    pass_on()
            if passed >= _SETTLED_ROWS:
                pass_on()
                build.settle()
                passed = 0
        pass_on()

    def _finished_commits(self, starts: dict[str, int | None]) -> Iterator[Iterator[pa.RecordBatch]]:
        """The commits of one log partition after the other, or of a share of a long one's keys."""
        from muster.pipeline.tables.commit_rows import NARROW, finished_commit_rows

        for home in self.homes:
            paths = home.paths(rows_table(COMMITS))
            read = partial(in_log_order, self.root, paths)
            marks = [pq.ParquetFile(self.root / path).read() for path in home.paths(rows_table("txn_marker"))]
            markers = pa.concat_tables(marks) if marks else ROW_TABLES["txn_marker"].empty_table()
            start = starts.get(home.name)
            count = home.rows(rows_table(COMMITS))
            if count <= MOST_ROWS:
                yield finished_commit_rows(partial(read, NARROW), read, markers, start)
                continue
            with TemporaryDirectory(prefix="muster-shares-") as directory:
                for share in split_by_key(read(), -(-count // (MOST_ROWS // 2)), Path(directory)):
                    rows = partial(rows_of_share, share)
                    yield finished_commit_rows(partial(rows, NARROW), rows, markers, start)

    def _write(self, files: BatchFiles, table: str, frame: pl.DataFrame) -> None:
        """Behind silver's horizon only state is left: history from there is what compaction kept of earlier gold."""
        import polars as pl

        time = GOLD_TIMES.get(table)
        if time is not None and self.silver_from_ms:
            frame = frame.filter(pl.col(time) >= self.silver_from_ms)
        for batch in frame.to_arrow().cast(TABLES[table]).to_batches():
            files.add(table, batch, by_date=False)


@dataclass(frozen=True, slots=True)
class FinishEnds:
    """`s_leo` of a share of the topics."""

    root: Path
    samples: tuple[str, ...]
    share: int
    shares: int

    def __call__(self, files: BatchFiles) -> None:
        from zlib import crc32

        import polars as pl

        from muster.pipeline.tables.end_offsets import finished_end_offsets

        every = different_texts(self.root, self.samples, "topic")
        mine = {topic for topic in every if crc32(topic.encode()) % self.shares == self.share}
        samples = of_topics(self.root, self.samples, mine)
        if samples is not None:
            finished = finished_end_offsets(pl.DataFrame(pl.from_arrow(samples)))
            for batch in finished.to_arrow().cast(TABLES["s_leo"]).to_batches():
                files.add("s_leo", batch)


def _by_part(home: Home, table: str) -> list[tuple[str, ...]]:
    """The files of each log partition: that of the coordinator, that of the journal."""
    found: dict[str, list[str]] = {}
    for file in home.files.get(table, ()):
        found.setdefault(file.part, []).append(file.path)
    return [tuple(paths) for paths in found.values()]
