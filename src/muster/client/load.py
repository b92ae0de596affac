"""Many real members at once, to see how a coordinator bears them: joined, heart-beating, committing, coming and going.

Makes a topic and groups of its own, and takes them away again. Measures on the client's side; `busy` says how much of one core
the measuring itself took, since a generator that is busy all the time measures itself. Called by `muster bench groups`.
"""

from __future__ import annotations

import asyncio
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from muster.client.admin import TopicPartition, create_topic, delete_groups, delete_topics
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.member import CLASSIC, CONSUMER, Member
from muster.core.assignors.choice import assignor_named


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    members: int
    groups: int
    seconds: float
    name: str
    """What the topic and the groups are called, with a number behind."""
    assignor: str
    """By Kafka's name: one of the members' in the classic protocol, one of the broker's in the consumer protocol."""
    protocol: str = CLASSIC
    heartbeat_interval_ms: int = 3_000
    """In the classic protocol; in the other the broker says it, and the session timeout too."""
    commit_interval_ms: int = 5_000
    churn_seconds: float = 0.0
    """Every so often one member leaves and another joins; 0: never."""
    session_timeout_ms: int = 45_000


@dataclass(slots=True)
class Latencies:
    """Seconds that answers took."""

    values: array[float] = field(default_factory=lambda: array("d"))

    def add(self, seconds: float) -> None:
        self.values.append(seconds)

    def __len__(self) -> int:
        return len(self.values)

    def percentile_ms(self, percent: float) -> float | None:
        """The smallest latency that so many percent did not exceed; None if there is none."""
        if not self.values:
            return None
        ordered = sorted(self.values)
        return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] * 1000


@dataclass(slots=True)
class Seen:
    """What was measured. The phases: all join, then `seconds` of ordinary life."""

    join_seconds: float = 0.0
    """From the first join until every member had its share of its group's last generation."""
    joining_rebalances: int = 0
    """Shares that members took meanwhile; the number of members is the least there can be."""
    seconds: float = 0.0
    heartbeats: Latencies = field(default_factory=Latencies)
    commits: Latencies = field(default_factory=Latencies)
    failed_commits: dict[str, int] = field(default_factory=dict)
    rebalances: int = 0
    """Shares that members took again during ordinary life."""
    churns: Latencies = field(default_factory=Latencies)
    """From a newcomer's start until it had its share."""
    busy: float = 0.0
    """Part of one core that this program used during ordinary life."""
    ended: dict[str, int] = field(default_factory=dict)
    """Members that could not go on, by the error's name."""


Progress = Callable[[str], None]


class GroupLoad:
    def __init__(self, cluster: Cluster, plan: Plan, progress: Progress = lambda text: None) -> None:
        self._cluster = cluster
        self._plan = plan
        self._progress = progress
        self._seen = Seen()
        self._members: list[Member] = []
        self._number = 0
        self._measuring = False

    async def run(self) -> Seen:
        plan = self._plan
        per_group = -(-plan.members // plan.groups)
        await create_topic(self._cluster, plan.name, per_group)
        try:
            await self._join_all()
            await self._live()
        finally:
            self._progress("leaving")
            await asyncio.gather(
                *(each.stop("the benchmark is over") for each in self._members), return_exceptions=True
            )
            await self._clean_up()
        return self._seen

    # -- all join

    async def _join_all(self) -> None:
        began = time.monotonic()
        self._members = [self._new_member(number % self._plan.groups) for number in range(self._plan.members)]
        for each in self._members:
            each.start()
        while True:
            joined = sum(each.generation >= 0 and bool(each.membership.rebalances) for each in self._members)
            self._progress(f"{joined} of {self._plan.members} members have joined")
            for each in self._members:
                if each.membership.failure is not None:
                    raise each.membership.failure
            if joined == self._plan.members and self._is_settled():
                break
            await asyncio.sleep(0.1)
        self._seen.join_seconds = time.monotonic() - began
        self._seen.joining_rebalances = sum(each.membership.rebalances for each in self._members)

    def _is_settled(self) -> bool:
        """Each group is in one generation, and each member has a share: there are as many partitions as members."""
        generations = {(each.group_id, each.generation) for each in self._members}
        if self._plan.protocol == CONSUMER and not all(each.assignment for each in self._members):
            return False  # others have yet to give up what is its own
        return len(generations) == min(self._plan.groups, self._plan.members)

    def _new_member(self, group: int) -> Member:
        plan = self._plan
        self._number += 1
        member = Member(
            self._cluster,
            f"{plan.name}-{group}",
            [plan.name],
            **_options(plan),
        )
        member.membership.on_heartbeat = self._heard_heartbeat
        return member

    def _heard_heartbeat(self, seconds: float) -> None:
        if self._measuring:
            self._seen.heartbeats.add(seconds)

    # -- ordinary life

    async def _live(self) -> None:
        before = sum(each.membership.rebalances for each in self._members)
        began, cpu = time.monotonic(), time.process_time()
        self._measuring = True
        work = [asyncio.create_task(self._commit_forever(each, index)) for index, each in enumerate(self._members)]
        over = asyncio.Event()
        churning = asyncio.create_task(self._churn_until(over))
        while (passed := time.monotonic() - began) < self._plan.seconds:
            beats, commits = len(self._seen.heartbeats), len(self._seen.commits)
            self._progress(f"{passed:.0f} of {self._plan.seconds:g} s: {beats} heartbeats, {commits} commits")
            await asyncio.sleep(min(1.0, self._plan.seconds - passed))
        self._measuring = False
        self._seen.seconds = time.monotonic() - began
        self._seen.busy = (time.process_time() - cpu) / self._seen.seconds
        for task in work:
            task.cancel()
        over.set()
        # Whoever is coming has its place first: an id that is handed out to somebody who has gone keeps a group until it expires.
        await asyncio.wait([churning], timeout=self._plan.session_timeout_ms / 1000)
        churning.cancel()
        await asyncio.gather(*work, churning, return_exceptions=True)
        self._seen.rebalances = sum(each.membership.rebalances for each in self._members) - before
        for each in self._members:
            if each.membership.failure is not None:
                name = getattr(each.membership.failure, "name", type(each.membership.failure).__name__)
                self._seen.ended[name] = self._seen.ended.get(name, 0) + 1

    async def _commit_forever(self, member: Member, index: int) -> None:
        """Each member at its own moment, so that they do not all come at once."""
        interval = self._plan.commit_interval_ms / 1000
        await asyncio.sleep(interval * index / len(self._members))
        offset = 0
        while True:
            offset += 1
            await self._commit(member, offset)
            await asyncio.sleep(interval)

    async def _commit(self, member: Member, offset: int) -> None:
        offsets: dict[TopicPartition, int] = dict.fromkeys(member.assignment, offset)
        if not offsets:
            return
        began = time.monotonic()
        try:
            await member.commit(offsets)
        except ClientError as failure:
            self._seen.failed_commits[failure.name] = self._seen.failed_commits.get(failure.name, 0) + 1
            return
        if self._measuring:
            self._seen.commits.add(time.monotonic() - began)

    async def _churn_until(self, over: asyncio.Event) -> None:
        """Ends between two of them, never in the middle of one."""
        position, plan = 0, self._plan
        while plan.churn_seconds:
            try:
                await asyncio.wait_for(over.wait(), plan.churn_seconds)
            except TimeoutError:
                pass
            else:
                return
            position = (position + 1) % len(self._members)
            leaver = self._members[position]
            newcomer = self._new_member(int(leaver.group_id.rpartition("-")[2]))
            await leaver.stop("its time was up")
            began = time.monotonic()
            self._members[position] = newcomer
            newcomer.start()
            await newcomer.stable()
            while plan.protocol == CONSUMER and not newcomer.assignment and newcomer.membership.failure is None:
                await newcomer.membership.changed().wait()
            self._seen.churns.add(time.monotonic() - began)

    async def _clean_up(self) -> None:
        """What cannot be taken away expires by itself; a broken cluster must not hide what was measured."""
        try:
            await delete_groups(self._cluster, [f"{self._plan.name}-{number}" for number in range(self._plan.groups)])
            await delete_topics(self._cluster, [self._plan.name])
        except ClientError as failure:
            self._progress(f"not all could be taken away: {failure}")


def _options(plan: Plan) -> dict[str, Any]:
    if plan.protocol == CONSUMER:
        return {"protocol": CONSUMER, "assignor": plan.assignor}
    return {
        "assignors": [assignor_named(plan.assignor)],
        "session_timeout_ms": plan.session_timeout_ms,
        "heartbeat_interval_ms": plan.heartbeat_interval_ms,
    }
