"""A small blocking client of one cluster: which brokers and partitions there are, how far they reach, and their raw batches.

Asks in the newest versions that both sides know, Muster and Kafka alike; `broker_socket` has the connections and their security.
Not thread-safe; one lives in each Spark task. Knows no tables.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, NamedTuple

from muster.client.security import PLAINTEXT, Security
from muster.pipeline.sources.broker_socket import BrokerSocket
from muster.pipeline.sources.failure import SourceError
from muster.wire.errors import NONE, UNKNOWN_TOPIC_OR_PARTITION
from muster.wire.generated.fetch import (
    FetchRequest,
    FetchRequestPartition,
    FetchRequestTopic,
    FetchResponsePartition,
)
from muster.wire.generated.list_offsets import (
    ListOffsetsRequest,
    ListOffsetsRequestPartition,
    ListOffsetsRequestTopic,
    ListOffsetsResponsePartition,
)
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from muster.wire.special_values import MAX_TIMESTAMP, MAX_TIMESTAMP_SINCE, READ_COMMITTED

_TIMEOUT_S: Final = 30.0
_LAST_FETCH_BY_NAME: Final = 12
"""Fetch names topics by id alone from version 13 on; names are enough for us and older brokers know them."""
_MAX_WAIT_MS: Final = 500
_MOST_THROTTLED: Final = 100


@dataclass(slots=True, frozen=True)
class TopicPartition:
    topic: str
    partition: int
    leader: int
    leader_epoch: int
    topic_id: bytes


@dataclass(slots=True)
class ClusterView:
    """What Metadata said: addresses by node, partitions that have a leader, and those that have none now."""

    brokers: dict[int, tuple[str, int]]
    partitions: list[TopicPartition]
    leaderless: list[tuple[str, int]]
    cluster_id: str = ""
    refused: dict[str, int] = field(default_factory=dict)
    """Topics of which it said nothing, with the error code: they may well be there."""


class FetchAnswer(NamedTuple):
    """What the leader of a partition gives at an offset. Without records it has none up to its high watermark."""

    error_code: int
    records: bytes = b""
    high_watermark: int = -1


class BrokerClient:
    """Connections to the brokers of one cluster, made when first needed."""

    def __init__(
        self,
        bootstrap: str,
        security: Security = PLAINTEXT,
        timeout_s: float = _TIMEOUT_S,
        pause: Callable[[float], None] = time.sleep,
        brokers: Mapping[int, tuple[str, int]] | None = None,
    ) -> None:
        """`brokers`: addresses by node where they are known already, so that nobody is asked for them."""
        self._bootstrap = parse_bootstrap(bootstrap)
        self._security = security
        self._timeout_s = timeout_s
        self.pause = pause
        """Waits so many seconds before something is asked again."""
        self._connections: dict[tuple[str, int], BrokerSocket] = {}
        self._brokers: dict[int, tuple[str, int]] = dict(brokers or {})

    def __enter__(self) -> BrokerClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def metadata(self, topics: Iterable[str] | None = None) -> ClusterView:
        """These topics, or all. A topic that does not exist is simply not there; none is created."""
        named = None if topics is None else [MetadataRequestTopic(name=topic) for topic in topics]
        request = MetadataRequest(topics=named, allow_auto_topic_creation=False)
        answer: MetadataResponse = self._any().ask("Metadata", request)
        view = ClusterView({broker.node_id: (broker.host, broker.port) for broker in answer.brokers}, [], [])
        view.cluster_id = answer.cluster_id or ""
        self._brokers = view.brokers
        for topic in answer.topics:
            if topic.error_code not in (NONE, UNKNOWN_TOPIC_OR_PARTITION):
                view.refused[topic.name or ""] = topic.error_code
            for part in topic.partitions if topic.error_code == NONE else ():
                if part.leader_id in view.brokers:
                    view.partitions.append(
                        TopicPartition(
                            topic.name or "", part.partition_index, part.leader_id, part.leader_epoch, topic.topic_id
                        )
                    )
                else:
                    view.leaderless.append((topic.name or "", part.partition_index))
        return view

    def list_offsets(
        self, leader: int, partitions: Sequence[tuple[str, int]], timestamp: int, isolation: int = 0
    ) -> dict[tuple[str, int], ListOffsetsResponsePartition]:
        """What a leader says about these partitions at a timestamp or one of the special ones; those with errors included."""
        connection = self._to(leader)
        if timestamp == MAX_TIMESTAMP and connection.version("ListOffsets") < MAX_TIMESTAMP_SINCE:
            return {}
        by_topic: dict[str, list[ListOffsetsRequestPartition]] = {}
        for topic, partition in partitions:
            by_topic.setdefault(topic, []).append(
                ListOffsetsRequestPartition(partition_index=partition, timestamp=timestamp)
            )
        request = ListOffsetsRequest(
            replica_id=-1,
            isolation_level=isolation,
            topics=[ListOffsetsRequestTopic(name, asked) for name, asked in by_topic.items()],
            timeout_ms=int(self._timeout_s * 1000),
        )
        answer = connection.ask("ListOffsets", request)
        return {(topic.name, part.partition_index): part for topic in answer.topics for part in topic.partitions}

    def fetch(self, leader: int, topic: str, partition: int, offset: int, max_bytes: int) -> FetchAnswer:
        """Uncommitted records and markers included."""
        part = FetchRequestPartition(partition=partition, fetch_offset=offset, partition_max_bytes=max_bytes)
        request = FetchRequest(
            max_wait_ms=_MAX_WAIT_MS,
            min_bytes=1,
            max_bytes=max_bytes,
            topics=[FetchRequestTopic(topic=topic, partitions=[part])],
        )
        for _ in range(_MOST_THROTTLED):
            answer = self._to(leader).ask("Fetch", request, _LAST_FETCH_BY_NAME)
            if answer.error_code:
                return FetchAnswer(answer.error_code)
            found = answer.responses[0].partitions[0] if answer.responses else None
            if found is not None and (found.records or found.error_code or not answer.throttle_time_ms):
                return FetchAnswer(found.error_code, bytes(found.records or b""), found.high_watermark)
            # KIP-219: over its quota a reader gets an answer without records, at once. That is not the end of the log.
            self.pause(answer.throttle_time_ms / 1000)
        raise SourceError(
            f"{topic}-{partition}: the broker throttled {_MOST_THROTTLED} fetches in a row at offset {offset}: "
            "raise the quota of this user or client id (consumer_byte_rate, request_percentage)"
        )

    def fetch_together(
        self, leader: int, offsets: Mapping[tuple[str, int], int], max_bytes: int, isolation: int = READ_COMMITTED
    ) -> dict[tuple[str, int], FetchResponsePartition]:
        """What a reader is given at these offsets, a few bytes of each partition; nothing over its quota.

        Markers come with it, and which transactions were aborted. A batch that is larger than that comes of one partition only.
        """
        by_topic: dict[str, list[FetchRequestPartition]] = {}
        for (topic, partition), offset in offsets.items():
            asked = FetchRequestPartition(partition=partition, fetch_offset=offset, partition_max_bytes=max_bytes)
            by_topic.setdefault(topic, []).append(asked)
        request = FetchRequest(
            isolation_level=isolation,
            topics=[FetchRequestTopic(topic=topic, partitions=asked) for topic, asked in by_topic.items()],
        )
        answer = self._to(leader).ask("Fetch", request, _LAST_FETCH_BY_NAME)
        if answer.error_code or answer.throttle_time_ms:
            return {}
        return {(topic.topic, part.partition_index): part for topic in answer.responses for part in topic.partitions}

    def _any(self) -> BrokerSocket:
        troubles: list[str] = []
        for address in (*self._bootstrap, *self._brokers.values()):
            try:
                return self._connected(address)
            except SourceError as error:
                troubles.append(str(error))
        raise SourceError("; ".join(troubles))

    def _to(self, node: int) -> BrokerSocket:
        if node not in self._brokers:
            self.metadata([])
        address = self._brokers.get(node)
        if address is None:
            raise SourceError(f"broker {node} leads a partition but is not in the cluster's metadata: try again")
        return self._connected(address)

    def _connected(self, address: tuple[str, int]) -> BrokerSocket:
        connection = self._connections.get(address)
        if connection is None or connection.is_broken:
            connection = self._connections[address] = BrokerSocket(address, self._security, self._timeout_s)
        return connection


def parse_bootstrap(text: str) -> list[tuple[str, int]]:
    """HOST:PORT[,HOST:PORT...], as `bootstrap.servers` of every client."""
    addresses: list[tuple[str, int]] = []
    for each in text.split(","):
        host, colon, port = each.strip().rpartition(":")
        if not colon or not host or not port.isdecimal() or len(port) > 5 or not 0 < int(port) < 65_536:
            raise SourceError(f"bootstrap {text!r}: {each.strip()!r} is not HOST:PORT")
        addresses.append((host.removeprefix("[").removesuffix("]"), int(port)))
    return addresses
