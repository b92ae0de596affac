"""A member of a classic group, of any protocol type: joins, syncs, keeps its heart beating, joins again when it must, leaves.

    membership = Membership(cluster, Terms("workers", "jobs", None, 10_000, 60_000), JobSharing(...))
    membership.start()
    await membership.stable()
    ...
    await membership.leave("done")

Programs that consume topics take `member`, which is made of this. What to do about each refusal is the table in `reactions`.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping
from typing import Final

from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.group_calls import GroupCalls, Joined, MemberIdRequired, Terms
from muster.client.group_protocol import GroupProtocol, Standing
from muster.client.membership_base import NOBODY, MembershipBase, Phase
from muster.client.reactions import Reaction, reaction_to
from muster.client.timing import REAL_TIME, Backoff, Timing
from muster.wire.errors import FENCED_INSTANCE_ID, ILLEGAL_GENERATION

logger = logging.getLogger(__name__)

HEARTBEAT_INTERVAL_MS: Final = 3_000


class Membership(MembershipBase):
    no_place_error = ILLEGAL_GENERATION

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
        self._calls = GroupCalls(cluster, terms)
        super().__init__(cluster, self._calls, timing)
        self._protocol = protocol
        self._interval_seconds = heartbeat_interval_ms / 1000
        self._beating = False
        self._rejoin = asyncio.Event()
        self._reason = "a new member"

    def rejoin(self, reason: str) -> None:
        """Let the group rebalance. The reason is for those who ask why (KIP-800)."""
        if not self._rejoin.is_set():
            self._reason = reason
            self._rejoin.set()

    # -- one life

    async def _live(self) -> None:
        backoff = Backoff()
        while True:
            try:
                again = await self._rebalance()
                backoff.reset()
            except ClientError as failure:
                again = await self._again(failure, backoff)
            if again is not None:
                self.rejoin(again)
            await self._rejoin.wait()

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
                self._lose(NOBODY, failure)
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

    # -- ends

    def _commit_refused(self, failure: ClientError) -> None:
        if failure.code == FENCED_INSTANCE_ID:
            self._end_soon(failure)
        elif reaction_to(failure.code) is not Reaction.END:
            self._react(failure)  # other refusals are about what was to be committed, not about us

    async def _leaving(self) -> None:
        await self._protocol.leaving()

    async def _lost(self) -> None:
        self._beating = False
        await self._protocol.lost()

    async def _say_goodbye(self, reason: str, stay_static: bool) -> None:
        member_id = self.standing.member_id
        if member_id and not (stay_static and self.terms.instance_id is not None):
            try:
                await self._calls.leave(member_id, reason)
            except ClientError as failure:
                # Without a goodbye the session timeout ends it: not worth more than a line.
                logger.info("%s could not say goodbye to group %s, generation %d: %s", *self._place(), failure)
