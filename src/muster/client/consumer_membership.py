"""A member of a consumer group by KIP-848: the coordinator assigns, heartbeats carry everything, nobody waits for the others.

    membership = ConsumerMembership(cluster, terms, Callbacks(on_assigned=begin, on_revoked=commit_and_end))
    membership.start()
    await membership.stable()

Does what `consumer_state` decides: one task sends its heartbeats, one does its steps and calls the program back. `member` is
made of this. What to do about each refusal is the table in `reactions`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, Final, assert_never

from muster.client.callbacks import Callbacks
from muster.client.cluster import Cluster
from muster.client.consumer_calls import ConsumerCalls, ConsumerTerms, assignment_in
from muster.client.consumer_state import (
    JOIN_EPOCH,
    LEAVE_EPOCH,
    STATIC_LEAVE_EPOCH,
    Assign,
    ConsumerState,
    Heartbeat,
    Lose,
    Resolve,
    Revoke,
    Stage,
)
from muster.client.failure import ClientError
from muster.client.group_protocol import Standing
from muster.client.membership_base import MembershipBase, Phase
from muster.client.offset_messages import CommittedOffset
from muster.client.partitions import TopicPartition
from muster.client.reactions import Reaction, consumer_reaction_to
from muster.client.timing import REAL_TIME, Backoff, Timing
from muster.wire.errors import (
    FENCED_INSTANCE_ID,
    STALE_MEMBER_EPOCH,
    UNRELEASED_INSTANCE_ID,
    UNSUPPORTED_VERSION,
)

logger = logging.getLogger(__name__)

_NOTHING: Final[frozenset[TopicPartition]] = frozenset()


class ConsumerMembership(MembershipBase):
    no_place_error = STALE_MEMBER_EPOCH

    def __init__(
        self, cluster: Cluster, terms: ConsumerTerms, callbacks: Callbacks, *, timing: Timing = REAL_TIME
    ) -> None:
        self.terms = terms
        self._calls = ConsumerCalls(cluster, terms)
        super().__init__(cluster, self._calls, timing)
        self.standing = Standing(terms.member_id)
        self.owned = _NOTHING
        self._callbacks = callbacks
        self._state = ConsumerState(terms.rebalance_timeout_ms)
        self._backoff = Backoff()
        self._join_unanswered = False
        """A join was sent and no answer came: if the instance id is taken, it may be by ourselves."""
        self._heard = 0
        """Heartbeats that were answered well."""
        self._beat_soon = asyncio.Event()
        self._step_soon = asyncio.Event()

    def rejoin(self, reason: str) -> None:
        """ClientError: here the coordinator alone decides when to rebalance."""
        detail = "members of the consumer protocol cannot ask for a rebalance"
        raise ClientError(UNSUPPORTED_VERSION, f"rejoin group {self.group_id}", detail, "")

    async def commit(self, offsets: Mapping[TopicPartition, int | CommittedOffset]) -> None:
        """A commit that the group's next epoch overtook is sent again with that epoch."""
        while True:
            used = self.standing
            try:
                await super().commit(offsets)
                return
            except ClientError as failure:
                if failure.code != STALE_MEMBER_EPOCH or not await self._has_newer_epoch(used):
                    raise

    async def _has_newer_epoch(self, used: Standing) -> bool:
        """The coordinator knows a newer epoch of this member: the next heartbeat brings it, or the news that all is lost."""
        self._hurry()
        try:
            async with asyncio.timeout(self._cluster.patience_seconds):
                while self.standing == used and not any(task.done() for task in self._tasks):
                    heard = self._heard
                    await self.changed().wait()
                    if heard != self._heard and self.standing == used:
                        return False  # it has answered, and there is none
        except TimeoutError:
            return False
        return self.standing != used and self.standing.generation >= 0

    # -- heartbeats

    async def _beat(self) -> None:
        state = self._state
        while True:
            await self._pause(self._beat_soon, self._seconds_until(state.next_moment_ms()))
            if state.has_stalled(self._now_ms()):
                await self._leave_stalled()
            elif state.is_due(self._now_ms()):
                await self._send(state.heartbeat())

    async def _send(self, said: Heartbeat) -> None:
        began = self._timing.seconds()
        try:
            reply = await self._calls.heartbeat(said)
        except ClientError as failure:
            await self._refused(said, failure)
            return
        self._backoff.reset()
        self._join_unanswered = False
        self._state.accepted(self._now_ms(), reply.member_epoch, reply.heartbeat_interval_ms, assignment_in(reply))
        self._heard += 1
        if self.on_heartbeat is not None and said.epoch != JOIN_EPOCH:
            self.on_heartbeat(self._timing.seconds() - began)
        self._look()

    async def _refused(self, said: Heartbeat, failure: ClientError) -> None:
        is_join = said.epoch == JOIN_EPOCH
        match Reaction.END if self._cluster.closed else consumer_reaction_to(failure.code):
            case Reaction.NEW_MEMBER if not is_join:
                logger.info("%s lost its place in group %s of epoch %d: %s", *self._place(), failure)
                self._state.lost()
            case Reaction.END:
                if not (is_join and await self._has_released(failure)):
                    self._state.lost()
                    self._end_soon(failure)
            case reaction:
                if reaction is Reaction.FIND:
                    self._calls.forget_coordinator()
                self._join_unanswered |= is_join
                self._state.failed(self._now_ms(), self._backoff.next_seconds() * 1000)
        self._look()

    async def _has_released(self, failure: ClientError) -> bool:
        """The instance id is taken by a join of ours whose answer was lost: give it back, and join again."""
        if failure.code != UNRELEASED_INSTANCE_ID or not self._join_unanswered:
            return False
        self._join_unanswered = False
        try:
            await self._calls.leave(STATIC_LEAVE_EPOCH)
        except ClientError:
            return False  # it is somebody else's
        self._state.failed(self._now_ms(), 0)
        return True

    async def _leave_stalled(self) -> None:
        """Let the others have what the program does not work on; it is told when it comes back, and joins again."""
        epoch = self._leave_epoch(stay_static=True)
        limit = self.terms.rebalance_timeout_ms
        logger.warning("%s leaves group %s, epoch %d: a callback has taken longer than %d ms", *self._place(), limit)
        self._state.lost()
        self._look()
        await self._try_to_leave(epoch)

    def _hurry(self) -> None:
        self._state.hurry()
        self._beat_soon.set()

    # -- steps

    async def _live(self) -> None:
        backoff = Backoff()
        while True:
            step = self._state.next_step()
            match step:
                case None:
                    await self._pause(self._step_soon, None)
                case Resolve():
                    await self._resolve(step, backoff)
                case _:
                    async with self._calling_back:
                        await self._do(step)
            self._look()

    async def _resolve(self, step: Resolve, backoff: Backoff) -> None:
        if step.is_repeated:
            await self._pause(self._step_soon, backoff.next_seconds())
            if self._state.next_step() != step:
                return
        try:
            names = await self._calls.topic_names(step.topic_ids)
        except ClientError as failure:
            if self._cluster.closed or not failure.is_retriable:
                raise
            names = {}
        if names:
            backoff.reset()
        self._state.resolved(step.topic_ids, names)

    async def _do(self, step: Revoke | Assign | Lose) -> None:
        state = self._state
        state.begin(step, self._now_ms())
        self._look()
        self._beat_soon.set()  # it watches how long the callback takes
        places = state.named(step.partitions)
        match step:
            case Revoke():
                await self._callbacks.revoked(places)
            case Assign():
                await self._callbacks.assigned(places)
                self.rebalances += 1
            case Lose():
                await self._tell_loss(places)
            case _:
                assert_never(step)
        state.done(step)
        self._beat_soon.set()

    async def _tell_loss(self, places: frozenset[TopicPartition]) -> None:
        self.owned = _NOTHING
        if places:
            await self._callbacks.lost(places)

    def _look(self) -> None:
        """Take over what the state machine says, and wake whoever has to act on it."""
        state = self._state
        if self.phase is Phase.ENDED or self.failure is not None:
            return
        is_member = state.stage is Stage.MEMBER
        self.standing = Standing(self.terms.member_id, state.epoch if is_member else -1)
        if state.stage is not Stage.LOST:
            self.owned = state.named(state.owned)
        if state.next_step() is not None:
            self._step_soon.set()
        self._set_phase(Phase.STABLE if state.is_settled else Phase.RECONCILING if is_member else Phase.JOINING)

    # -- ends

    def _commit_refused(self, failure: ClientError) -> None:
        if failure.code == FENCED_INSTANCE_ID:
            self._end_soon(failure)
        elif consumer_reaction_to(failure.code) is Reaction.NEW_MEMBER:
            self._hurry()  # the heartbeat will be told so too, and everything is lost then

    async def _leaving(self) -> None:
        if self.owned:
            await self._callbacks.revoked(self.owned)
            self.owned = _NOTHING

    async def _lost(self) -> None:
        self._state.lost()
        gone, self.owned = self.owned, _NOTHING
        if gone:
            await self._callbacks.lost(gone)

    async def _say_goodbye(self, reason: str, stay_static: bool) -> None:
        """The protocol has no place for the reason."""
        if self._state.join_sent:
            await self._try_to_leave(self._leave_epoch(stay_static))

    def _leave_epoch(self, stay_static: bool) -> int:
        return STATIC_LEAVE_EPOCH if stay_static and self.terms.instance_id is not None else LEAVE_EPOCH

    async def _try_to_leave(self, epoch: int) -> None:
        try:
            await self._calls.leave(epoch)
        except ClientError as failure:
            # Without a goodbye the session timeout ends it: not worth more than a line.
            logger.info("%s could not say goodbye to group %s, epoch %d: %s", *self._place(), failure)

    # -- time

    def _now_ms(self) -> float:
        return self._timing.seconds() * 1000

    def _seconds_until(self, moment_ms: float | None) -> float | None:
        return None if moment_ms is None else (moment_ms - self._now_ms()) / 1000

    async def _pause(self, woken: asyncio.Event, seconds: float | None) -> None:
        """Until it is woken, or so many seconds have passed if these are said."""
        if not woken.is_set() and (seconds is None or seconds > 0):
            waits: list[asyncio.Future[Any]] = [asyncio.ensure_future(woken.wait())]
            if seconds is not None:
                waits.append(asyncio.ensure_future(self._timing.sleep(seconds)))
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in waits:
                    each.cancel()
        woken.clear()
