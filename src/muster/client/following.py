"""Reading on from many partitions at once: one long poll a broker, on connections of their own.

    following = Following(cluster, {TopicPartition("orders", 0): 0})
    while True:
        for place, fetched in await following.poll():
            ...
            following.positions[place] = fetched.next_offset

`positions` says what to read next and belongs to the caller, who moves, adds and removes: an answer to a position that was
changed meanwhile is dropped. What passes by itself (a broker restarts, a leader moves) is waited for as long as the cluster's
patience lasts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final, TypeAlias

from muster.client.cluster import Cluster
from muster.client.failure import ClientError, is_retriable, raise_for
from muster.client.fetching import DEFAULT_BYTES, Fetched, partition_fetched
from muster.client.partitions import TopicPartition, values_by_topic
from muster.client.timing import Backoff
from muster.wire.generated.fetch import FetchRequest, FetchRequestPartition, FetchRequestTopic, FetchResponse

_LANE: Final = "following"
_MOST_BYTES_A_REPLY: Final = 8 << 20

Answers: TypeAlias = list[tuple[TopicPartition, Fetched]]
_Answer: TypeAlias = tuple[TopicPartition, int, Fetched]
"""With the offset that was asked for."""


class Following:
    def __init__(
        self,
        cluster: Cluster,
        positions: Mapping[TopicPartition, int],
        *,
        max_wait_ms: int = 500,
        read_committed: bool = False,
    ) -> None:
        self.positions = dict(positions)
        self._cluster = cluster
        self._max_wait_ms = max_wait_ms
        self._read_committed = read_committed
        self._asking: dict[int, asyncio.Task[list[_Answer]]] = {}
        """Node id -> the poll that waits there."""
        self._backoff = Backoff()
        self._failing_since: float | None = None

    async def poll(self) -> Answers:
        """What has come; empty if nothing did. ClientError: OFFSET_OUT_OF_RANGE and whatever else does not pass."""
        try:
            await self._ask_everywhere()
            if not self._asking:
                return []
            done, _ = await asyncio.wait(self._asking.values(), return_when=asyncio.FIRST_COMPLETED)
            self._asking = {node: task for node, task in self._asking.items() if task not in done}
            answers = self._still_wanted(_gathered(done))
        except ClientError as failure:
            await self._bear(failure)
            return []
        self._failing_since = None
        self._backoff.reset()
        return answers

    async def close(self) -> None:
        """Ends the polls that wait, and their connections."""
        waiting = list(self._asking.values())
        self._asking.clear()
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        self._cluster.close_lane(_LANE)

    async def _ask_everywhere(self) -> None:
        wanted: dict[int, dict[TopicPartition, int]] = {}
        for place, offset in self.positions.items():
            wanted.setdefault(await self._cluster.leader(*place), {})[place] = offset
        for node, positions in wanted.items():
            if node not in self._asking:
                self._asking[node] = asyncio.create_task(self._fetch(node, positions))

    async def _fetch(self, node: int, asked: Mapping[TopicPartition, int]) -> list[_Answer]:
        connection = await self._cluster.connection_to(node, _LANE)
        topics = [
            FetchRequestTopic(topic, partitions=[_wanted(number, offset) for number, offset in pairs])
            for topic, pairs in values_by_topic(asked).items()
        ]
        request = FetchRequest(
            max_wait_ms=self._max_wait_ms,
            min_bytes=1,
            max_bytes=_MOST_BYTES_A_REPLY,
            isolation_level=int(self._read_committed),
            topics=topics,
        )
        patience = self._cluster.request_timeout_seconds + self._max_wait_ms / 1000
        reply: FetchResponse = await connection.call("Fetch", request, timeout_seconds=patience)
        raise_for(reply.error_code, f"fetch from broker {node}")
        answers: list[_Answer] = []
        for topic in reply.responses:
            for found in topic.partitions:
                place = TopicPartition(topic.topic, found.partition_index)
                offset = asked[place]
                if self.positions.get(place) == offset:
                    what = f"fetch {place} at offset {offset}"
                    answers.append((place, offset, partition_fetched(found, what, offset, self._read_committed)))
        return answers

    def _still_wanted(self, answers: list[_Answer]) -> Answers:
        """Between a reply and whoever reads it positions may have changed too."""
        return [(place, fetched) for place, offset, fetched in answers if self.positions.get(place) == offset]

    async def _bear(self, failure: ClientError) -> None:
        now = self._cluster.timing.seconds()
        if self._failing_since is None:
            self._failing_since = now
        if not is_retriable(failure.code) or now - self._failing_since > self._cluster.patience_seconds:
            raise failure
        self._cluster.forget()
        await self._cluster.timing.sleep(self._backoff.next_seconds())


def _gathered(done: set[asyncio.Task[list[_Answer]]]) -> list[_Answer]:
    failures = [failure for task in done if (failure := task.exception()) is not None]
    for failure in failures:
        raise failure  # what others brought is asked for again: their positions have not moved
    return [answer for task in done for answer in task.result()]


def _wanted(partition: int, offset: int) -> FetchRequestPartition:
    return FetchRequestPartition(partition=partition, fetch_offset=offset, partition_max_bytes=DEFAULT_BYTES)
