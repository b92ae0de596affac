"""A Kafka client that was pointed at the metrics address fails at once and says why, and the server's log says it too."""

from __future__ import annotations

import asyncio
import logging
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaConnectionError
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from muster.client.admin import list_groups
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.wire.generated.api_versions import decode_response_v0, decode_response_v1, decode_response_v3
from tests.server.raw_client import PATIENCE_SECONDS


@pytest.fixture
def port() -> Iterator[int]:
    settings = {"muster.listen": "127.0.0.1:0", "muster.storage": "memory", "muster.metrics.listen": "127.0.0.1:0"}
    with RunningServer(Settings.of(settings)) as running:
        assert running.server is not None
        assert running.server.metrics is not None
        yield running.server.metrics.port


def test_librdkafka_gives_up_without_trying_again(port: int, caplog: pytest.LogCaptureFixture) -> None:
    """Its own patience, 600 s here, is not used: it is told that nothing it needs is spoken there."""
    client = AdminClient({"bootstrap.servers": f"127.0.0.1:{port}", "log_level": 0})
    with caplog.at_level(logging.WARNING, "muster.server"), pytest.raises(KafkaException) as failed:
        client.list_topics(timeout=600)
    assert failed.value.args[0].code() == KafkaError._UNSUPPORTED_FEATURE
    (said,) = {record.getMessage().replace(str(port), "PORT") for record in caplog.records}
    assert said.endswith("connected to 127.0.0.1:PORT, which speaks HTTP: point it at a listener (muster.listen)")


@pytest.mark.parametrize("kind", [AIOKafkaConsumer, AIOKafkaProducer, AIOKafkaAdminClient])
def test_aiokafka_gives_up_without_trying_again(port: int, kind: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def start() -> None:
        client = kind(bootstrap_servers=f"127.0.0.1:{port}", request_timeout_ms=600_000)
        try:
            await asyncio.wait_for(client.start(), PATIENCE_SECONDS)
        finally:
            await (client.close() if kind is AIOKafkaAdminClient else client.stop())

    with pytest.raises(KafkaConnectionError, match="Unable to bootstrap"):
        asyncio.run(start())
    (said,) = {record.getMessage().split(" connected to ")[1] for record in caplog.records if "HTTP" in record.message}
    assert said == f"127.0.0.1:{port}, which speaks HTTP: point it at a listener (muster.listen)"


def test_our_own_client_says_which_mistake_it_was(port: int) -> None:
    async def ask() -> None:
        async with Cluster(f"127.0.0.1:{port}") as cluster:
            await list_groups(cluster)

    with pytest.raises(ClientError) as failed:
        asyncio.run(ask())
    assert str(failed.value).endswith("as at the metrics address of Muster. Check the port.")


async def exchange(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(struct.pack(">i", len(request)) + request)
    try:
        (size,) = struct.unpack(">i", await reader.readexactly(4))
        return await reader.readexactly(size)
    except asyncio.IncompleteReadError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize(
    ("version", "decode"),
    [(0, decode_response_v0), (2, decode_response_v1), (3, decode_response_v3), (4, decode_response_v3)],
)
def test_only_api_versions_is_offered_in_the_version_that_was_asked(port: int, version: int, decode: object) -> None:
    reply = asyncio.run(exchange(port, struct.pack(">hhih", 18, version, 7, -1)))
    assert reply[:4] == struct.pack(">i", 7)
    assert callable(decode)
    answered = decode(reply, 4)
    assert answered.error_code == 0
    assert [(key.api_key, key.min_version, key.max_version) for key in answered.api_keys] == [(18, 0, 4)]


def test_a_newer_version_is_refused_in_the_oldest_layout(port: int) -> None:
    """KIP-511."""
    reply = asyncio.run(exchange(port, struct.pack(">hhih", 18, 9, 7, -1)))
    assert decode_response_v0(reply, 4).error_code == 35


def test_another_request_is_answered_by_the_end_of_the_connection(port: int) -> None:
    assert asyncio.run(exchange(port, struct.pack(">hhih", 3, 9, 7, -1))) == b""
