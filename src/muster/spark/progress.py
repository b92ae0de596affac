"""What Spark tells of a query's micro-batches, as plain values: which one has finished last, and where its sources stood after it.

Spark tells of a finished micro-batch by an event, and keeps what it told last in the query's `lastProgress`. A query that has
nothing to read shows there, without an event, that it waits for the next micro-batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from muster.core.offsets.tracked_query import TrackedQuery

_FINISHED: Final = "commitOffsets"
"""Spark's measure of how long the commit log took: only a micro-batch that is in it has one."""


@dataclass(frozen=True, slots=True)
class Source:
    description: str
    offset: str | None


@dataclass(frozen=True, slots=True)
class Reached:
    """The last finished micro-batch of a run, and the offset of each source after it."""

    query: TrackedQuery
    run_id: str
    name: str | None
    sources: tuple[Source, ...]


def finished(progress: Any) -> Reached:
    """`progress`: of an event, so of a micro-batch that Spark's commit log has."""
    query = TrackedQuery(str(progress.id), str(progress.runId), int(progress.batchId), _duration_ms(progress))
    return _reached(progress, query, [Source(str(each.description), each.endOffset) for each in progress.sources])


def last_finished(progress: Any) -> Reached | None:
    """`progress`: a query's `lastProgress`. None if no micro-batch has finished, as far as it shows."""
    if progress is None:
        return None
    if _FINISHED in (progress.durationMs or {}):
        return finished(progress)
    before = int(progress.batchId) - 1  # it waits for that number, from where the one before ended
    if before < 0:
        return None
    query = TrackedQuery(str(progress.id), str(progress.runId), before, None)
    return _reached(progress, query, [Source(str(each.description), each.startOffset) for each in progress.sources])


def _reached(progress: Any, query: TrackedQuery, sources: list[Source]) -> Reached:
    return Reached(query, str(progress.runId), progress.name or None, tuple(sources))


def _duration_ms(progress: Any) -> int | None:
    took = progress.batchDuration
    return int(took) if took is not None and took >= 0 else None
