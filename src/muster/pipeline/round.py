"""One round: what a micro-batch adds to the lake, from its rows to the moment at which readers see it.

    log    the rows themselves, appended
    fold   what they change: facts that are finished now, and the state
    ends   how far the topics go, asked by tasks                 } when the tables of now are due
    now    lag, status, expiry ... from the state and the ends   }
    open   rows of facts that may still change                   }

Each step is one Spark job that writes the files of all its tables; where times of records are asked, a job finds out of which, and
`ends` and `now` come a second time. Then every table is committed and the round is published: only that makes it visible. A round
that dies before leaves nothing that anybody reads, and is made again from the same state.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from muster.pipeline.ends.fold import Asked, counts_of_ends, fold_ends, told_of_ends
from muster.pipeline.ends.known import known_ends
from muster.pipeline.ends.schema import ENDS, MISSED_AFTER_MS
from muster.pipeline.fold.kernel import (
    FACTS,
    GROUP_BUCKETS,
    fold_rows,
    of_buckets,
    open_schema,
    position_part,
    rows_of_a_log,
    state_part,
    state_schema,
)
from muster.pipeline.fold.partition import FoldSettings
from muster.pipeline.generated_code import GeneratedCode
from muster.pipeline.lake.commit import Change, Signature, commit_all
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.files import DataFile, list_batch
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.parquet_options import LOG_PARQUET, WIDE_PARQUET
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.rounds import Round, last_round, publish_round
from muster.pipeline.lake.spark_reader import read_files
from muster.pipeline.log_observation import log_observation
from muster.pipeline.log_reading import LogReading
from muster.pipeline.log_schema import LOG
from muster.pipeline.now.build import NOW_STEPS, NOW_TABLES, tables_of_now, tasks_for
from muster.pipeline.now.history import Sampled
from muster.pipeline.now.schema import MINUTE
from muster.pipeline.now.unknown_times import LAG, count_unknown, places_to_ask
from muster.pipeline.rewriting import writes_all_positions
from muster.pipeline.round_changes import RoundChanges
from muster.pipeline.round_settings import Done, Gold, RoundSettings
from muster.pipeline.schemas import TABLES
from muster.pipeline.sources.run_source import RunSource
from muster.pipeline.wide import BATCH, PART, TABLE

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

REBUILD_ROWS: Final = 500_000
"""Rows that a task of the fold gets at most when everything is made anew."""
FOLD_RECORDS: Final = 20_000
"""Records for which Spark is asked to run one more task of the fold."""
_ASKED_BUCKETS: Final = GROUP_BUCKETS * 5 // 8
"""If the groups of a round fall into more buckets than this, asking for their positions saves nothing."""
_MANY_POSITIONS_BYTES: Final = 1_500_000
"""Of the state's files, some 15,000 positions: for the six rows of each, generated code costs as much as it saves."""
_NOW: Final = frozenset({"now"})
_STATE: Final = ("state", "open")
_FOLDED: Final = (*FACTS, "minute", *_STATE)
_SAMPLED: Final = ("ends", "b_leo_sample")


class RoundWriter:
    """Makes rounds of one source in one lake, one after the other."""

    def __init__(self, location: Location, source: RunSource, settings: RoundSettings) -> None:
        self._location = location
        self._source = source
        self._settings = settings
        self._reading = LogReading(location, source, settings.clock)
        self._code = GeneratedCode()

    @property
    def settings(self) -> RoundSettings:
        return self._settings

    def check(self) -> None:
        """Refuse a lake that this source cannot go on with."""
        self._reading.check(self.last())

    def begin(self) -> None:
        """Before each start of the query: `check`, and how far it has to read until the tables of now are not provisional."""
        self._reading.begin(self.last())

    def add(self, rows: DataFrame, batch_id: int, gold: Gold | None = None) -> Done | None:
        """The round of a micro-batch; None if it was published before and Spark only repeats it, as it may do with its last one."""
        last, cluster = self.last(), self._source.cluster
        query = self._reading.query(last)
        before = last.batches.get(cluster, -1)
        if batch_id == before:
            return None
        if batch_id != before + 1:
            raise LakeError(
                f"the checkpoint {self._location.checkpoint(cluster)} is at micro-batch {batch_id}, the lake at {before}:"
                " they do not belong together. Bring back the one that was lost, or make a new lake"
            )
        this = self._round(rows.sparkSession, last)
        this.add_log(rows)
        if gold is not None:
            this.make_gold(gold, self._reading.until_ms(batch_id))
        queries, readers = {**last.queries, cluster: query}, {**last.readers, cluster: self._source.reader}
        return this.publish(batch_id, queries=queries, readers=readers)

    def make_gold(self, spark: SparkSession, gold: Gold) -> Done | None:
        """A round without new log rows: the tables of now are made again. None: nothing has changed since."""
        last = self.last()
        this, batch_id = self._round(spark, last), last.batches.get(self._source.cluster, -1)
        if not this.make_gold(gold, self._reading.until_ms(batch_id)):
            return None
        return this.publish(batch_id)

    def rebuild(self, spark: SparkSession) -> Done:
        """A round that makes everything anew from the table `log`; until it is published readers see what was there."""
        last = self.last()
        this, batch_id = self._round(spark, last), last.batches.get(self._source.cluster, -1)
        this.refold()
        this.make_gold(Gold(), self._reading.until_ms(batch_id))
        return this.publish(batch_id)

    def _round(self, spark: SparkSession, last: Round) -> _Round:
        return _Round(spark, self._location, self._source, self._settings, last, self._code)

    def last(self) -> Round:
        last = last_round(self._location)
        if last is None:
            raise LakeError(f"{self._location} is no longer a lake, but was one when this run began")
        return last


class _Round(RoundChanges):
    """The round that is being made."""

    def __init__(
        self,
        spark: SparkSession,
        location: Location,
        source: RunSource,
        settings: RoundSettings,
        last: Round,
        code: GeneratedCode,
    ) -> None:
        self._began = time.monotonic()
        self._spark = spark
        self._location = location
        self._source = source
        self._settings = settings
        self._last = last
        self._code = code
        super().__init__(Lake(location, last))
        self._batch = f"{last.round + 1:08d}-{secrets.token_hex(4)}"
        self._records = 0
        self._newest_ms = last.newest_ms
        self._end_steps: int | None = None
        self._gold: dict[str, Any] = {}
        self._journals = dict(last.journals)

    # -- log and fold

    def add_log(self, rows: DataFrame) -> None:
        """The rows are written once and read back for the fold: a source may not give the same rows twice."""
        from pyspark.sql import Observation

        seen = Observation("log")
        counted = rows.observe(seen, *log_observation(self._has_few_records()))
        counted.write.options(**LOG_PARQUET).partitionBy("dt").parquet(self._location.batch_url("log", self._batch))
        told = seen.get
        self._records = int(told["records"])
        if not self._records:
            return
        self._code.note("log", self._records)
        self._newest_ms = max(told["newest_ms"], self._newest_ms or 0)
        files = list_batch(self._location, self._batch, ["log"])["log"]
        self._add("log", files)
        touched = frozenset(state_part(self._source.cluster, number) for number in told["log_partitions"])
        log = self._read("log", LOG, files)
        # A marker names no group: any position may wait for it.
        buckets = [] if told["has_markers"] else told["buckets"]
        self._fold_touched(log, touched, buckets, -(-self._records // FOLD_RECORDS))

    def refold(self) -> None:
        """Everything that was ever made of the log goes, and is made anew from the table `log`, a stretch of it at a time."""
        from pyspark.sql import functions as F

        for table in (*_FOLDED, *NOW_TABLES):
            self._changes[table] = Change(remove_all=True)
        log = self._read("log", LOG, self._lake.table_files("log"))
        last, records, number = log.agg(F.max("log_offset"), F.count(F.lit(1)), F.max("log_partition")).first()
        if records < self._last.records:
            raise LakeError(
                f"{self._location}: the log table holds {records:,} of the {self._last.records:,} records that were read,"
                " retention took the others: a rebuild would lose what was made of them. Read the source into a new lake instead"
            )
        length = rows_of_a_log(REBUILD_ROWS, (number or 0) + 1)
        settings = self._fold_settings(only_changed=False)
        for step, start in enumerate(range(0, (-1 if last is None else last) + 1, length)):
            first = -1 if start == 0 else start  # what could not be read has the offset -1
            rows = log.where(F.col("log_offset").between(first, start + length - 1))
            self._refold_stretch(rows, settings, f"fold-{step}")

    def _refold_stretch(self, log: DataFrame, settings: FoldSettings, step: str) -> None:
        """The rows may belong to any part of the state."""
        state = self._read("state", state_schema(), self._held("state"))
        with self._code.only_if_worth_it(self._spark, "fold", REBUILD_ROWS):
            folded = fold_rows(log, state, settings, batch=self._batch_of(step))
            written = self._write(folded, step, _FOLDED)
        for table in _FOLDED:
            if table in _STATE:
                self._changes[table] = Change(tuple(written.get(table, ())), remove_all=True)
            else:
                self._add(table, written.get(table, []))

    def _fold_touched(self, log: DataFrame, touched: frozenset[str], buckets: list[int], tasks: int) -> None:
        """New rows meet the parts of the state that they belong to, and the positions of their groups.

        Only positions that changed are written, beside those of earlier rounds, until it is time to write all (`rewriting`).
        """
        mine = position_part(self._source.cluster)
        held = self._held("state")
        positions = [file for file in held if file.part == mine]
        settings = self._fold_settings(only_changed=not writes_all_positions(positions, self._records))
        known = self._read("state", state_schema(), (file for file in held if file.part in touched))
        of_groups = self._read("state", state_schema(), positions)
        is_filtered = settings.only_changed and positions and 0 < len(buckets) <= _ASKED_BUCKETS
        if is_filtered:
            of_groups = of_groups.where(of_buckets(buckets))
        else:
            tasks = max(tasks, self._tasks_of_now())
        state = known.union(of_groups) if positions else known
        with self._code.only_if_worth_it(self._spark, "fold", self._records, has_large_state=self._tasks_of_now() > 1):
            folded = fold_rows(log, state, settings, tasks, self._batch_of("fold"))
            written = self._write(folded, "fold", _FOLDED)
        replaced = touched if settings.only_changed else touched | {mine}
        for table in _FOLDED:
            if table in _STATE:
                self._replace(table, written.get(table, []), replaced)
            else:
                self._add(table, written.get(table, []))

    def _has_few_records(self) -> bool:
        """Most likely, and positions that they may touch: a first read has none, and one that comes after many is one of many."""
        mine = position_part(self._source.cluster)
        is_catching_up = self._code.had_many_records("log")
        return not is_catching_up and any(file.part == mine for file in self._held("state"))

    def _fold_settings(self, only_changed: bool) -> FoldSettings:
        """The source knows the journal of its own cluster, the lake those of the others, whose records a rebuild folds too."""
        self._journals[self._source.cluster] = sorted(self._source.journal_partitions())
        journals = frozenset((cluster, number) for cluster, numbers in self._journals.items() for number in numbers)
        return FoldSettings(self._settings.gold, journals, self._last.round + 1, only_changed)

    # -- ends and now

    def make_gold(self, gold: Gold, read_until_ms: int | None) -> bool:
        """The tables of now, provisional without `read_until_ms` (trap 28). False: only changes were asked for, there are none."""
        cluster = self._source.cluster
        asked_ms = self._settings.clock() if self._source.is_live else self._newest_ms or 0
        samples = self._source.sample_ends(self._spark, lambda: known_ends(self._lake, cluster), asked_ms)
        held = self._read("ends", ENDS, self._lake.table_files("ends"))
        since_ms = asked_ms - MISSED_AFTER_MS - self._settings.gold.clock_skew_ms
        asked = Asked(cluster, since_ms)
        sampled, counts = self._write_ends(fold_ends(held, samples, self._batch_of("ends"), asked))
        told = told_of_ends(counts)
        has_caught_up = self._last.provisional and read_until_ms is not None
        if gold.only_changes and told == self._last.ends.get(cluster) and not self._records and not has_caught_up:
            return False
        self._keep_ends(sampled, counts)
        newest_ms = max(self._newest_ms or 0, counts["newest_ms"] or 0)
        self._gold["ends"] = {**self._last.ends, cluster: told}
        self._make_now(self._settings.moment_ms(self._source.is_live, newest_ms), asked_ms, read_until_ms)
        return True

    def _make_now(self, moment_ms: int, asked_ms: int, read_until_ms: int | None) -> None:
        # A directory's ends are known up to its newest moment; those of a running broker as of when they were asked.
        sampled_ms = asked_ms if self._source.is_live else moment_ms
        provisional = read_until_ms is None
        minutes = self._read("minute", MINUTE, self._held("minute"))

        def made(step: str) -> dict[str, DataFrame]:
            return tables_of_now(
                self._read("state", state_schema(), self._held("state")),
                self._read("ends", ENDS, self._held("ends")),
                minutes,
                self._read("open", open_schema(), self._held("open")),
                replace(self._settings.gold, now_ms=moment_ms, provisional=provisional),
                Sampled(sampled_ms, read_until_ms, self._source.cluster),
                self._tasks_of_now(),
                {"now": self._batch_of(step), "open": self._batch_of("open")},
            )

        steps = made("now")
        written, unknown = self._write_now(steps["now"], "now")
        if unknown and self._ask_record_times(written[LAG], unknown):
            steps = made("now-again")
            written, _ = self._write_now(steps["now"], "now-again")
        with self._code.only_if_worth_it(self._spark, "open"):
            written |= self._write(steps["open"], "open", NOW_STEPS["open"])
        self._changes["minute"] = Change(tuple(written.pop("minute", ())), remove_all=True)
        for table in NOW_TABLES:
            self._replace(table, written.get(table, []), _NOW)
        self._gold |= {"gold_at_ms": moment_ms, "sampled_ms": sampled_ms, "provisional": provisional}

    def _tasks_of_now(self) -> int:
        return tasks_for(self._state_bytes())

    def _state_bytes(self) -> int:
        return sum(file.size for file in (*self._held("state"), *self._held("minute")))

    def _write_now(self, rows: DataFrame, step: str) -> tuple[dict[str, list[DataFile]], int]:
        """The files, and of how many positions with lag nobody knows how late they are."""
        from pyspark.sql import Observation

        seen = Observation(step)
        counted = rows.observe(seen, count_unknown(self._source.cluster).alias("unknown"))
        has_many_positions = self._state_bytes() >= _MANY_POSITIONS_BYTES
        with self._code.only_if_worth_it(self._spark, step, has_large_state=has_many_positions):
            return self._write(counted, step, NOW_STEPS["now"]), seen.get["unknown"]

    def _ask_record_times(self, lag: list[DataFile], unknown: int) -> bool:
        """Whether the source knew some. What it does not know, round after round, must not take the turn of the others."""
        turn = self._last.round if self._last.gold_at_ms is not None else 0
        places = places_to_ask(self._read(LAG, TABLES[LAG], lag), self._source.cluster, unknown, turn)
        held = self._read("ends", ENDS, self._held("ends"))
        times, step = self._source.record_times(self._spark, places), "ends-records"
        found, told = self._write_ends(fold_ends(held, times, self._batch_of(step)), step)
        if told["steps"] == self._end_steps:
            return False
        self._keep_ends(found, told)
        return True

    def _keep_ends(self, written: dict[str, list[DataFile]], told: dict[str, int | None]) -> None:
        self._end_steps = told["steps"]
        self._replace("ends", written.get("ends", []), _NOW)
        self._add("b_leo_sample", written.get("b_leo_sample", []))

    def _write_ends(
        self, rows: DataFrame, step: str = "ends"
    ) -> tuple[dict[str, list[DataFile]], dict[str, int | None]]:
        """The files, and what the samples say as a whole: how many partitions, sums of their ends, the newest time."""
        from pyspark.sql import Observation

        seen = Observation("ends")
        told = rows.observe(seen, *counts_of_ends(self._source.cluster))
        with self._code.only_if_worth_it(self._spark, step):
            return self._write(told, step, _SAMPLED), seen.get

    # -- what is committed

    def publish(self, batch_id: int, **said: Any) -> Done:
        """`said`: what else the round's row is to say."""
        changes = {table: change for table, change in self._changes.items() if self._matters(table, change)}
        number = self._last.round + 1
        metadata = {"round": str(number), "cluster": self._source.cluster, "batch": str(batch_id)}
        versions = commit_all(self._location, Signature(number, metadata, base=self._last.versions), changes)
        this = self._last.following(
            versions,
            batch_id=batch_id,
            batches={**self._last.batches, self._source.cluster: batch_id},
            records=self._last.records + self._records,
            newest_ms=self._newest_ms,
            journals=self._journals,
            **self._gold,
            **said,
        )
        publish_round(self._location, this)
        return Done(number, self._records, bool(self._gold), this.provisional, time.monotonic() - self._began)

    def _matters(self, table: str, change: Change) -> bool:
        return bool(change.added) or table in self._last.versions or bool(self._gold)

    # -- Spark reads and writes

    def _read(self, table: str, schema: pa.Schema, files: Iterable[DataFile]) -> DataFrame:
        urls = [f"{self._location.table_url(table)}/{file.path}" for file in files]
        return read_files(self._spark, table, schema, urls)

    def _write(self, rows: DataFrame, step: str, tables: Iterable[str]) -> dict[str, list[DataFile]]:
        """The rows of all tables in one job: `LAKE/table=NAME/batch=B/part=P/`. They are of the batch `_batch_of(step)`."""
        rows.write.mode("append").options(**WIDE_PARQUET).partitionBy(TABLE, BATCH, PART).parquet(self._location.url)
        return list_batch(self._location, self._batch_of(step), tables)

    def _batch_of(self, step: str) -> str:
        return f"{self._batch}-{step}"
