"""A small blocking client of one cluster: which brokers and partitions there are, how far they reach, and their raw batches.

Speaks through `muster.wire` the newest versions that both sides know, to Muster and Kafka alike. Plain TCP; for TLS or SASL use
Spark's own connector (`kafka_connector`). Not thread-safe; one lives in each Spark task. Knows no tables.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from struct import Struct
from types import TracebackType
from typing import Any, Final

from muster.pipeline.sources.failure import SourceError
from muster.wire.apis import API_KEYS, APIS, request_encoder, response_decoder
from muster.wire.errors import NONE, WireError, name_of
from muster.wire.generated.api_versions import ApiVersionsRequest
from muster.wire.generated.fetch import FetchRequest, FetchRequestPartition, FetchRequestTopic
from muster.wire.generated.list_offsets import (
    ListOffsetsRequest,
    ListOffsetsRequestPartition,
    ListOffsetsRequestTopic,
    ListOffsetsResponsePartition,
)
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from muster.wire.header import decode_response_header, encode_request_header

EARLIEST: Final = -2
LATEST: Final = -1
MAX_TIMESTAMP: Final = -3
MAX_TIMESTAMP_SINCE: Final = 7
"""KIP-734: ListOffsets answers for the largest timestamp since this version."""

_TIMEOUT_S: Final = 30.0
_CLIENT_ID: Final = "muster-pipeline"
_LAST_FETCH_BY_NAME: Final = 12
"""Fetch names topics by id alone from version 13 on; names are enough for us and older brokers know them."""
_MAX_WAIT_MS: Final = 500
_MAX_FRAME_BYTES: Final = 1 << 30
_I32 = Struct(">i")


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


class BrokerClient:
    """Connections to the brokers of one cluster, made when first needed."""

    def __init__(self, bootstrap: str, timeout_s: float = _TIMEOUT_S) -> None:
        self._bootstrap = parse_bootstrap(bootstrap)
        self._timeout_s = timeout_s
        self._connections: dict[tuple[str, int], _Connection] = {}
        self._brokers: dict[int, tuple[str, int]] = {}

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
        self, leader: int, partitions: Sequence[tuple[str, int]], timestamp: int
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
            topics=[ListOffsetsRequestTopic(name, asked) for name, asked in by_topic.items()],
            timeout_ms=int(self._timeout_s * 1000),
        )
        answer = connection.ask("ListOffsets", request)
        return {(topic.name, part.partition_index): part for topic in answer.topics for part in topic.partitions}

    def fetch(self, leader: int, topic: str, partition: int, offset: int, max_bytes: int) -> tuple[int, bytes]:
        """(error code, raw batches from `offset` on). Uncommitted records and markers included."""
        part = FetchRequestPartition(partition=partition, fetch_offset=offset, partition_max_bytes=max_bytes)
        request = FetchRequest(
            max_wait_ms=_MAX_WAIT_MS,
            min_bytes=1,
            max_bytes=max_bytes,
            topics=[FetchRequestTopic(topic=topic, partitions=[part])],
        )
        answer = self._to(leader).ask("Fetch", request, _LAST_FETCH_BY_NAME)
        if answer.error_code:
            return answer.error_code, b""
        found = answer.responses[0].partitions[0]
        return found.error_code, bytes(found.records or b"")

    def _any(self) -> _Connection:
        troubles: list[str] = []
        for address in (*self._bootstrap, *self._brokers.values()):
            try:
                return self._connected(address)
            except SourceError as error:
                troubles.append(str(error))
        raise SourceError("; ".join(troubles))

    def _to(self, node: int) -> _Connection:
        if node not in self._brokers:
            self.metadata([])
        address = self._brokers.get(node)
        if address is None:
            raise SourceError(f"broker {node} leads a partition but is not in the cluster's metadata: try again")
        return self._connected(address)

    def _connected(self, address: tuple[str, int]) -> _Connection:
        connection = self._connections.get(address)
        if connection is None or connection.is_broken:
            connection = self._connections[address] = _Connection(address, self._timeout_s)
        return connection


def parse_bootstrap(text: str) -> list[tuple[str, int]]:
    """HOST:PORT[,HOST:PORT...], as `bootstrap.servers` of every client."""
    addresses: list[tuple[str, int]] = []
    for each in text.split(","):
        host, colon, port = each.strip().rpartition(":")
        if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65_536:
            raise SourceError(f"bootstrap {text!r}: {each.strip()!r} is not HOST:PORT")
        addresses.append((host.removeprefix("[").removesuffix("]"), int(port)))
    return addresses


class _Connection:
    """One broker, one question at a time."""

    def __init__(self, address: tuple[str, int], timeout_s: float) -> None:
        self._where = f"{address[0]}:{address[1]}"
        self._correlation_id = 0
        self.is_broken = False
        try:
            self._socket = socket.create_connection(address, timeout_s)
        except OSError as error:
            raise SourceError(f"{self._where}: cannot connect: {error}. Does a broker listen there?") from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._versions: dict[int, tuple[int, int]] = {18: (0, 0)}
        self._versions = self._ask_versions()

    def close(self) -> None:
        self.is_broken = True
        self._socket.close()

    def version(self, api: str, newest: int | None = None) -> int:
        """The newest version of an API that both sides know."""
        ours = APIS[API_KEYS[api]]
        theirs = self._versions.get(ours.key)
        if theirs is None:
            raise SourceError(f"{self._where}: does not offer {api}, which is needed to read from a broker")
        version = min(theirs[1], ours.max_version if newest is None else newest)
        if version < max(theirs[0], ours.min_version):
            raise SourceError(
                f"{self._where}: offers {api} {theirs[0]} to {theirs[1]}, we speak {ours.min_version} to {ours.max_version}"
            )
        return version

    def ask(self, api: str, message: object, newest: int | None = None) -> Any:
        key, version = API_KEYS[api], self.version(api, newest)
        self._correlation_id += 1
        payload = encode_request_header(key, version, self._correlation_id, _CLIENT_ID)
        payload += request_encoder(key, version)(message)
        try:
            self._socket.sendall(_I32.pack(len(payload)) + payload)
            frame = self._frame(api)
            number, position = decode_response_header(key, version, frame)
            answer = response_decoder(key, version)(frame, position)
        except TimeoutError as error:
            self.close()
            raise SourceError(f"{self._where}: no answer to {api} in time") from error
        except OSError as error:
            self.close()
            raise SourceError(f"{self._where}: the connection broke while waiting for {api}: {error}") from error
        except WireError as error:
            self.close()
            raise SourceError(f"{self._where}: the answer to {api} cannot be read: {error}") from error
        if number != self._correlation_id:
            self.close()
            raise SourceError(f"{self._where}: answered request {number} instead of {self._correlation_id}")
        return answer

    def _ask_versions(self) -> dict[int, tuple[int, int]]:
        answer = self.ask("ApiVersions", ApiVersionsRequest())
        if answer.error_code:
            raise SourceError(f"{self._where}: ApiVersions was answered with {name_of(answer.error_code)}")
        return {each.api_key: (each.min_version, each.max_version) for each in answer.api_keys}

    def _frame(self, api: str) -> bytes:
        (size,) = _I32.unpack(self._exactly(_I32.size))
        if not 0 <= size <= _MAX_FRAME_BYTES:
            raise WireError(f"a frame of {size} bytes: is this a Kafka port, and without TLS?")
        return self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        received = bytearray(size)
        view = memoryview(received)
        got = 0
        while got < size:
            count = self._socket.recv_into(view[got:])
            if count == 0:
                raise ConnectionError("the broker closed it")
            got += count
        return bytes(received)
