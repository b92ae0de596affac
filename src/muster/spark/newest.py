"""The queue between Spark's listener and the thread that commits: the newest commit of each group, and never more of it.

`put` never waits. What was not committed yet when something newer comes is dropped and counted: the newer one says it all.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
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
    """At most one commit a group waits and at most one is under way. Groups in the order of their turn."""

    def __init__(self, most: int = MOST_GROUPS) -> None:
        self._most = most
        self._waiting: dict[str, BatchCommit] = {}
        self._under_way: set[str] = set()
        self._lock = threading.Lock()
        self.superseded = 0

    @property
    def is_empty(self) -> bool:
        """Nothing waits and nothing is under way."""
        with self._lock:
            return not self._waiting and not self._under_way

    def put(self, commit: BatchCommit) -> bool:
        """False if there is no room for another group."""
        with self._lock:
            if commit.group in self._waiting:
                self.superseded += 1
            elif len(self._waiting) >= self._most:
                return False
            self._waiting[commit.group] = commit
            return True

    def take(self, resting: Collection[str] = ()) -> BatchCommit | None:
        """The next one, which is under way from now on. `resting`: groups that are not to be tried yet."""
        with self._lock:
            group = next((each for each in self._waiting if each not in self._under_way and each not in resting), None)
            if group is None:
                return None
            self._under_way.add(group)
            return self._waiting.pop(group)

    def finish(self, commit: BatchCommit) -> None:
        """It was made, or is given up."""
        with self._lock:
            self._under_way.discard(commit.group)

    def put_back(self, commit: BatchCommit) -> None:
        """It failed and is tried again, unless something newer has come."""
        with self._lock:
            self._under_way.discard(commit.group)
            if commit.group in self._waiting:
                self.superseded += 1
            else:
                self._waiting[commit.group] = commit
