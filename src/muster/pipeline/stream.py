"""The pipeline: one streaming query that turns the coordinator's log into the tables of a lake.

    source ──> micro-batch ──> round (log, fold, and when due: ends, now) ──> published

`run` is this query with the trigger `availableNow`, `follow` with `processingTime`. Spark's checkpoint says what was read; a
round that was published is not made again when Spark repeats its micro-batch. Knows Spark's query and when the tables of now
are due; what a round does is in `round`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from muster.pipeline.arrow_map import is_connect
from muster.pipeline.connect_batch import ConnectBatch
from muster.pipeline.failure import JobError, short_words
from muster.pipeline.fold.kernel import rows_of_a_log, rows_of_all_logs
from muster.pipeline.lake.compact import Compacted
from muster.pipeline.lake.errors import LakeError, StoreError
from muster.pipeline.lake.location import Location
from muster.pipeline.log_reading import waiting
from muster.pipeline.regular_compaction import RegularCompaction
from muster.pipeline.round import RoundWriter
from muster.pipeline.round_settings import Done, Gold
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.positions import behind, positions_in, shorter_logs
from muster.pipeline.sources.run_source import CONNECTOR, RunSource, StreamSettings
from muster.pipeline.stopping import Stop

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_LOOK_EVERY_SECONDS: Final = 0.2
_RESTARTS: Final = 30
"""So many failures in a row end a followed query: a broker that restarts takes fewer."""


@dataclass(frozen=True, slots=True)
class QuerySettings:
    offsets_per_partition: int = 500_000
    """Records of one log partition that a micro-batch takes at most; fewer where tasks have to hold several log partitions."""
    every_ms: int = 10_000
    gold_every_ms: int = 60_000
    idle_ms: int = 5 * 60_000
    """Where nothing is new, tables of now that are younger are left as they are: only ages would change."""
    compact_every_ms: int | None = None
    """How often a lake that is followed is compacted. None: never."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What a query has done so far."""

    rounds: int
    records: int
    behind: int
    """Offsets between what was read and the end of the logs."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told how it goes."""

    progress: Callable[[Progress], None] = lambda _: None
    gold: Callable[[Done | None], None] = lambda _: None
    """None: the tables were up to date."""
    compacted: Callable[[Compacted], None] = lambda _: None
    warn: Callable[[str], None] = lambda _: None


class PipelineQuery:
    """The query over one source into one lake."""

    def __init__(
        self,
        spark: SparkSession,
        location: Location,
        source: RunSource,
        writer: RoundWriter,
        settings: QuerySettings,
        watch: Watch,
        stop: Stop,
    ) -> None:
        self._spark = spark
        self._location = location
        self._source = source
        self._writer = writer
        self._settings = settings
        self._watch = watch
        self._stop = stop
        self._follows = False
        self._compaction = RegularCompaction(location, settings.compact_every_ms, writer.settings.clock)
        self._at_work = threading.Lock()
        """Held while a round is made in this process: who wants to stop the query, or to compact the lake, waits for it."""
        self._failure: Exception | None = None
        self._rounds = self._records = 0
        self._gold_at = -float("inf")

    def run(self) -> bool:
        """Read up to the ends that the logs have now, then make the tables of now. False if it was stopped before."""
        self._run_query(availableNow=True)
        if self._stop():
            return False
        last = self._writer.last()
        is_made = last.gold_round == last.round and not self._records
        with _clear_errors("making the tables"):
            done = self._writer.make_gold(self._spark, Gold(only_changes=is_made and not self._source.is_live))
        self._watch.gold(done)
        return True

    def rebuild(self) -> None:
        """Make every table anew from the log table of the lake."""
        with _clear_errors("making the tables anew"):
            self._watch.gold(self._writer.rebuild(self._spark))

    def follow(self, still_writer: Callable[[], None] = lambda: None) -> None:
        """Go on until told to stop. A query that fails is started again where it was, but not the first time: then most
        likely something was asked for that is not there. `still_writer` raises LakeError when the lake has become another's.
        """
        self._follows = True
        failures = _RESTARTS
        while not self._stop():
            rounds = self._rounds
            try:
                still_writer()
                self._run_query(processingTime=f"{self._settings.every_ms} milliseconds")
            except (JobError, SourceError, StoreError) as error:
                failures = 1 if self._rounds > rounds else failures + 1
                if failures > _RESTARTS or self._stop():
                    raise
                self._watch.warn(f"{error}; trying again")
                self._stop.wait(self._settings.every_ms / 1000)

    # -- Spark's query

    def _run_query(self, **trigger: Any) -> None:
        with _clear_errors("reading the log"):
            self._writer.begin()
            rows = self._source.stream(self._spark, self._stream_settings())
            query = (
                rows.writeStream.queryName("muster pipeline")
                .foreachBatch(self._handler())
                .option("checkpointLocation", self._location.checkpoint(self._source.cluster))
                .trigger(**trigger)
                .start()
            )
            try:
                self._await(query)
            finally:
                query.stop()

    def _stream_settings(self) -> StreamSettings:
        of_a_task = self._settings.offsets_per_partition
        log_partitions = max(map(len, self._source.ends().values()), default=0)
        return StreamSettings(
            rows_of_a_log(of_a_task, log_partitions),
            self._offsets_in_all(of_a_task),
            tick_seconds=self._settings.gold_every_ms / 1000 if self._follows else None,
        )

    def _offsets_in_all(self, of_a_task: int) -> int:
        """For the connector. What waits now are the shares of a run up to the ends of now; what comes later may be of one log."""
        if self._follows or self._source.reader != CONNECTOR:
            return of_a_task
        return rows_of_all_logs(of_a_task, waiting(self._location, self._source).values())

    def _handler(self) -> Callable[[DataFrame, int], None]:
        """What Spark calls with every micro-batch: in this process, or where a Connect server is."""
        if not is_connect(self._spark):
            return self._on_batch
        gold_every_ms = self._settings.gold_every_ms if self._follows else None
        compaction = self._compaction if self._follows else None
        return ConnectBatch(self._writer, gold_every_ms, self._settings.idle_ms, compaction)

    def _await(self, query: StreamingQuery) -> None:
        told = -1
        told_at_stop: int | None = None
        while True:
            try:
                has_ended = query.awaitTermination(_LOOK_EVERY_SECONDS)
            except Exception:
                if self._stop() and self._failure is None and not is_connect(self._spark):
                    return  # told to stop, the next micro-batch was not begun: that is no failure
                if self._failure is not None:
                    failure, self._failure = self._failure, None
                    raise failure from None
                raise
            told = self._tell(query, told)
            if has_ended:
                return
            self._compact_if_due()
            if self._stop():
                told_at_stop = told if told_at_stop is None else told_at_stop
                with self._at_work:
                    if told > told_at_stop or not self._works_on_server(query):
                        return

    def _works_on_server(self, query: StreamingQuery) -> bool:
        """Whether a Connect server makes a round, most likely: `_at_work` is not held then, as nothing of it happens here."""
        return is_connect(self._spark) and bool(query.status["isTriggerActive"])

    def _on_batch(self, rows: DataFrame, batch_id: int) -> None:
        with self._at_work:
            if self._stop():
                raise JobError("stopped before the micro-batch was begun")
            try:
                done = self._writer.add(rows, batch_id, self._gold_if_due())
            except Exception as error:
                self._failure = error
                raise
            if done is None:
                return
            self._rounds += 1
            self._records += done.records
            if done.gold:
                self._gold_at = time.monotonic()
                self._watch.gold(done)

    def _gold_if_due(self) -> Gold | None:
        """In `follow`; `run` makes the tables when everything is read."""
        age_ms = (time.monotonic() - self._gold_at) * 1000
        if not self._follows or age_ms < self._settings.gold_every_ms:
            return None
        return Gold(only_changes=age_ms < self._settings.idle_ms)

    def _compact_if_due(self) -> None:
        """In `follow`, between two rounds. On a Connect server whoever makes the rounds does it."""
        if not self._follows or is_connect(self._spark) or not self._compaction.is_due(self._watch.warn):
            return
        with self._at_work:
            done = self._compaction.run(self._watch.warn)
        if done is not None:
            self._watch.compacted(done)

    def _tell(self, query: StreamingQuery, told: int) -> int:
        """Pass on the progress of the last micro-batch, once. Its number."""
        last = query.lastProgress
        if last is None or last["batchId"] <= told:
            return told
        if is_connect(self._spark):
            self._rounds += 1
            self._records += sum(source["numInputRows"] or 0 for source in last["sources"])
        reached, ends = _offsets(last, "endOffset"), _offsets(last, "latestOffset")
        left = behind(positions_in(reached), positions_in(ends))
        self._watch.progress(Progress(self._rounds, self._records, left))
        for warning in shorter_logs(positions_in(reached), positions_in(ends), self._source.cluster):
            self._watch.warn(warning)
        number: int = last["batchId"]
        return number


def _offsets(progress: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Of all sources of the query together."""
    found: dict[str, Any] = {}
    for source in progress["sources"]:
        text = source[name]
        offset = json.loads(text) if isinstance(text, str) else text
        found |= offset if isinstance(offset, dict) else {}
    return found


@contextmanager
def _clear_errors(what: str) -> Iterator[None]:
    """Failures of Spark inside become `JobError`, in one line."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (LakeError, SourceError, JobError):
        raise
    except (PySparkException, Py4JError) as error:
        raise JobError(f"{what} failed: {short_words(str(error))}") from error
