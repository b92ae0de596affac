"""`track`: every finished micro-batch of a session's queries is committed to a group.

Knows which query goes to which group, and counts what happens. What Spark tells comes from `listener`; commits are made by
`committer`. Nothing here may slow or fail a query: what Spark calls only puts something into a queue.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.properties import read_properties
from muster.client.security import PLAINTEXT, Security
from muster.spark.committer import Committer, log
from muster.spark.failure import OffsetShapeError, TrackingError
from muster.spark.newest import BatchCommit
from muster.spark.offsets import Offsets, has_topics, offsets_in, together
from muster.spark.progress import Reached, finished, last_finished

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_Value = TypeVar("_Value")
_PATIENCE_SECONDS: Final = 10.0
_LAST_WORDS_SECONDS: Final = 5.0
"""How long a Python that ends waits for the last commits."""
_LOOK_EVERY_SECONDS: Final = 0.1
_RENEW_SECONDS: Final = 3_600.0
"""A query that has nothing to read commits again what it has: offsets of a group without members expire by their retention."""
_MOST_QUERIES: Final = 1_000
_TELLS_LAST: Final = "MicroBatchExecution"
"""Spark's class of queries that write a micro-batch into their commit log before they tell of it."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What became of the micro-batches so far."""

    commits: int
    failures: int
    """Tries that the coordinator refused or did not answer."""
    superseded: int
    """Micro-batches that a newer one overtook before they were committed."""
    skipped: int
    """Micro-batches without a group, or none of whose sources has offsets of topics."""
    last_error: str | None
    """Of the group that failed last among those whose last try failed; None if there is no such group."""


def track(
    spark: SparkSession,
    bootstrap: str | Sequence[str],
    group: str | None = None,
    *,
    query: str | None = None,
    topics: Collection[str] | None = None,
    properties: str | os.PathLike[str] | Mapping[str, str] | None = None,
) -> Tracking:
    """Commit what each micro-batch of the session's queries has read, from now on, until the session or `stop` ends it.

    With `group` alone the session's one query is tracked, with `query` the one of that name; without `group` every query that
    has a name, as the group of that name. `topics`: only these, for queries that read several clusters. `properties`: Kafka's
    client properties for TLS and SASL, or a file of them.
    """
    if query is not None and group is None:
        group = query
    for name, given in (("group", group), ("query", query)):
        if given is not None and not given:
            raise TrackingError(f"{name} is empty: give it a name")
    tracking = Tracking(spark, bootstrap, _security(properties), group, query, topics)
    tracking.start()
    return tracking


def _security(properties: str | os.PathLike[str] | Mapping[str, str] | None) -> Security:
    if properties is None:
        return PLAINTEXT
    try:
        return Security.of(properties if isinstance(properties, Mapping) else read_properties(os.fspath(properties)))
    except ClientError as error:
        raise TrackingError(str(error)) from None


class Tracking:
    """What `track` returns. As a context manager it ends the tracking when all that has finished is committed."""

    def __init__(
        self,
        spark: SparkSession,
        bootstrap: str | Sequence[str],
        security: Security = PLAINTEXT,
        group: str | None = None,
        query: str | None = None,
        topics: Collection[str] | None = None,
    ) -> None:
        self._spark = spark
        self._group = group
        self._query = query
        self._topics = None if topics is None else frozenset(topics)
        self._changed = threading.Condition()
        self._runs: dict[str, str] = {}
        """Run id -> query id, of runs that have begun and whose end was not told yet."""
        self._kinds: dict[str, str] = {}
        """Run id -> which class of Spark runs it, as far as that could be seen."""
        self._renewals: dict[str, tuple[BatchCommit, float]] = {}
        """Run id -> its last commit, and when that is due again."""
        self._newest_runs: dict[str, str] = {}
        """Query id -> its newest run, also an ended one."""
        self._heard: dict[str, tuple[str, int]] = {}
        """Query id -> the last micro-batch that was handed over, and its run, also an ended one."""
        self._said: set[str] = set()
        self._skipped = 0
        try:
            self._open_once(bootstrap, security)
        except ClientError as error:
            raise TrackingError(str(error)) from None

    def _open_once(self, bootstrap: str | Sequence[str], security: Security) -> None:
        def open_cluster() -> Cluster:
            return Cluster(
                bootstrap,
                security=security,
                client_id="muster-spark",
                request_timeout_seconds=_PATIENCE_SECONDS,
                patience_seconds=_PATIENCE_SECONDS,
            )

        open_cluster()  # a bad address is the caller's mistake, and told here
        self._committer = Committer(open_cluster, self._notify)

    def start(self) -> None:
        from muster.spark.listener import listener_of

        self._committer.start()
        self._listener = listener_of(self)
        self._spark.streams.addListener(self._listener)
        active = list(self._spark.streams.active)
        for query in active:  # they may have ended when their first progress is told
            self._note_run(str(query.runId), str(query.id))
        running = {str(query.runId) for query in self._spark.streams.active}
        with self._changed:  # the end of one that has ended meanwhile may have been told before it was noted
            for query in active:
                if str(query.runId) not in running:
                    self._runs.pop(str(query.runId), None)
        for query in active:  # one that has nothing to read tells of no progress
            self._take_last_if_readable(query)
        atexit.register(self._last_words)

    @property
    def figures(self) -> Figures:
        counts = self._committer.counts
        waiting = self._committer.waiting
        return Figures(counts.commits, counts.failures, waiting.superseded, self._skipped, counts.last_error)

    def flush(self, timeout_seconds: float = 30.0) -> bool:
        """Wait until all that queries have finished is committed, or given up. False if it took too long."""
        until = time.monotonic() + timeout_seconds
        while not (self._has_heard_all() and self._committer.is_idle):
            left = until - time.monotonic()
            if left <= 0:
                return False
            with self._changed:
                self._changed.wait(min(left, _LOOK_EVERY_SECONDS))
        return True

    def stop(self, timeout_seconds: float = 10.0) -> None:
        """Commit what is finished, then track no longer. It takes `timeout_seconds` at most: then what is left is given up."""
        until = time.monotonic() + timeout_seconds
        self.flush(timeout_seconds)
        try:
            self._spark.streams.removeListener(self._listener)
        except Exception:
            log.debug("the listener cannot be removed: Spark is gone", exc_info=True)
        self._committer.stop(max(0.0, until - time.monotonic()))
        atexit.unregister(self._last_words)

    def __enter__(self) -> Tracking:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    # -- told by the listener

    def on_started(self, run_id: str, query_id: str) -> None:
        with self._changed:
            _keep_newest(self._newest_runs, query_id, run_id)
        self._note_run(run_id, query_id)

    def _note_run(self, run_id: str, query_id: str) -> None:
        """It may have been replaced by a newer run, of which was told meanwhile."""
        with self._changed:
            self._runs[run_id] = query_id
            self._newest_runs.setdefault(query_id, run_id)
        self._see_kind(run_id, query_id)

    def on_terminated(self, run_id: str) -> None:
        with self._changed:
            self._runs.pop(run_id, None)
            self._kinds.pop(run_id, None)
            self._renewals.pop(run_id, None)
            self._changed.notify_all()

    def on_idle(self, run_id: str, query_id: str) -> None:
        """The query has nothing to read: Spark tells so every now and then."""
        with self._changed:
            commit, due = self._renewals.get(run_id, (None, 0.0))
            if commit is not None:
                if time.monotonic() >= due and not self._is_replaced(run_id, query_id):
                    self._submit(run_id, commit)
                return
        query = self._spark.streams.get(query_id)
        if query is not None and str(query.runId) == run_id:
            self._take_last(query)

    def on_progress(self, progress: Any) -> None:
        """A micro-batch has ended, and Spark's commit log has it: Spark writes that log first, then tells."""
        reached = finished(progress)
        with self._changed:
            self._runs.setdefault(reached.run_id, reached.query.query_id)  # it may have begun before us
            self._newest_runs.setdefault(reached.query.query_id, reached.run_id)
        if not self._take(reached):
            self._skipped += 1

    # -- what becomes of it

    def _take_last(self, query: Any) -> None:
        """What the query has finished last. No event may have told of it: it was before us, or is still on its way."""
        reached = last_finished(query.lastProgress)
        if reached is not None and not self._has_heard(reached):
            self._take(reached)

    def _take_last_if_readable(self, query: Any) -> None:
        """One query of which nothing can be read keeps no other from being tracked."""
        try:
            self._take_last(query)
        except Exception:  # py4j has no one family of errors; what a query tells may have any shape
            log.debug("what a query has finished last cannot be read", exc_info=True)

    def _has_heard(self, reached: Reached) -> bool:
        """This micro-batch, or a later one, was handed over. A query that was started again may begin with a lower number."""
        run_id, batch_id = self._heard.get(reached.query.query_id, ("", -1))
        if run_id == reached.run_id:
            return reached.query.batch_id <= batch_id
        return self._is_replaced(reached.run_id, reached.query.query_id)

    def _is_replaced(self, run_id: str, query_id: str) -> bool:
        """A newer run of the query has handed something over: what is told late of this one is older."""
        newest = self._newest_runs.get(query_id, run_id)
        return newest != run_id and self._heard.get(query_id, ("", -1))[0] == newest

    def _take(self, reached: Reached) -> bool:
        """False if it has no group, no offsets of topics, or no room."""
        group = self._group_of(reached)
        offsets = {} if group is None else self._offsets(reached)
        with self._changed:
            if self._has_heard(reached):
                return True  # the last progress of the query had it already
            if group is None or not offsets:
                return False
            if not self._submit(reached.run_id, BatchCommit(group, reached.query, offsets)):
                self._say_once("too many groups wait for their commit: some micro-batches are not committed")
                return False
            _keep_newest(self._heard, reached.query.query_id, (reached.run_id, reached.query.batch_id))
        return True

    def _submit(self, run_id: str, commit: BatchCommit) -> bool:
        is_taken = self._committer.submit(commit)
        if is_taken:
            self._renewals[run_id] = commit, time.monotonic() + _RENEW_SECONDS
        return is_taken

    # -- which group

    def _group_of(self, reached: Reached) -> str | None:
        run_id, query_id = reached.run_id, reached.query.query_id
        if (self._query is not None and reached.name != self._query) or not self._is_in_checkpoint(run_id, query_id):
            return None
        if self._group is None:
            if not reached.name:
                self._say_once(
                    f"query {query_id} has no name and is not tracked: name it with queryName, or give track a group"
                )
            return reached.name
        with self._changed:
            running = set(self._runs.values())
        others = running - {query_id} if self._query is None else set()
        if others:
            self._say_once(
                f"group {self._group} stands for one query, and {len(others) + 1} run: nothing is committed while they do;"
                " name the query to track, or call track without a group to have one for each"
            )
            return None
        return self._group

    def _see_kind(self, run_id: str, query_id: str) -> None:
        try:
            query = self._spark.streams.get(query_id)
            if query is not None and str(query.runId) == run_id:
                self._kinds[run_id] = str(query._jsq.streamingQuery().getClass().getSimpleName())
        except Exception:  # it has ended, or runs elsewhere (Connect)
            log.debug("the kind of query %s cannot be seen", query_id, exc_info=True)

    def _is_in_checkpoint(self, run_id: str, query_id: str) -> bool:
        """Whether what this run tells is in its checkpoint already. Spark can write its commit log later, in a thread of its own
        (asyncProgressTrackingEnabled). If the kind cannot be seen the query is not tracked: a group may never be ahead."""
        if run_id not in self._kinds:
            self._see_kind(run_id, query_id)
        kind = self._kinds.get(run_id)
        if kind is None:
            self._say_once(
                f"query {query_id} is not tracked: whether its checkpoint is behind what it tells cannot be seen"
            )
        elif "AsyncProgressTracking" in kind:
            self._say_once(
                f"query {query_id} has asyncProgressTrackingEnabled: its checkpoint is behind what it tells; it is not tracked"
            )
        elif kind != _TELLS_LAST:
            self._say_once(f"query {query_id} runs as {kind}, of which nothing is known here; it is not tracked")
        return kind == _TELLS_LAST

    # -- which offsets

    def _offsets(self, reached: Reached) -> Offsets:
        """Nothing if a source cannot be read: a query is not shown by half."""
        found: list[Offsets] = []
        for source in reached.sources:
            if not has_topics(source.description, source.offset):
                continue
            try:
                found.append(offsets_in(source.offset))
            except OffsetShapeError as error:
                query_id = reached.query.query_id
                self._say_once(f"source {source.description} of query {query_id}: {error}: not committed")
                return {}
        offsets = together(found)
        if self._topics is None:
            return offsets
        return {place: at for place, at in offsets.items() if place.topic in self._topics}

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            log.warning("%s", text)

    # -- the end

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _has_heard_all(self) -> bool:
        """Spark tells of progress and of ends through one queue: when the end was told, so was all before it. What a query that
        runs has finished is asked for: its event may still be in the queue. A Spark that is gone tells nothing more."""
        try:
            active = list(self._spark.streams.active)
            running = {str(query.runId) for query in active}
        except Exception:  # py4j has no one family of errors for a JVM that is gone
            log.debug("what runs cannot be seen: Spark is gone", exc_info=True)
            return True
        for query in active:
            self._take_last_if_readable(query)
        with self._changed:
            return running.issuperset(self._runs)

    def _last_words(self) -> None:
        """The process ends; Spark may have ended before, and then everything was told."""
        until = time.monotonic() + _LAST_WORDS_SECONDS
        with self._changed:
            while not self._committer.is_idle and time.monotonic() < until:
                self._changed.wait(_LOOK_EVERY_SECONDS)
        self._committer.stop(max(0.0, until - time.monotonic()))


def _keep_newest(values: dict[str, _Value], query_id: str, value: _Value) -> None:
    """Of the queries that had one last."""
    values.pop(query_id, None)
    values[query_id] = value
    if len(values) > _MOST_QUERIES:
        del values[next(iter(values))]
