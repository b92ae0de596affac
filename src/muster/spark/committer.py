"""Commits to the coordinator, in a thread of its own: whoever has a commit hands it over and never waits or fails.

The thread has an event loop with one `Cluster`, and a task for each commit that is under way. A commit that fails for a passing
reason is tried again after a pause of its group alone, until a newer one of the group has come; one that is refused is dropped, and
so is one that fails in a way that nobody thought of. All are counted, and logged when the reason is another one than before.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.offset_messages import CommittedOffset
from muster.client.offsets import commit_offsets
from muster.spark.newest import BatchCommit, NewestCommits
from muster.wire.errors import UNKNOWN_MEMBER_ID, UNKNOWN_TOPIC_OR_PARTITION

log = logging.getLogger("muster.spark")

_FIRST_PAUSE_SECONDS: Final = 0.5
_LONGEST_PAUSE_SECONDS: Final = 30.0
_MOST_UNDER_WAY: Final = 16
"""Commits under way at a time, each of another group. A coordinator that does not answer holds up groups of others only if it has
so many groups, and then for no longer than one of their tries."""
_NO_GROUP: Final = ""
_MOST_ERRORS: Final = 1_000
"""Groups whose last error is kept: the newest."""


@dataclass(slots=True)
class Counts:
    """Written by the thread alone."""

    commits: int = 0
    failures: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    """By group, the one that failed last at the end: why its last try failed. Without the groups whose last try went well."""

    @property
    def last_error(self) -> str | None:
        errors = list(self.errors.values())
        return errors[-1] if errors else None

    def fail(self, group: str, error: str) -> None:
        self.failures += 1
        self.errors.pop(group, None)
        self.errors[group] = error
        if len(self.errors) > _MOST_ERRORS:
            del self.errors[next(iter(self.errors))]

    def succeed(self, group: str) -> None:
        self.commits += 1
        self.errors.pop(group, None)


class Committer:
    def __init__(self, open_cluster: Callable[[], Cluster], on_change: Callable[[], None] = lambda: None) -> None:
        self._open_cluster = open_cluster
        self._on_change = on_change
        self.waiting = NewestCommits()
        self.counts = Counts()
        self._under_way: set[asyncio.Task[None]] = set()
        self._pauses: dict[str, float] = {}
        """By group: how long its last pause was, in seconds. Of those whose last try failed and is repeated."""
        self._resting: set[str] = set()
        """Groups whose pause is not over."""
        self._stopping = False
        self._ended = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="muster-spark", daemon=True)

    @property
    def is_idle(self) -> bool:
        """No commit waits and none is under way, or the thread has ended and makes no more."""
        return self._ended or self.waiting.is_empty

    def start(self) -> None:
        self._thread.start()
        self._ready.wait()

    def submit(self, commit: BatchCommit) -> bool:
        """False if it was dropped: too many groups wait."""
        taken = self.waiting.put(commit)
        self._rouse()
        return taken

    def stop(self, timeout_seconds: float) -> None:
        """End the thread. What was not committed by then never will be."""
        self._stopping = True
        self._rouse()
        self._thread.join(timeout_seconds)

    def _rouse(self) -> None:
        loop, wake = self._loop, self._wake
        if loop is None or wake is None or loop.is_closed():
            return
        try:
            loop.call_soon_threadsafe(wake.set)
        except RuntimeError:
            return  # it was closed in this moment

    # -- in the thread

    def _run(self) -> None:
        try:
            asyncio.run(self._work())
        except Exception as failure:
            self.counts.fail(_NO_GROUP, f"tracking ended: {failure!r}")
            log.exception("tracking ended: nothing is committed any more, the queries go on")
        finally:
            self._ended = True
            self._ready.set()
            self._on_change()

    async def _work(self) -> None:
        self._loop, self._wake = asyncio.get_running_loop(), asyncio.Event()
        self._ready.set()
        async with self._open_cluster() as cluster:
            while not self._stopping:
                self._wake.clear()
                self._begin_commits(cluster)
                await self._wake.wait()
            if self._under_way:
                await asyncio.wait(self._under_way)

    def _begin_commits(self, cluster: Cluster) -> None:
        while len(self._under_way) < _MOST_UNDER_WAY and (commit := self.waiting.take(self._resting)) is not None:
            task = asyncio.create_task(self._try(cluster, commit))
            self._under_way.add(task)
            task.add_done_callback(self._end_try)

    def _end_try(self, task: asyncio.Task[None]) -> None:
        assert self._wake is not None
        self._under_way.discard(task)
        self._wake.set()
        self._on_change()

    async def _try(self, cluster: Cluster, commit: BatchCommit) -> None:
        """One try of one commit, and what follows from how it ended."""
        metadata = commit.query.metadata()
        offsets = {place: CommittedOffset(at, metadata=metadata) for place, at in commit.offsets.items()}
        try:
            await commit_offsets(cluster, commit.group, offsets)
        except ClientError as failure:
            # A topic that is not there is another cluster's, or was deleted: trying again does not bring it.
            is_passing = failure.is_retriable and failure.code != UNKNOWN_TOPIC_OR_PARTITION
            self._fail(commit, _words(commit, failure), is_passing=is_passing)
        except Exception as failure:
            log.debug("the commit of group %s failed", commit.group, exc_info=True)
            self._fail(commit, f"commit offsets of group {commit.group}: {failure!r}", is_passing=False)
        else:
            self.counts.succeed(commit.group)
            self._pauses.pop(commit.group, None)
            self.waiting.finish(commit)

    def _fail(self, commit: BatchCommit, text: str, *, is_passing: bool) -> None:
        if text != self.counts.errors.get(commit.group):
            log.warning("%s; %s", text.rstrip("."), "trying again" if is_passing else "given up for this micro-batch")
        self.counts.fail(commit.group, text)
        if is_passing:
            self._rest(commit.group)
            self.waiting.put_back(commit)
        else:
            self._pauses.pop(commit.group, None)
            self.waiting.finish(commit)

    def _rest(self, group: str) -> None:
        """A newer commit of the group does not shorten its pause: its coordinator is in trouble."""
        pause = min(2 * self._pauses.get(group, _FIRST_PAUSE_SECONDS / 2), _LONGEST_PAUSE_SECONDS)
        self._pauses[group] = pause
        self._resting.add(group)
        asyncio.get_running_loop().call_later(pause, self._end_rest, group)

    def _end_rest(self, group: str) -> None:
        assert self._wake is not None
        self._resting.discard(group)
        self._wake.set()


def _words(commit: BatchCommit, failure: ClientError) -> str:
    if failure.code == UNKNOWN_MEMBER_ID:
        return (
            f"commit offsets of group {commit.group}: the group has members, and a tracked query needs a group of its own:"
            " choose another name"
        )
    return str(failure)
