"""The brokers of one cluster: connections to them, who leads a partition, who coordinates a group, and asking again.

    async with Cluster("127.0.0.1:9092", security=Security.of(properties)) as cluster:
        reply = await cluster.ask_coordinator("billing", "DescribeGroups", DescribeGroupsRequest(["billing"]))
        groups = await admin.list_groups(cluster)

Connections are opened when first needed and kept. A broker works on one request of a connection at a time, so whoever parks
requests there (a JoinGroup, a long poll) uses a `lane` of its own. `persist` tries again what fails for a passing reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any, Final, TypeVar

from muster.client.addresses import Address, parse_bootstrap
from muster.client.connection import DEFAULT_TIMEOUT_SECONDS, Connection
from muster.client.coordinators import TRANSACTIONS, Coordinators
from muster.client.failure import ClientError, is_retriable
from muster.client.late_answers import LateAnswers
from muster.client.security import PLAINTEXT, Security
from muster.client.timing import REAL_TIME, Backoff, Timing
from muster.wire.errors import (
    INVALID_TOPIC_EXCEPTION,
    LEADER_NOT_AVAILABLE,
    NETWORK_EXCEPTION,
    NONE,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse

T = TypeVar("T")

DEFAULT_PATIENCE_SECONDS: Final = 60.0
SHARED_LANE: Final = ""
_TRIES_FOR_UNKNOWN_TOPIC: Final = 3
"""A topic that was made a moment ago may not be known everywhere yet; a misspelt one never will be."""


class Cluster:
    def __init__(
        self,
        bootstrap: str | Sequence[str],
        *,
        security: Security = PLAINTEXT,
        client_id: str = "muster",
        request_timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        patience_seconds: float = DEFAULT_PATIENCE_SECONDS,
        timing: Timing = REAL_TIME,
    ) -> None:
        self.bootstrap = parse_bootstrap(bootstrap)
        self.security = security
        self.client_id = client_id
        self.request_timeout_seconds = request_timeout_seconds
        self.patience_seconds = patience_seconds
        self.timing = timing
        self.brokers: dict[int, Address] = {}
        """Node id -> address, as of the last metadata."""
        self.cluster_id: str | None = None
        self.controller_id = -1
        self.coordinators = Coordinators(self)
        self.transaction_coordinators = Coordinators(self, TRANSACTIONS)
        self.late_answers = LateAnswers()
        self._leaders: dict[tuple[str, int], int] = {}
        self._connections: dict[tuple[Address, str], Connection] = {}
        self._closing: set[Connection] = set()
        self._opening: dict[tuple[Address, str], asyncio.Lock] = {}
        self.closed = False

    async def __aenter__(self) -> Cluster:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Every connection; calls that wait fail."""
        self.closed = True
        closing = [*self._connections.values(), *self._closing]
        self._connections.clear()
        for connection in closing:
            connection.close()
        await self.late_answers.close()
        await asyncio.gather(*(connection.wait_closed() for connection in closing))

    # -- connections

    async def any_connection(self) -> Connection:
        """To a broker that can be reached: one that is connected, else any that we know of."""
        for (_, lane), connection in self._connections.items():
            if lane == SHARED_LANE and not connection.closed:
                return connection
        failures: list[ClientError] = []
        for address in dict.fromkeys([*self.brokers.values(), *self.bootstrap]):
            try:
                return await self.connect(address)
            except ClientError as failure:
                if not failure.is_retriable:
                    raise
                failures.append(failure)
        if len(failures) == 1:
            raise failures[0]
        detail = "; ".join(f"{each.asked}: {each.detail}" for each in failures)
        raise ClientError(NETWORK_EXCEPTION, "reach the cluster", detail)

    async def connection_to(self, node_id: int, lane: str = SHARED_LANE) -> Connection:
        if node_id not in self.brokers:
            await self.refresh([])
        address = self.brokers.get(node_id)
        if address is None:
            raise ClientError(NETWORK_EXCEPTION, f"connect to broker {node_id}", "it is not in the cluster now")
        try:
            return await self.connect(address, lane)
        except ClientError as failure:
            if failure.code == NETWORK_EXCEPTION and address not in self.bootstrap:
                raise ClientError(
                    failure.code,
                    failure.asked,
                    failure.detail,
                    f"Broker {node_id} says that it is reached there: check its advertised.listeners",
                ) from None
            raise

    async def connect(self, address: Address, lane: str = SHARED_LANE) -> Connection:
        key = (address, lane)
        connection = self._connections.get(key)
        if connection is not None and not connection.closed:
            return connection
        async with self._opening.setdefault(key, asyncio.Lock()):
            connection = self._connections.get(key)
            if connection is None or connection.closed:
                connection = await self._open(address)
                self._connections[key] = connection
                self._closing = {each for each in self._closing if not each.gone}
        return connection

    async def _open(self, address: Address) -> Connection:
        self._require_open(address)
        connection = await Connection.open(
            address.host,
            address.port,
            security=self.security,
            client_id=self.client_id,
            timeout_seconds=self.request_timeout_seconds,
        )
        try:
            self._require_open(address)  # `close` did not know of this one
        except ClientError:
            connection.close()
            await connection.wait_closed()
            raise
        return connection

    def _require_open(self, address: Address) -> None:
        if self.closed:
            raise ClientError(NETWORK_EXCEPTION, f"connect to {address}", "the cluster was closed on this side", "")

    def close_lane(self, lane: str) -> None:
        """Whoever had this lane needs it no more."""
        for key in [key for key in self._connections if key[1] == lane]:
            connection = self._connections.pop(key)
            connection.close()
            self._closing.add(connection)
            self._opening.pop(key, None)

    # -- questions, to whom they belong

    async def ask_any(self, api: str, message: object) -> Any:
        return await (await self.any_connection()).call(api, message)

    async def ask_broker(self, node_id: int, api: str, message: object) -> Any:
        return await (await self.connection_to(node_id)).call(api, message)

    async def ask_controller(self, api: str, message: object) -> Any:
        """Changes of topics. Brokers since KRaft pass these on, older ones answer NOT_CONTROLLER."""
        if self.controller_id not in self.brokers:
            await self.refresh([])
        if self.controller_id not in self.brokers:
            return await self.ask_any(api, message)
        return await self.ask_broker(self.controller_id, api, message)

    async def ask_coordinator(
        self,
        group_id: str,
        api: str,
        message: object,
        *,
        lane: str = SHARED_LANE,
        timeout_seconds: float | None = None,
    ) -> Any:
        """Error codes in the reply are the caller's: on NOT_COORDINATOR and its kin call `coordinators.forget`."""
        connection = await self.coordinators.connection(group_id, lane)
        try:
            return await connection.call(api, message, timeout_seconds=timeout_seconds)
        except ClientError:
            self.coordinators.forget(group_id)
            raise

    async def leader(self, topic: str, partition: int) -> int:
        """The node that leads a partition; asks for metadata if it is not known."""
        known = self._leaders.get((topic, partition), -1)
        if known >= 0:
            return known
        view = await self.refresh([topic])
        asked = f"find the leader of {topic}-{partition}"
        for each in view.topics:
            if each.error_code != NONE:
                raise ClientError(each.error_code, asked)
            if any(found.partition_index == partition for found in each.partitions):
                if self._leaders.get((topic, partition), -1) < 0:
                    raise ClientError(LEADER_NOT_AVAILABLE, asked, "the partition has no leader now")
                return self._leaders[topic, partition]
            count = len(each.partitions)
            raise ClientError(UNKNOWN_TOPIC_OR_PARTITION, asked, f"topic {topic} has partitions 0 to {count - 1}")
        raise ClientError(UNKNOWN_TOPIC_OR_PARTITION, asked)

    async def refresh(self, topics: Sequence[str] | None) -> MetadataResponse:
        """Brokers, controller, and the named topics; None for all topics, [] for none. Creates no topic."""
        connection = await self.any_connection()
        wanted = None if topics is None else [MetadataRequestTopic(name=name) for name in topics]
        if connection.version("Metadata") == 0:
            wanted = [] if wanted is None else wanted  # version 0 cannot ask for none
        view: MetadataResponse = await connection.call(
            "Metadata", MetadataRequest(topics=wanted, allow_auto_topic_creation=False)
        )
        if view.error_code != NONE:
            raise ClientError(view.error_code, "ask for metadata")
        self.brokers = {each.node_id: Address(each.host, each.port) for each in view.brokers}
        self.cluster_id, self.controller_id = view.cluster_id, view.controller_id
        for topic in view.topics:
            for partition in topic.partitions:
                self._leaders[topic.name or "", partition.partition_index] = partition.leader_id
        return view

    # -- asking again

    def forget(self) -> None:
        """Who leads and who coordinates: ask anew."""
        self._leaders.clear()
        self.coordinators.forget_all()
        self.transaction_coordinators.forget_all()

    async def persist(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Do it until it succeeds, fails for good, or patience ends: then the last failure is raised."""
        backoff = Backoff()
        deadline = self.timing.seconds() + self.patience_seconds
        while True:
            try:
                return await attempt()
            except ClientError as failure:
                pause = backoff.next_seconds()
                if self._is_final(failure, backoff.failures) or self.timing.seconds() + pause > deadline:
                    raise
                self.forget()
            await self.timing.sleep(pause)

    def _is_final(self, failure: ClientError, failures: int) -> bool:
        if self.closed or failure.code == INVALID_TOPIC_EXCEPTION:
            return True
        if failure.code == UNKNOWN_TOPIC_OR_PARTITION:
            return failures > _TRIES_FOR_UNKNOWN_TOPIC
        if failure.code == NETWORK_EXCEPTION and not self.brokers:
            return True  # nobody has ever answered: a wrong address should be heard of at once
        return not is_retriable(failure.code)
