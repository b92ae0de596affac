"""A member with aiokafka: its range assignor, dynamic or static."""

from __future__ import annotations

import asyncio
import queue
from typing import Any

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from aiokafka.errors import KafkaError

from tests.interop.member import Member, MemberSettings, say

POLL_MS = 100


class AiokafkaMember(Member):
    """aiokafka rebalances in a task of its own: a lock keeps it from giving a partition up inside a batch."""

    def __init__(self, settings: MemberSettings) -> None:
        super().__init__(settings)
        assert settings.assignor == "range"
        self._consumer: Any = None
        self.lock = asyncio.Lock()

    def run(self) -> None:
        asyncio.run(self._run())

    async def _run(self) -> None:
        self._consumer = AIOKafkaConsumer(
            bootstrap_servers=self.settings.bootstrap,
            group_id=self.settings.group,
            group_instance_id=self.settings.instance,
            partition_assignment_strategy=(RangePartitionAssignor,),
            session_timeout_ms=self.settings.session_ms,
            heartbeat_interval_ms=self.settings.heartbeat_ms,
            max_poll_interval_ms=self.settings.max_poll_ms,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            fetch_max_wait_ms=100,
            metadata_max_age_ms=self.settings.metadata_ms,
            **({} if self.settings.client is None else {"client_id": self.settings.client}),
        )
        self._consumer.subscribe([self.settings.topic], listener=_listener(self))
        await self._consumer.start()
        while await self._wish() != "leave":
            # Polled without the lock: when records arrive within a rebalance, aiokafka waits for its end inside the poll.
            polled = await self._consumer.getmany(timeout_ms=POLL_MS, max_records=self.settings.commit_every)
            async with self.lock:
                await self._take(polled)
            await asyncio.sleep(0)  # lets a waiting rebalance have the lock
        await self._consumer.stop()

    async def _wish(self) -> str | None:
        try:
            wish = self.wishes.get_nowait()
        except queue.Empty:
            return None
        if wish == "stall":
            say("stalled")
            return await asyncio.to_thread(self.wishes.get)  # does not poll until told to; its heartbeats go on
        return wish

    async def _take(self, polled: dict[Any, list[Any]]) -> None:
        offsets: dict[int, int] = {}
        for at, records in polled.items():
            for record in records:
                self.say_read(at.partition, record.offset, self.generation())
                offsets[at.partition] = record.offset + 1
        if not offsets:
            return
        try:
            await self._consumer.commit(
                {TopicPartition(self.settings.topic, partition): offset for partition, offset in offsets.items()}
            )
        except KafkaError as error:
            self.say_commit_failed(error)
        else:
            self.say_committed(offsets)

    def generation(self) -> int:
        """aiokafka shows it nowhere else."""
        generation: int = self._consumer._coordinator.generation
        return generation


def _listener(member: AiokafkaMember) -> Any:
    class Listener(ConsumerRebalanceListener):  # type: ignore[misc]
        async def on_partitions_revoked(self, revoked: Any) -> None:
            async with member.lock:
                member.say_owned([], member.generation())

        async def on_partitions_assigned(self, assigned: Any) -> None:
            member.say_owned([at.partition for at in assigned], member.generation())

    return Listener()


def make(settings: MemberSettings) -> Member:
    return AiokafkaMember(settings)
