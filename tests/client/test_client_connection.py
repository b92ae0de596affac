"""One connection against brokers that are old, slow, rude or not brokers at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from struct import pack, unpack, unpack_from

import pytest

from muster.client.connection import Connection
from muster.client.failure import ClientError
from muster.client.security import Security
from muster.security.users import new_credential
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.testing import Broker
from muster.wire.apis import API_KEYS, response_encoder
from muster.wire.errors import NONE, UNSUPPORTED_VERSION
from muster.wire.generated.api_versions import ApiVersionsResponse, ApiVersionsResponseApiKey
from muster.wire.generated.heartbeat import HeartbeatRequest, HeartbeatResponse
from muster.wire.generated.list_groups import ListGroupsRequest
from muster.wire.generated.metadata import MetadataRequest
from muster.wire.header import has_flexible_response_header
from tests.client.members import run

Answer = Callable[[int, int, int], bytes | None]
"""(api key, version, correlation id) -> the frame to send back, or None for silence."""
HEARTBEAT = API_KEYS["Heartbeat"]
API_VERSIONS = API_KEYS["ApiVersions"]


@asynccontextmanager
async def fake_broker(answer: Answer) -> AsyncIterator[int]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                (size,) = unpack(">i", await reader.readexactly(4))
                frame = answer(*unpack_from(">hhi", await reader.readexactly(size)))
                if frame is not None:
                    writer.write(pack(">i", len(frame)) + frame)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def ranges(**known: tuple[int, int]) -> ApiVersionsResponse:
    return ApiVersionsResponse(
        NONE, [ApiVersionsResponseApiKey(API_KEYS[name], least, most) for name, (least, most) in known.items()]
    )


def reply(api: str, version: int, correlation_id: int, message: object) -> bytes:
    key = API_KEYS[api]
    header = pack(">ix" if has_flexible_response_header(key, version) else ">i", correlation_id)
    return header + response_encoder(key, version)(message)


def test_an_old_broker_is_asked_again_in_the_version_it_has() -> None:
    """KIP-511: UNSUPPORTED_VERSION comes in the layout of version 0, with the range that is supported."""
    asked: list[int] = []

    def answer(key: int, version: int, correlation_id: int) -> bytes:
        if key == API_VERSIONS:
            asked.append(version)
            if version > 1:
                refused = ranges(ApiVersions=(0, 1))
                refused.error_code = UNSUPPORTED_VERSION
                return reply("ApiVersions", 0, correlation_id, refused)
            return reply("ApiVersions", version, correlation_id, ranges(ApiVersions=(0, 1), Heartbeat=(0, 1)))
        return reply("Heartbeat", version, correlation_id, HeartbeatResponse(0, 27))

    async def story() -> None:
        async with fake_broker(answer) as port:
            connection = await Connection.open("127.0.0.1", port)
            assert asked == [4, 1]
            assert connection.version("Heartbeat") == 1
            assert (await connection.call("Heartbeat", HeartbeatRequest("g", 1, "m"))).error_code == 27
            with pytest.raises(ClientError, match="ask ListGroups: UNSUPPORTED_VERSION: the server does not have it"):
                await connection.call("ListGroups", ListGroupsRequest())
            connection.close()
            await connection.wait_closed()

    run(story)


def failing_heartbeat(bad: Answer) -> Answer:
    def answer(key: int, version: int, correlation_id: int) -> bytes | None:
        if key == API_VERSIONS:
            return reply("ApiVersions", version, correlation_id, ranges(ApiVersions=(0, 4), Heartbeat=(0, 4)))
        return bad(key, version, correlation_id)

    return answer


async def beat(port: int, timeout_seconds: float | None = None) -> None:
    connection = await Connection.open("127.0.0.1", port)
    first = asyncio.create_task(
        connection.call("Heartbeat", HeartbeatRequest("g", 1, "m"), timeout_seconds=timeout_seconds)
    )
    second = asyncio.create_task(connection.call("Heartbeat", HeartbeatRequest("g", 1, "m")))
    outcome = await asyncio.gather(first, second, return_exceptions=True)
    await connection.wait_closed()
    assert connection.closed
    assert all(isinstance(each, ClientError) for each in outcome)
    assert isinstance(outcome[0], ClientError)
    raise outcome[0]


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (lambda key, version, number: pack(">i", number + 1) + b"\0" * 20, "came where .* was due"),
        (lambda key, version, number: pack(">i", number) + b"\0\0", "Heartbeat response"),
        (lambda key, version, number: b"", "a reply of 0 bytes"),
    ],
)
def test_a_garbled_reply_ends_the_connection_and_every_call_on_it(frame: Answer, complaint: str) -> None:
    async def story() -> None:
        async with fake_broker(failing_heartbeat(frame)) as port:
            with pytest.raises(ClientError, match=complaint):
                await beat(port)

    run(story)


def test_a_reply_that_does_not_come_ends_the_connection() -> None:
    """Replies come in order: behind the missing one none will be heard."""

    async def story() -> None:
        async with fake_broker(failing_heartbeat(lambda *_: None)) as port:
            with pytest.raises(ClientError, match=r"ask Heartbeat of .*: REQUEST_TIMED_OUT: no reply in 0.05 s"):
                await beat(port, 0.05)

    run(story)


def test_something_that_is_no_broker_is_recognised() -> None:
    async def story() -> None:
        async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            await reader.read()
            writer.close()

        server = await asyncio.start_server(greet, "127.0.0.1", 0)
        async with server:
            with pytest.raises(ClientError, match=r"a reply of \d+ bytes.*Check that the port is Kafka's"):
                await Connection.open("127.0.0.1", server.sockets[0].getsockname()[1])

    run(story)


def test_an_answer_that_nobody_waits_for_any_more_disturbs_nobody() -> None:
    async def story(broker: Broker) -> None:
        connection = await Connection.open(broker.host, broker.port)
        forgotten = asyncio.create_task(connection.call("Metadata", MetadataRequest(None)))
        await asyncio.sleep(0)  # so that it is sent
        forgotten.cancel()
        assert (await connection.call("ListGroups", ListGroupsRequest())).error_code == NONE
        connection.close()
        await connection.wait_closed()

    with Broker() as broker:
        run(lambda: story(broker))


def test_calls_that_overlap_each_get_their_own_answer() -> None:
    async def story(broker: Broker) -> None:
        connection = await Connection.open(broker.host, broker.port)
        calls: list[Awaitable[object]] = []
        for number in range(20):
            if number % 2:
                calls.append(connection.call("Metadata", MetadataRequest([])))
            else:
                calls.append(connection.call("ListGroups", ListGroupsRequest()))
        names = [type(each).__name__ for each in await asyncio.gather(*calls)]
        assert names == ["ListGroupsResponse", "MetadataResponse"] * 10
        connection.close()
        await connection.wait_closed()

    with Broker() as broker:
        run(lambda: story(broker))


def test_a_session_is_renewed_before_the_broker_ends_it() -> None:
    """KIP-368: with connections.max.reauth.ms the client authenticates again on the same connection."""
    settings = {
        "muster.storage": "memory",
        "listeners": "SASL_PLAINTEXT://127.0.0.1:0",
        "sasl.enabled.mechanisms": "SCRAM-SHA-256",
        "connections.max.reauth.ms": "4000",
    }

    async def story(server: RunningServer) -> None:
        security = Security(protocol="SASL_PLAINTEXT", mechanism="SCRAM-SHA-256", username="ada", password="secret")
        connection = await Connection.open(server.host, server.port, security=security)
        first_deadline = connection._reauthenticate_at
        while connection._reauthenticate_at == first_deadline:
            await connection.call("ListGroups", ListGroupsRequest())
            await asyncio.sleep(0.02)  # the time at which the client asks again has to come
        assert not connection.closed
        connection.close()
        await connection.wait_closed()

    with RunningServer(Settings.of(settings)) as server:
        credential = new_credential("SCRAM-SHA-256", "secret")
        server.run(server.node.users.alter, [("ada", "SCRAM-SHA-256", credential)])
        run(lambda: story(server))
