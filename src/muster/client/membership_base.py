"""What members of both group protocols have in common: two tasks, a place in the group, commits, waiting for changes, an end.

One task lives through rebalances and calls the program back, one sends heartbeats. What they do is the protocol's:
`membership` has the classic one, `consumer_membership` the one of KIP-848.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final

from muster.client.cluster import Cluster
from muster.client.coordinator_calls import CoordinatorCalls
from muster.client.failure import ClientError
from muster.client.group_protocol import Standing
from muster.client.offset_messages import CommittedOffset
from muster.client.partitions import TopicPartition
from muster.client.timing import Timing
from muster.wire.errors import NETWORK_EXCEPTION

logger = logging.getLogger(__name__)

NOBODY: Final = Standing()


class Phase(Enum):
    OUT = "not in the group"
    JOINING = "waiting for the group"
    RECONCILING = "changes its share"
    """Only in the consumer protocol: the others do not wait for it."""
    STABLE = "has its share"
    ENDED = "has left, or cannot be a member"


class MembershipBase(ABC):
    """`standing` says where it is; `failure` why it ended, if it did not leave by itself."""

    no_place_error: int
    """What a commit is refused with when this member has no place in the group."""

    def __init__(self, cluster: Cluster, calls: CoordinatorCalls, timing: Timing) -> None:
        self.group_id = calls.group_id
        self.standing = NOBODY
        self.phase = Phase.OUT
        self.failure: Exception | None = None
        self.rebalances = 0
        """How often it has been given a share."""
        self.on_heartbeat: Callable[[float], None] | None = None
        """Told after each heartbeat that was answered well, with the seconds that it took."""
        self._cluster = cluster
        self._coordinator = calls
        self._timing = timing
        self._calling_back = asyncio.Lock()
        """Held while the program is called back: leaving waits for that, rather than break it off half way."""
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def __repr__(self) -> str:
        place = f"{self.standing.member_id or 'no id yet'}, generation {self.standing.generation}"
        return f"<member of {self.group_id}: {self.phase.value}; {place}>"

    # -- for the member's owner

    def start(self) -> None:
        """Begin to join; returns at once."""
        assert not self._tasks, "a membership is started once"
        beating = asyncio.create_task(self._beat())
        beating.add_done_callback(self._heart_stopped)
        self._tasks = [asyncio.create_task(self._live_or_give_up()), beating]

    async def stable(self, rebalances: int = 1, *, generation: int = 0) -> None:
        """Come back when it has its share, for the so-many-th time and of at least that generation, if these are said.

        Raises why it never will.
        """
        await self._until(
            lambda: (
                self.phase is Phase.STABLE and self.rebalances >= rebalances and self.standing.generation >= generation
            )
        )

    async def ended(self) -> None:
        """Come back when it is a member no more; raises why, unless it left."""
        while self.phase is not Phase.ENDED:
            await self.changed().wait()
        if self.failure is not None:
            raise self.failure

    def changed(self) -> asyncio.Event:
        """Set with the next change of phase, place or share. Ask anew after each."""
        return self._changed

    @abstractmethod
    def rejoin(self, reason: str) -> None:
        """Let the group rebalance."""

    async def commit(self, offsets: Mapping[TopicPartition, int | CommittedOffset]) -> None:
        """As the member that it is now. ClientError REBALANCE_IN_PROGRESS: commit again after the rebalance;
        ILLEGAL_GENERATION, STALE_MEMBER_EPOCH or UNKNOWN_MEMBER_ID: what was done may be done again by others."""
        standing = self.standing
        if standing.generation < 0:
            asked = f"commit offsets of group {self.group_id}"
            raise ClientError(self.no_place_error, asked, "this member has no place in the group now")
        if not offsets:
            return
        try:
            await self._cluster.persist(lambda: self._coordinator.commit(standing, offsets))
        except ClientError as failure:
            if standing == self.standing:
                self._commit_refused(failure)
            raise

    async def leave(self, reason: str = "the member was closed", *, stay_static: bool = True) -> None:
        """Give up everything and go. A static member's place is kept for it (KIP-345), unless told otherwise."""
        assert asyncio.current_task() not in self._tasks, "a callback cannot leave: let it return first"
        async with self._calling_back:
            await self._stop_tasks()
        if self.phase is Phase.ENDED:
            self._coordinator.close()
            return
        try:
            if self.standing.generation >= 0:
                await self._leaving()
            else:
                await self._lost()
        finally:
            await self._say_goodbye(reason, stay_static)
            self._end(None)

    # -- what each protocol does in its own way

    @abstractmethod
    async def _live(self) -> None:
        """Until cancelled: take part in rebalances and call the program back. What it raises ends the membership."""

    @abstractmethod
    async def _beat(self) -> None:
        """Until cancelled: send heartbeats."""

    @abstractmethod
    def _commit_refused(self, failure: ClientError) -> None:
        """A commit with the place that we have now was refused: what follows from that for the membership."""

    @abstractmethod
    async def _leaving(self) -> None:
        """Give up everything in good order: this member is about to leave."""

    @abstractmethod
    async def _lost(self) -> None:
        """The place in the group is gone, with everything held."""

    @abstractmethod
    async def _say_goodbye(self, reason: str, stay_static: bool) -> None:
        """Tell the coordinator, if it may know this member. Never fails: without a goodbye the session timeout ends it."""

    # -- ends

    async def _live_or_give_up(self) -> None:
        try:
            await self._live()
        except asyncio.CancelledError:
            raise
        except Exception as failure:
            await self._give_up(failure)

    def _heart_stopped(self, task: asyncio.Task[None]) -> None:
        """A fault of ours, or of `on_heartbeat`: a member without a heart would wait for ever."""
        failure = None if task.cancelled() else task.exception()
        if isinstance(failure, Exception):
            self._end_soon(failure)

    def _end_soon(self, failure: Exception) -> None:
        """Something that was not asked by the life itself found that it is over."""
        if self.failure is None:
            self.failure = failure
            self._tasks[0].cancel()
            self._tasks.append(asyncio.create_task(self._give_up(failure)))

    async def _give_up(self, failure: Exception) -> None:
        logger.warning("%s ends as a member of group %s, generation %d: %s", *self._place(), failure)
        self.failure = failure
        had_place, self.standing = self.standing, Standing(self.standing.member_id)
        try:
            await self._lost()
        finally:
            if not isinstance(failure, ClientError) and had_place.member_id:
                # A callback failed, and the group does not know: without us the others can go on at once.
                self.standing = had_place
                await self._say_goodbye(f"the member failed: {type(failure).__name__}", stay_static=False)
            self._end(failure)

    def _end(self, failure: Exception | None) -> None:
        self.failure = failure
        self.standing = NOBODY
        self._coordinator.close()
        self._set_phase(Phase.ENDED)
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()

    async def _stop_tasks(self) -> None:
        for task in self._tasks:
            if not task.done():
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- waiting for changes

    def _set_phase(self, phase: Phase) -> None:
        self.phase = phase
        self._notify()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            if self.phase is Phase.ENDED:
                raise self.failure or ClientError(
                    NETWORK_EXCEPTION, f"wait for group {self.group_id}", "the member has left", ""
                )
            await self.changed().wait()

    def _place(self) -> tuple[str, str, int]:
        return (self.standing.member_id or "a newcomer", self.group_id, self.standing.generation)
