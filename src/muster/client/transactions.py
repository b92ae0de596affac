"""Questions about transactions: which there are, what they hold open, and ending those that nobody else ends (KIP-664).

Called through `admin`. Two ways to end one: `fence_producer` asks the coordinator, which aborts the transaction in all of its
partitions; `write_abort_marker` ends it in one partition behind the coordinator's back, for a coordinator that does not know of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from muster.client.cluster import Cluster
from muster.client.failure import ClientError, is_retriable, raise_for
from muster.client.partitions import TopicPartition, by_topic, spread
from muster.client.timing import Backoff
from muster.wire.errors import CONCURRENT_TRANSACTIONS, NONE, UNSUPPORTED_VERSION
from muster.wire.generated.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersRequestTopic,
    DescribeProducersResponse,
)
from muster.wire.generated.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    DescribeTransactionsResponseTransaction,
)
from muster.wire.generated.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from muster.wire.generated.list_transactions import ListTransactionsRequest, ListTransactionsResponse
from muster.wire.generated.write_txn_markers import (
    WriteTxnMarkersRequest,
    WriteTxnMarkersRequestMarker,
    WriteTxnMarkersRequestTopic,
    WriteTxnMarkersResponse,
)

ONGOING: Final = "Ongoing"
OPEN_STATES: Final = (ONGOING, "PrepareCommit", "PrepareAbort", "PrepareEpochFence")
"""A transaction has begun and is not complete."""
STATES: Final = ("Empty", *OPEN_STATES, "CompleteCommit", "CompleteAbort", "Dead")
_DURATION_SINCE: Final = 1
_PATTERN_SINCE: Final = 2


@dataclass(frozen=True, slots=True)
class TransactionListing:
    transactional_id: str
    producer_id: int
    state: str
    coordinator: int
    """Node id."""


@dataclass(frozen=True, slots=True)
class TransactionDescription:
    transactional_id: str
    coordinator: int
    state: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    start_ms: int | None
    """When the transaction began; None if none has."""
    partitions: tuple[TopicPartition, ...]
    """Those that have no end marker yet."""

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_STATES


@dataclass(frozen=True, slots=True)
class ProducerState:
    """What a partition knows of a producer that has written to it."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_timestamp_ms: int
    coordinator_epoch: int
    """Of the last end marker; -1 if there was none."""
    start_offset: int | None
    """The first record of its open transaction; None if none is open here."""


async def list_transactions(
    cluster: Cluster,
    states: Sequence[str] = (),
    producer_ids: Sequence[int] = (),
    duration_ms: int = -1,
    pattern: str | None = None,
) -> list[TransactionListing]:
    """Every transactional id of the cluster, by name. `duration_ms`: open for longer; `pattern`: RE2, matches the whole id."""
    needed = _PATTERN_SINCE if pattern is not None else _DURATION_SINCE if duration_ms >= 0 else 0
    request = ListTransactionsRequest(list(states), list(producer_ids), duration_ms, pattern)

    async def attempt() -> list[TransactionListing]:
        await cluster.refresh([])
        found: dict[str, TransactionListing] = {}
        for node_id in sorted(cluster.brokers):
            connection = await cluster.connection_to(node_id)
            if connection.version("ListTransactions") < needed:
                what = "list transactions by duration or by a pattern"
                raise ClientError(UNSUPPORTED_VERSION, what, "the broker is too old for that")
            reply: ListTransactionsResponse = await connection.call("ListTransactions", request)
            raise_for(reply.error_code, f"list the transactions of broker {node_id}")
            for each in reply.transaction_states:
                found[each.transactional_id] = TransactionListing(
                    each.transactional_id, each.producer_id, each.transaction_state, node_id
                )
        return [found[name] for name in sorted(found)]

    return await cluster.persist(attempt)


async def describe_transaction(cluster: Cluster, transactional_id: str) -> TransactionDescription:
    """One that exists, or ClientError TRANSACTIONAL_ID_NOT_FOUND."""

    async def attempt() -> TransactionDescription:
        node_id = (await cluster.transaction_coordinators.find([transactional_id]))[transactional_id]
        connection = await cluster.transaction_coordinators.connection(transactional_id, "")
        reply: DescribeTransactionsResponse = await connection.call(
            "DescribeTransactions", DescribeTransactionsRequest([transactional_id])
        )
        (found,) = reply.transaction_states
        raise_for(found.error_code, f"describe transactional id {transactional_id}")
        return _described(found, node_id)

    return await cluster.persist(attempt)


def _described(found: DescribeTransactionsResponseTransaction, node_id: int) -> TransactionDescription:
    return TransactionDescription(
        found.transactional_id,
        node_id,
        found.transaction_state,
        found.producer_id,
        found.producer_epoch,
        found.transaction_timeout_ms,
        found.transaction_start_time_ms if found.transaction_start_time_ms >= 0 else None,
        tuple(sorted(spread((topic.topic, topic.partitions) for topic in found.topics))),
    )


async def describe_producers(
    cluster: Cluster, partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, list[ProducerState]]:
    """The producers that each partition remembers, as its leader knows them."""
    wanted = list(partitions)
    found: dict[TopicPartition, list[ProducerState]] = {}

    async def attempt() -> None:
        by_leader: dict[int, list[TopicPartition]] = {}
        for place in wanted:
            if place not in found:
                by_leader.setdefault(await cluster.leader(*place), []).append(place)
        for leader, places in by_leader.items():
            await _describe_at(cluster, leader, places, found)

    await cluster.persist(attempt)
    return {place: found[place] for place in wanted}


async def _describe_at(
    cluster: Cluster, leader: int, places: list[TopicPartition], found: dict[TopicPartition, list[ProducerState]]
) -> None:
    topics = [DescribeProducersRequestTopic(topic, numbers) for topic, numbers in by_topic(places).items()]
    reply: DescribeProducersResponse = await cluster.ask_broker(
        leader, "DescribeProducers", DescribeProducersRequest(topics)
    )
    failures: list[ClientError] = []
    for topic in reply.topics:
        for each in topic.partitions:
            place = TopicPartition(topic.name, each.partition_index)
            if each.error_code != NONE:
                failures.append(ClientError(each.error_code, f"describe the producers of {place}", each.error_message))
                continue
            found[place] = [
                ProducerState(
                    producer.producer_id,
                    producer.producer_epoch,
                    producer.last_sequence,
                    producer.last_timestamp,
                    producer.coordinator_epoch,
                    producer.current_txn_start_offset if producer.current_txn_start_offset >= 0 else None,
                )
                for producer in each.active_producers
            ]
    for failure in sorted(failures, key=lambda each: is_retriable(each.code)):
        raise failure  # one that lasts, if there is one


async def fence_producer(cluster: Cluster, transactional_id: str, timeout_ms: int) -> tuple[int, int]:
    """Have the coordinator abort what is open, and fence whoever used the id so far. Returns producer id and epoch since then.

    Comes back when the abort is complete: until then the coordinator answers CONCURRENT_TRANSACTIONS.
    """
    request = InitProducerIdRequest(transactional_id, timeout_ms)

    async def attempt() -> InitProducerIdResponse:
        connection = await cluster.transaction_coordinators.connection(transactional_id, "")
        reply: InitProducerIdResponse = await connection.call("InitProducerId", request)
        if reply.error_code != CONCURRENT_TRANSACTIONS:
            raise_for(reply.error_code, f"fence the producer of transactional id {transactional_id}")
        return reply

    backoff = Backoff()
    deadline = cluster.timing.seconds() + cluster.patience_seconds
    while True:
        reply = await cluster.persist(attempt)
        if reply.error_code == NONE:
            return reply.producer_id, reply.producer_epoch
        if cluster.timing.seconds() > deadline:
            raise ClientError(
                reply.error_code,
                f"abort the transaction of transactional id {transactional_id}",
                "the abort has begun, but some partition has no marker yet",
                "`muster transactions describe` names the partitions that are still without one",
            )
        await cluster.timing.sleep(backoff.next_seconds())


async def write_abort_marker(cluster: Cluster, place: TopicPartition, producer: ProducerState) -> None:
    """End the producer's transaction in this partition alone. Its coordinator is not asked and hears nothing of it."""
    marker = WriteTxnMarkersRequestMarker(
        producer.producer_id,
        producer.producer_epoch,
        False,
        [WriteTxnMarkersRequestTopic(place.topic, [place.partition])],
        max(producer.coordinator_epoch, 0),  # a producer that has never ended a transaction here has none
    )

    async def attempt() -> None:
        reply: WriteTxnMarkersResponse = await cluster.ask_broker(
            await cluster.leader(*place), "WriteTxnMarkers", WriteTxnMarkersRequest([marker])
        )
        for answered in reply.markers:
            for topic in answered.topics:
                for each in topic.partitions:
                    raise_for(each.error_code, f"abort the transaction of producer {producer.producer_id} in {place}")

    await cluster.persist(attempt)
