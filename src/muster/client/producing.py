"""Writing records: an idempotent producer (KIP-98) for tools and examples, one batch a partition at a time.

    producer = Producer(cluster)
    places = await producer.send("orders", [NewRecord(b"value", key=b"k")])

What was sent is acknowledged by all replicas when `send` comes back, in order and once, also when a reply was lost: the same
batch with the same sequence number is sent again. With fewer acknowledgements (`acks`) nothing is numbered, as in Kafka's
producers. Not for throughput: nothing lingers and nothing is sent ahead.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from muster.client.cluster import Cluster
from muster.client.failure import ClientError, raise_for
from muster.client.partitioner import partition_of
from muster.client.partitions import TopicPartition
from muster.client.topics import describe_topics
from muster.wire.batch import Headers, Record, encode_batch
from muster.wire.compression import NAMES
from muster.wire.errors import (
    DUPLICATE_SEQUENCE_NUMBER,
    INVALID_CONFIG,
    NONE,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    UNKNOWN_PRODUCER_ID,
)
from muster.wire.generated.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from muster.wire.generated.produce import (
    ProduceRequest,
    ProduceRequestPartition,
    ProduceRequestTopic,
    ProduceResponse,
)
from muster.wire.special_values import NO_SEQUENCE

ACKS: Final = {"all": -1, "1": 1, "0": 0}
_NO_PRODUCER: Final = (-1, -1)
_UNKNOWN_OFFSET: Final = -1
_LOST_SEQUENCE: Final = frozenset({OUT_OF_ORDER_SEQUENCE_NUMBER, UNKNOWN_PRODUCER_ID})


@dataclass(frozen=True, slots=True)
class NewRecord:
    value: bytes | None
    key: bytes | None = None
    headers: Headers = ()
    timestamp_ms: int | None = None
    """Now, if it is not said."""
    partition: int | None = None
    """By the key, or in turn, if it is not said."""


class Producer:
    def __init__(self, cluster: Cluster, *, compression: str = "none", acks: str = "all") -> None:
        for name, value, choices in (("compression", compression, NAMES), ("acks", acks, ACKS)):
            if value not in choices:
                hint = f"One of {', '.join(choices)}"
                raise ClientError(INVALID_CONFIG, "make a producer", f"{name} is {value!r}", hint)
        self._cluster = cluster
        self._acks = ACKS[acks]
        self._codec = NAMES[compression]
        self._producer: tuple[int, int] | None = None
        self._sequences: dict[TopicPartition, int] = {}
        self._counts: dict[str, int] = {}
        self._turn = 0

    async def send(self, topic: str, records: Iterable[NewRecord]) -> list[tuple[int, int]]:
        """(partition, offset) of each record, in the order given; with acks 0 offsets are -1.

        ClientError: some may have been written.
        """
        numbered = list(enumerate(records))
        count = await self._count(topic)
        chosen: dict[int, list[tuple[int, NewRecord]]] = {}
        for number, record in numbered:
            chosen.setdefault(self._partition(record, count), []).append((number, record))
        places: dict[int, tuple[int, int]] = {}
        for partition, batch in chosen.items():
            base = await self._append(TopicPartition(topic, partition), [record for _, record in batch])
            for position, (number, _) in enumerate(batch):
                places[number] = (partition, base + position if base != _UNKNOWN_OFFSET else base)
        return [places[number] for number, _ in numbered]

    def _partition(self, record: NewRecord, count: int) -> int:
        if record.partition is not None:
            return record.partition
        if record.key is not None:
            return partition_of(record.key, count)
        self._turn += 1
        return (self._turn - 1) % count

    async def _count(self, topic: str) -> int:
        if topic not in self._counts:
            (described,) = await describe_topics(self._cluster, [topic])
            self._counts[topic] = len(described.partitions)
        return self._counts[topic]

    async def _append(self, place: TopicPartition, records: Sequence[NewRecord]) -> int:
        """Base offset of the batch."""
        now_ms = time.time_ns() // 1_000_000
        content = [
            Record(
                offset, now_ms if each.timestamp_ms is None else each.timestamp_ms, each.key, each.value, each.headers
            )
            for offset, each in enumerate(records)
        ]
        if self._producer is None:
            # KIP-98: only what all replicas acknowledge can be numbered.
            is_numbered = self._acks == ACKS["all"]
            self._producer = await self._cluster.persist(self._introduce) if is_numbered else _NO_PRODUCER
        producer_id, epoch = self._producer
        sequence = self._sequences.get(place, 0) if self._producer != _NO_PRODUCER else NO_SEQUENCE
        batch = encode_batch(
            content,
            compression=self._codec,
            producer_id=producer_id,
            producer_epoch=epoch,
            base_sequence=sequence,
        )
        try:
            base = await self._cluster.persist(lambda: self._produce(place, batch))
        except ClientError as failure:
            # Whether it was written is not known, or the broker has forgotten us: go on under a new id.
            self._producer = None
            self._sequences.clear()
            if failure.code in _LOST_SEQUENCE and sequence > 0:
                return await self._append(place, records)
            raise
        if sequence != NO_SEQUENCE:
            self._sequences[place] = (sequence + len(content)) & 0x7FFFFFFF
        return base

    async def _introduce(self) -> tuple[int, int]:
        reply: InitProducerIdResponse = await self._cluster.ask_any(
            "InitProducerId", InitProducerIdRequest(None, 60_000)
        )
        raise_for(reply.error_code, "get a producer id")
        return reply.producer_id, reply.producer_epoch

    async def _produce(self, place: TopicPartition, batch: bytes) -> int:
        leader = await self._cluster.leader(*place)
        timeout_ms = int(self._cluster.request_timeout_seconds * 1000)
        data = ProduceRequestTopic(place.topic, partition_data=[ProduceRequestPartition(place.partition, batch)])
        request = ProduceRequest(None, self._acks, timeout_ms, [data])
        if self._acks == ACKS["0"]:
            await (await self._cluster.connection_to(leader)).tell("Produce", request)
            return _UNKNOWN_OFFSET
        reply: ProduceResponse = await self._cluster.ask_broker(leader, "Produce", request)
        ((written,),) = (each.partition_responses for each in reply.responses)
        if written.error_code not in (NONE, DUPLICATE_SEQUENCE_NUMBER):
            raise ClientError(written.error_code, f"write to {place}", written.error_message)
        return written.base_offset
