"""Commits to the coordinator, in a thread of its own: whoever has a commit hands it over and never waits or fails.

The thread has an event loop with one `Cluster`. A commit that fails for a passing reason is tried again until a newer one of
its group has come; one that is refused is dropped. Both are counted, and logged when the reason is another one than before.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(slots=True)
class Counts:
    """Written by the thread alone."""

    commits: int = 0
    failures: int = 0
    last_error: str | None = None


class Committer:
    def __init__(self, open_cluster: Callable[[], Cluster], on_change: Callable[[], None] = lambda: None) -> None:
        self._open_cluster = open_cluster
        self._on_change = on_change
        self.waiting = NewestCommits()
        self.counts = Counts()
        self._busy = False
        self._stopping = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="muster-spark", daemon=True)

    @property
    def is_idle(self) -> bool:
        """Nothing waits and nothing is under way."""
        return not self._busy and not len(self.waiting)

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
        except Exception:
            self._ready.set()
            log.exception("tracking ended: nothing is committed any more, the queries go on")

    async def _work(self) -> None:
        self._loop, self._wake = asyncio.get_running_loop(), asyncio.Event()
        self._ready.set()
        async with self._open_cluster() as cluster:
            pause = _FIRST_PAUSE_SECONDS
            while not self._stopping:
                self._wake.clear()
                self._busy = True
                commit = self.waiting.take()
                passing = commit is not None and not await self._commit(cluster, commit)
                self._busy = False
                self._on_change()
                if passing:
                    await self._rest(pause)
                    pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
                elif commit is not None:
                    pause = _FIRST_PAUSE_SECONDS
                elif not self._stopping:
                    await self._wake.wait()

    async def _rest(self, seconds: float) -> None:
        """A newer commit does not shorten it: the coordinator is in trouble. The end does."""
        assert self._wake is not None
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while not self._stopping and (left := until - loop.time()) > 0:
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), left)
            except TimeoutError:
                return

    async def _commit(self, cluster: Cluster, commit: BatchCommit) -> bool:
        """False if it is worth another try, and has been put back for it."""
        metadata = commit.query.metadata()
        offsets = {place: CommittedOffset(at, metadata=metadata) for place, at in commit.offsets.items()}
        try:
            await commit_offsets(cluster, commit.group, offsets)
        except ClientError as failure:
            return self._failed(commit, failure)
        self.counts.commits += 1
        self.counts.last_error = None
        return True

    def _failed(self, commit: BatchCommit, failure: ClientError) -> bool:
        # A topic that is not there is another cluster's, or was deleted: trying again does not bring it.
        is_passing = failure.is_retriable and failure.code != UNKNOWN_TOPIC_OR_PARTITION
        text = _words(commit, failure)
        if text != self.counts.last_error:
            log.warning("%s; %s", text.rstrip("."), "trying again" if is_passing else "given up for this micro-batch")
        self.counts.failures += 1
        self.counts.last_error = text
        if is_passing:
            self.waiting.put_back(commit)
        return not is_passing


def _words(commit: BatchCommit, failure: ClientError) -> str:
    if failure.code == UNKNOWN_MEMBER_ID:
        return (
            f"commit offsets of group {commit.group}: the group has members, and a tracked query needs a group of its own:"
            " choose another name"
        )
    return str(failure)
