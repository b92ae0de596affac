"""A member of a group, of any protocol type: joins, syncs, keeps its heart beating, joins again when it must, leaves.

    membership = Membership(cluster, Terms("workers", "jobs", None, 10_000, 60_000), JobSharing(...))
    membership.start()
    await membership.stable()
    ...
    await membership.leave("done")

Two tasks: one lives through rebalances, one beats. Users of the consumer protocol take `member`, which is made of this. What
to do about each refusal is the table in `reactions`.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final

from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.group_calls import GroupCalls, Joined, MemberIdRequired, Terms
from muster.client.group_protocol import GroupProtocol, Standing
from muster.client.offset_messages import CommittedOffset
from muster.client.partitions import TopicPartition
from muster.client.reactions import Reaction, reaction_to
from muster.client.timing import REAL_TIME, Backoff, Timing
from muster.wire.errors import FENCED_INSTANCE_ID, ILLEGAL_GENERATION, NETWORK_EXCEPTION

logger = logging.getLogger(__name__)

HEARTBEAT_INTERVAL_MS: Final = 3_000
_NOBODY: Final = Standing()


class Phase(Enum):
    OUT = "not in the group"
    JOINING = "waiting for the group"
    STABLE = "has its share"
    ENDED = "has left, or cannot be a member"


class Membership:
    """`standing` says where it is; `failure` why it ended, if it did not leave by itself."""

    def __init__(
        self,
        cluster: Cluster,
        terms: Terms,
        protocol: GroupProtocol,
        *,
        heartbeat_interval_ms: int = HEARTBEAT_INTERVAL_MS,
        timing: Timing = REAL_TIME,
    ) -> None:
        self.terms = terms
        self.standing = _NOBODY
        self.phase = Phase.OUT
        self.failure: Exception | None = None
        self.rebalances = 0
        """How often it has been given a share."""
        self.on_heartbeat: Callable[[float], None] | None = None
        """Told after each heartbeat that was answered well, with the seconds that it took."""
        self._cluster = cluster
        self._calls = GroupCalls(cluster, terms)
        self._protocol = protocol
        self._interval_seconds = heartbeat_interval_ms / 1000
        self._timing = timing
        self._beating = False
        self._calling_back = asyncio.Lock()
        """Held while the protocol gives up or takes: leaving waits for that, rather than break it off half way."""
        self._rejoin = asyncio.Event()
        self._reason = "a new member"
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def __repr__(self) -> str:
        place = f"{self.standing.member_id or 'no id yet'}, generation {self.standing.generation}"
        return f"<member of {self.terms.group_id}: {self.phase.value}; {place}>"

    # -- for the member's owner

    def start(self) -> None:
        """Begin to join; returns at once."""
        assert not self._tasks, "a membership is started once"
        beating = asyncio.create_task(self._beat())
        beating.add_done_callback(self._heart_stopped)
        self._tasks = [asyncio.create_task(self._live()), beating]

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
            await self._change()
        if self.failure is not None:
            raise self.failure

    def rejoin(self, reason: str) -> None:
        """Let the group rebalance. The reason is for those who ask why (KIP-800)."""
        if not self._rejoin.is_set():
            self._reason = reason
            self._rejoin.set()

    async def commit(self, offsets: Mapping[TopicPartition, int | CommittedOffset]) -> None:
        """As the member that it is now. ClientError REBALANCE_IN_PROGRESS: commit again after the rebalance;
        ILLEGAL_GENERATION or UNKNOWN_MEMBER_ID: what was done may be done again by others."""
        standing = self.standing
        if standing.generation < 0:
            asked = f"commit offsets of group {self.terms.group_id}"
            raise ClientError(ILLEGAL_GENERATION, asked, "this member has no place in the group now")
        if not offsets:
            return
        try:
            await self._cluster.persist(lambda: self._calls.commit(standing, offsets))
        except ClientError as failure:
            if standing == self.standing:
                if failure.code == FENCED_INSTANCE_ID:
                    self._end_soon(failure)
                elif reaction_to(failure.code) is not Reaction.END:
                    self._react(failure)  # other refusals are about what was to be committed, not about us
            raise

    async def leave(self, reason: str = "the member was closed", *, stay_static: bool = True) -> None:
        """Give up everything and go. A static member's place is kept for it (KIP-345), unless told otherwise."""
        assert asyncio.current_task() not in self._tasks, "a callback cannot leave: let it return first"
        async with self._calling_back:
            await self._stop_tasks()
        if self.phase is Phase.ENDED:
            self._calls.close()
            return
        try:
            if self.standing.generation >= 0:
                await self._protocol.leaving()
        finally:
            await self._say_goodbye(reason, stay_static)
            self._end(None)

    # -- one life

    async def _live(self) -> None:
        backoff = Backoff()
        try:
            while True:
                try:
                    again = await self._rebalance()
                    backoff.reset()
                except ClientError as failure:
                    again = await self._again(failure, backoff)
                if again is not None:
                    self.rejoin(again)
                await self._rejoin.wait()
        except asyncio.CancelledError:
            raise
        except Exception as failure:
            await self._give_up(failure)

    async def _rebalance(self) -> str | None:
        """Join, sync and take the share; returns a reason to do so again."""
        async with self._calling_back:
            if self.standing.generation < 0:
                await self._protocol.lost()
            else:
                await self._protocol.prepare(self.standing)
        self._set_phase(Phase.JOINING)
        self._rejoin.clear()
        joined = await self._join()
        shares = await self._shares(joined)
        self._beating = False
        try:
            share = await self._calls.sync(joined.standing, shares)
        finally:
            self._beating = True
        async with self._calling_back:
            again = await self._protocol.take(joined.standing, share)
        self.rebalances += 1
        self._set_phase(Phase.STABLE)
        logger.info("%s has its share of group %s, generation %d", *self._place())
        return again

    async def _join(self) -> Joined:
        self._beating = False  # the coordinator knows that whoever waits for a join is alive
        offers = self._protocol.offers()
        while True:
            try:
                joined = await self._calls.join(self.standing.member_id, offers, self._reason)
            except MemberIdRequired as required:
                self.standing = Standing(required.member_id)
                continue
            self.standing = joined.standing
            self._beating = True
            return joined

    async def _shares(self, joined: Joined) -> Mapping[str, bytes]:
        if not joined.standing.is_leader or joined.skip_assignment:
            return {}
        shares = await self._protocol.share_out(joined.standing.protocol, joined.members)
        return {each.member_id: shares.get(each.member_id, b"") for each in joined.members}

    async def _again(self, failure: ClientError, backoff: Backoff) -> str:
        """Joining or syncing failed: a reason to try again, after a pause, or the failure itself."""
        reaction = self._react(failure)
        if reaction is Reaction.END:
            raise failure
        is_first = backoff.failures == 0
        pause = backoff.next_seconds()
        if reaction in (Reaction.WAIT, Reaction.FIND) or not is_first:
            await self._timing.sleep(pause)
        return self._reason

    def _react(self, failure: ClientError) -> Reaction:
        """Do what can be done at once; asking again, or ending, is the caller's."""
        reaction = Reaction.END if self._cluster.closed else reaction_to(failure.code)
        match reaction:
            case Reaction.FIND:
                self._calls.forget_coordinator()
            case Reaction.REJOIN:
                self.rejoin("the group rebalances")
            case Reaction.NEW_GENERATION:
                self._lose(Standing(self.standing.member_id), failure)
            case Reaction.NEW_MEMBER:
                self._lose(_NOBODY, failure)
            case Reaction.WAIT | Reaction.END:
                pass
        return reaction

    def _lose(self, standing: Standing, failure: ClientError) -> None:
        logger.info("%s lost its place in group %s of generation %d", *self._place())
        self.standing = standing
        self._beating = False
        self.rejoin(f"the last place in the group was lost: {failure.name}")

    # -- the heart

    async def _beat(self) -> None:
        backoff = Backoff()
        pause = self._interval_seconds * random.random()  # members that start together shall not beat together
        while True:
            await self._timing.sleep(pause)
            pause = self._interval_seconds
            standing = self.standing
            if not self._beating or standing.generation < 0:
                continue
            began = self._timing.seconds()
            try:
                await self._calls.heartbeat(standing)
                backoff.reset()
                if self.on_heartbeat is not None:
                    self.on_heartbeat(self._timing.seconds() - began)
            except ClientError as failure:
                if standing != self.standing or not self._beating:
                    continue  # it was about a place that we have left, or are leaving, by joining again
                reaction = self._react(failure)
                if reaction is Reaction.END:
                    self._end_soon(failure)
                elif reaction in (Reaction.WAIT, Reaction.FIND):
                    pause = min(pause, backoff.next_seconds())

    def _heart_stopped(self, task: asyncio.Task[None]) -> None:
        """A fault of ours, or of `on_heartbeat`: a member without a heart would wait for ever."""
        failure = None if task.cancelled() else task.exception()
        if isinstance(failure, Exception):
            self._end_soon(failure)

    # -- ends

    def _end_soon(self, failure: Exception) -> None:
        """Something that was not asked by the life itself found that it is over."""
        if self.failure is None:
            self.failure = failure
            self._tasks[0].cancel()
            self._tasks.append(asyncio.create_task(self._give_up(failure)))

    async def _give_up(self, failure: Exception) -> None:
        logger.warning("%s ends as a member of group %s, generation %d: %s", *self._place(), failure)
        self._beating = False
        self.failure = failure
        had_place, self.standing = self.standing, Standing(self.standing.member_id)
        try:
            await self._protocol.lost()
        finally:
            if not isinstance(failure, ClientError) and had_place.member_id:
                # A callback failed, and the group does not know: without us the others can go on at once.
                self.standing = had_place
                await self._say_goodbye(f"the member failed: {type(failure).__name__}", stay_static=False)
            self._end(failure)

    async def _say_goodbye(self, reason: str, stay_static: bool) -> None:
        member_id = self.standing.member_id
        if member_id and not (stay_static and self.terms.instance_id is not None):
            try:
                await self._calls.leave(member_id, reason)
            except ClientError as failure:
                # Without a goodbye the session timeout ends it: not worth more than a line.
                logger.info("%s could not say goodbye to group %s, generation %d: %s", *self._place(), failure)

    def _end(self, failure: Exception | None) -> None:
        self.failure = failure
        self.standing = _NOBODY
        self._calls.close()
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
        self._changed.set()
        self._changed = asyncio.Event()

    async def _change(self) -> None:
        await self._changed.wait()

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            if self.phase is Phase.ENDED:
                raise self.failure or ClientError(
                    NETWORK_EXCEPTION, f"wait for group {self.terms.group_id}", "the member has left", ""
                )
            await self._change()

    def _place(self) -> tuple[str, str, int]:
        return (self.standing.member_id or "a newcomer", self.terms.group_id, self.standing.generation)
