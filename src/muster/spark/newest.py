"""The queue between Spark's listener and the thread that commits: the newest commit of each group, and never more of it.

`put` never waits. What was not committed yet when something newer comes is dropped and counted: the newer one says it all.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Final

from muster.core.offsets.tracked_query import TrackedQuery
from muster.spark.offsets import Offsets

MOST_GROUPS: Final = 1_000


@dataclass(frozen=True, slots=True)
class BatchCommit:
    """What a finished micro-batch has reached."""

    group: str
    query: TrackedQuery
    offsets: Offsets


class NewestCommits:
    """At most one commit a group, groups in the order of their turn."""

    def __init__(self, most: int = MOST_GROUPS) -> None:
        self._most = most
        self._waiting: dict[str, BatchCommit] = {}
        self._lock = threading.Lock()
        self.superseded = 0

    def put(self, commit: BatchCommit) -> bool:
        """False if there is no room for another group."""
        with self._lock:
            if commit.group in self._waiting:
                self.superseded += 1
            elif len(self._waiting) >= self._most:
                return False
            self._waiting[commit.group] = commit
            return True

    def put_back(self, commit: BatchCommit) -> None:
        """One that failed and is tried again, unless something newer has come."""
        with self._lock:
            if commit.group in self._waiting:
                self.superseded += 1
            else:
                self._waiting[commit.group] = commit

    def take(self) -> BatchCommit | None:
        with self._lock:
            first = next(iter(self._waiting), None)
            return None if first is None else self._waiting.pop(first)

    def __len__(self) -> int:
        return len(self._waiting)
