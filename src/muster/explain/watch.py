"""One moment of many groups, and what has happened to them: what a live view shows. Asks a cluster; draws nothing.

The journal is read once and then followed. A cluster without one is followed in `__consumer_offsets` from now on: its
rebalances are known from the first that is seen, and inferred.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.partitions import TopicPartition
from muster.core.hashing import partition_for
from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL
from muster.explain.cause_words import why_sentence
from muster.explain.event import Event, event_in
from muster.explain.facts import History, Rebalance
from muster.explain.fold import fold
from muster.explain.from_cluster import partitions_of_internal
from muster.explain.holding_back import Holding, holding_back
from muster.explain.inferred import StoredAt, infer, stored_in
from muster.explain.names import Names
from muster.wire.batch import Record

_NO_GROUP: Final = "Dead"
"""What a coordinator says of a group that it does not have."""
KEPT_EVENTS: Final = 5_000
"""Of each group: the last rebalances of a large one, and no more memory than that."""


@dataclass(frozen=True, slots=True)
class Glance:
    group: str
    state: str
    members: int
    generation: int | None
    lag: int | None
    """Sum over the partitions with a committed offset and a known end; None if there are none."""
    uncommitted: int
    """Partitions that members own and nobody has committed an offset of: they are not in the lag."""
    without_end: int
    """Partitions with a committed offset whose end cannot be told: their topic is gone, or not for this user to see."""
    rebalances: int
    """That are known of."""
    last_ms: int | None = None
    """When the last rebalance began."""
    took_ms: int | None = None
    why: str = ""
    is_running: bool = False
    target_epoch: int | None = None
    """Of a consumer group (KIP-848), whose generation is its epoch."""
    held_by: tuple[Holding, ...] = ()
    """The members of a consumer group that hold it back, those who keep partitions of others first."""


class Watch:
    def __init__(self, cluster: Cluster, groups: Sequence[str]) -> None:
        """Without groups, all there are, anew at each look."""
        self._cluster = cluster
        self._groups = list(groups)
        self._positions: dict[TopicPartition, int] = {}
        self._events: dict[str, deque[Event]] = {}
        self._stored: dict[str, list[StoredAt]] = {}
        self._partitions: int | None = None
        self._topic = ""

    async def look(self) -> list[Glance]:
        names = self._groups or [each.group_id for each in await admin.list_groups(self._cluster)]
        await self._catch_up(names)
        described = await admin.describe_groups(self._cluster, names)
        return [await self._glance(each) for each in described]

    async def unknown(self, glances: Sequence[Glance]) -> dict[str, list[str]]:
        """Of the groups that were asked for by name, those that the cluster does not have, with the names that it has."""
        missing = [each.group for each in glances if each.state == _NO_GROUP and not each.rebalances]
        if not missing:
            return {}
        try:
            known = [each.group_id for each in await admin.list_groups(self._cluster)]
        except ClientError:
            known = []
        return dict.fromkeys(missing, known)

    async def _glance(self, group: admin.GroupDescription) -> Glance:
        history = self._history(group.group_id)
        last = history.rebalances[-1] if history.rebalances else None
        generation = group.epoch if group.epoch is not None else history.generation
        return Glance(
            group.group_id,
            group.state,
            len(group.members),
            generation,
            *await self._lag(group),
            len(history.rebalances),
            last.began_ms if last is not None else None,
            last.took_ms if last is not None and not last.is_inferred else None,
            _why(last, history),
            last is not None and last.result == "running",
            group.target_epoch,
            tuple(holding_back(group, history)),
        )

    async def _lag(self, group: admin.GroupDescription) -> tuple[int | None, int, int]:
        """The lag, and how many partitions are not in it: without a commit, without an end."""
        committed = await admin.committed_offsets(self._cluster, group.group_id)
        owned = {place for member in group.members for place in member.assignment}
        ends, _ = await admin.log_ends(self._cluster, committed)
        lags = [max(ends[place] - each.offset, 0) for place, each in committed.items() if place in ends]
        return sum(lags) if lags else None, len(owned - committed.keys()), len(committed) - len(lags)

    def _history(self, group_id: str) -> History:
        if group_id in self._events:
            return fold(self._events[group_id], group_id)
        return infer(self._stored.get(group_id, []), group_id)

    # -- following

    async def _catch_up(self, groups: Sequence[str]) -> None:
        if self._topic != GROUP_JOURNAL:
            await self._choose_topic()
        if self._partitions is None:
            return
        by_partition: dict[int, set[str]] = {}
        for group in groups:
            by_partition.setdefault(partition_for(group, self._partitions), set()).add(group)
        for partition, wanted in by_partition.items():
            await self._follow(TopicPartition(self._topic, partition), wanted)

    async def _choose_topic(self) -> None:
        """A Muster has a journal from its first group on, so it may come later."""
        counts = partitions_of_internal(await admin.list_topics(self._cluster, internal=True))
        topic = GROUP_JOURNAL if GROUP_JOURNAL in counts else CONSUMER_OFFSETS
        if topic in counts:
            self._topic, self._partitions = topic, counts[topic]

    async def _follow(self, place: TopicPartition, wanted: set[str]) -> None:
        if place not in self._positions:
            when = admin.EARLIEST if place.topic == GROUP_JOURNAL else admin.LATEST
            self._positions[place] = (await admin.list_offsets(self._cluster, {place: when}))[place].offset
        while True:
            fetched = await admin.fetch_records(
                self._cluster, place.topic, place.partition, self._positions[place], max_wait_ms=0
            )
            for record in fetched.records:
                self._keep(place.topic, record, wanted)
            if fetched.next_offset <= self._positions[place]:
                return
            self._positions[place] = fetched.next_offset

    def _keep(self, topic: str, record: Record, wanted: set[str]) -> None:
        if topic == GROUP_JOURNAL:
            event = event_in(record.value)
            if event is not None:
                self._events.setdefault(event.group, deque(maxlen=KEPT_EVENTS)).append(event)
            return
        for group in wanted:
            stored = stored_in(record, group)
            if stored is not None:
                self._stored.setdefault(group, []).append(stored)


def _why(last: Rebalance | None, history: History) -> str:
    return why_sentence(last, Names(history)) if last is not None else ""
