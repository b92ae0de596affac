"""Streaming queries of Spark that show as groups: what `muster.spark` writes into the metadata of its commits.

    muster.spark/1 query=8c6e... run=51d0... batch=12 ms=345

One line of plain text a partition, so that any tool shows it. Whoever reads it must cope with other texts: the field is the
client's own, and `query_in` says None to what it does not know. `new_run` is the journal event of a run that was not seen before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from muster.core.journal import JournalEvent
from muster.core.offsets.store import OffsetStore
from muster.core.requests import OffsetCommit
from muster.wire.value import Value

_PREFIX: Final = "muster.spark/1 "
_FORM: Final = re.compile(
    _PREFIX + r"query=([0-9a-fA-F-]{1,64}) run=([0-9a-fA-F-]{1,64}) batch=(\d{1,18}) ms=(\d{1,18}|-)", re.ASCII
)
_UNKNOWN: Final = "-"


class TrackedQuery(Value):
    """One finished micro-batch of a query. Run and duration are unknown where a checkpoint is all that is left."""

    __match_args__ = ("query_id", "run_id", "batch_id", "duration_ms")
    __slots__ = __match_args__

    def __init__(self, query_id: str, run_id: str | None, batch_id: int, duration_ms: int | None) -> None:
        self.query_id = query_id
        self.run_id = run_id
        self.batch_id = batch_id
        self.duration_ms = duration_ms

    def metadata(self) -> str:
        """The text for the metadata field of a commit; at most 200 characters."""
        took = _UNKNOWN if self.duration_ms is None else str(self.duration_ms)
        return f"{_PREFIX}query={self.query_id} run={self.run_id or _UNKNOWN} batch={self.batch_id} ms={took}"

    def to_json(self) -> dict[str, object]:
        return {
            "query_id": self.query_id,
            "run_id": self.run_id,
            "batch_id": self.batch_id,
            "duration_ms": self.duration_ms,
        }


def query_in(metadata: str) -> TrackedQuery | None:
    """The inverse of `TrackedQuery.metadata`; None for any other text."""
    found = _FORM.fullmatch(metadata)
    if found is None:
        return None
    query, run, batch, took = found.groups()
    return TrackedQuery(query, None if run == _UNKNOWN else run, int(batch), None if took == _UNKNOWN else int(took))


def newest_query(texts: Iterable[str], query_id: str | None = None) -> TrackedQuery | None:
    """Of the metadata of a group's partitions: the latest micro-batch of the query, None if there is none.

    A query that began anew, with another checkpoint, has another id and counts from 0; partitions that it no longer reads keep the
    commits of the one before. Micro-batches of two queries cannot be compared, and offsets have no time: without `query_id` it is
    the query that most partitions are of.
    """
    newest: dict[str, TrackedQuery] = {}
    partitions: Counter[str] = Counter()
    for query in filter(None, map(query_in, texts)):
        partitions[query.query_id] += 1
        if query.query_id not in newest or query.batch_id > newest[query.query_id].batch_id:
            newest[query.query_id] = query
    if query_id is not None:
        return newest.get(query_id)
    return newest[partitions.most_common(1)[0][0]] if partitions else None


def new_run(offsets: OffsetStore, commit: OffsetCommit, now_ms: int) -> list[JournalEvent]:
    """The event of a commit of a tracked query whose run is another one than that of the commit before. The first row tells."""
    first = next((each for each in commit.topics if len(each)), None)
    if first is None or not first.metadata_of(0).startswith(_PREFIX):
        return []
    query = query_in(first.metadata_of(0))
    if query is None or query.run_id is None:
        return []
    stored = offsets.get(commit.group_id, first.topic, int(first.partition(0)))
    before = query_in(stored.metadata) if stored is not None else None
    if before is not None and before.run_id == query.run_id:
        return []
    detail: dict[str, object] = {"query_id": query.query_id, "run_id": query.run_id, "batch_id": query.batch_id}
    if query.duration_ms is not None:
        detail["duration_ms"] = query.duration_ms
    return [JournalEvent("query_tracked", now_ms, commit.group_id, -1, "new_run", detail=detail)]
