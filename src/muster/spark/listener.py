"""What Spark calls when a query starts, has finished a micro-batch, has nothing to read, and ends.

The only file here that imports pyspark. Spark calls it from a thread of its own, except for the start, which waits for it: every
method only takes a note, and looks once at what kind of query it is. An exception would end up in Spark's log and nowhere else, so
each is caught and logged here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql.streaming import StreamingQueryListener

from muster.spark.committer import log


class _Listener(StreamingQueryListener):  # type: ignore[misc]
    def __init__(self, tracking: Any) -> None:
        self._tracking = tracking

    def onQueryStarted(self, event: Any) -> None:
        _guarded(lambda: self._tracking.on_started(str(event.runId), str(event.id)))

    def onQueryProgress(self, event: Any) -> None:
        _guarded(lambda: self._tracking.on_progress(event.progress))

    def onQueryIdle(self, event: Any) -> None:
        _guarded(lambda: self._tracking.on_idle(str(event.runId), str(event.id)))

    def onQueryTerminated(self, event: Any) -> None:
        _guarded(lambda: self._tracking.on_terminated(str(event.runId)))


def listener_of(tracking: Any) -> StreamingQueryListener:
    return _Listener(tracking)


def _guarded(note: Callable[[], None]) -> None:
    try:
        note()
    except Exception:
        log.exception("a micro-batch could not be tracked; the query goes on")
