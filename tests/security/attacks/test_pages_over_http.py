"""The metrics page and the test controls: they ask nobody who they are, so nobody can hold, stop or confuse them."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from muster.runtime.metrics import MAX_LABEL_CHARS, Metric, exposition
from muster.server import http_guard
from muster.server.http_guard import MOST_CONNECTIONS, may_be_http
from muster.server.metrics_page import OK, serve_pages
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.testing.control_http import Refused, read_request
from muster.testing.controlled_server import ControlledServer

PATIENCE_SECONDS = 60
PAGES = ("metrics", "control")


class Pages(RunningServer):
    """A server with both pages."""

    def __init__(self) -> None:
        settings = Settings.of(
            {
                "listeners": "127.0.0.1:0",
                "muster.storage": "memory",
                "muster.metrics.listen": "127.0.0.1:0",
                "muster.control.listen": "127.0.0.1:0",
            }
        )
        super().__init__(settings)
        self._settings = settings

    async def _serve(self) -> None:
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._told_to_stop = asyncio.Event()
        server = ControlledServer(self._settings)
        self.server = server
        bound = await server.start()
        self.host, self.port = bound.host, bound.port
        self._started.set_result(None)
        await self._told_to_stop.wait()
        await server.stop()

    def connect(self, page: str) -> socket.socket:
        assert isinstance(self.server, ControlledServer)
        endpoint = self.server.metrics if page == "metrics" else self.server.control
        assert endpoint is not None
        return socket.create_connection((endpoint.host, endpoint.port), timeout=PATIENCE_SECONDS)

    def ask(self, page: str, data: bytes) -> tuple[int, bytes]:
        """Status and body."""
        with self.connect(page) as connection:
            connection.sendall(data)
            answer = everything(connection)
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split(b" ")[1]), body


def everything(connection: socket.socket) -> bytes:
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


@pytest.fixture(scope="module")
def server() -> Iterator[Pages]:
    with Pages() as running:
        assert isinstance(running, Pages)
        yield running


def post(path: str, body: bytes) -> bytes:
    return b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (path.encode(), len(body)) + body


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "hello",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"get / http/1.1\r\n",
        b"GET /\r\n",
        b"GET / HTTP/1.1\n",
        b"X" * 10,
        b"GET /" + b"x" * 5_000,
    ],
    ids=["tls", "ssh", "small letters", "no version", "bare newline", "no method", "long line"],
)
def test_somebody_who_does_not_speak_http_is_answered_at_once(server: Pages, page: str, hello: bytes) -> None:
    """Kafka clients are answered in their own protocol: tests/server/test_strayed_clients.py."""
    assert server.ask(page, hello) == (400, b"this port speaks HTTP\n")


@pytest.mark.parametrize("page", PAGES)
def test_half_open_connections_crowd_out_themselves_and_nobody_else(server: Pages, page: str) -> None:
    with ExitStack() as stack:
        flood = [stack.enter_context(server.connect(page)) for _ in range(MOST_CONNECTIONS + 20)]
        for each in flood[-5:]:
            each.sendall(b"GET /metrics HTTP/1.1\r\n")
        assert everything(flood[0]) == b""
        path = b"/metrics" if page == "metrics" else b"/"
        assert server.ask(page, b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")[0] == 200


REQUEST = b"GET /metrics HTTP/1.1\r\n\r\n"


def test_a_page_that_is_being_made_is_not_crowded_out() -> None:
    async def ask() -> bytes:
        may_end, has_begun = asyncio.Event(), asyncio.Event()

        async def slow_page() -> tuple[str, str]:
            has_begun.set()
            await may_end.wait()
            return OK, "made\n"

        server = await serve_pages("127.0.0.1", 0, {"/metrics": slow_page})
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(REQUEST)
        await has_begun.wait()
        idle = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(MOST_CONNECTIONS)]
        with suppress(ConnectionResetError):
            assert await idle[0][0].read() == b"", "the oldest of those that ask nothing has to go"
        may_end.set()
        answer = await reader.read()
        server.close()
        for each in (writer, *(writer for _, writer in idle)):
            each.close()
        return answer

    assert asyncio.run(ask()).endswith(b"made\n")


def test_a_client_that_ends_its_side_after_its_request_gets_the_page() -> None:
    async def page() -> tuple[str, str]:
        for _ in range(10):  # what the client has sent is read meanwhile, to its end
            await asyncio.sleep(0)
        return OK, "made\n"

    async def ask() -> bytes:
        server = await serve_pages("127.0.0.1", 0, {"/metrics": page})
        client = socket.create_connection(("127.0.0.1", server.port))
        client.sendall(REQUEST)
        client.shutdown(socket.SHUT_WR)
        reader, writer = await asyncio.open_connection(sock=client)
        answer = await reader.read()
        server.close()
        writer.close()
        return answer

    assert asyncio.run(ask()).endswith(b"made\n")


@pytest.mark.parametrize("page", PAGES)
def test_a_request_that_does_not_end_is_closed(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_guard, "REQUEST_SECONDS", 0.05)
    with Pages() as server:
        assert isinstance(server, Pages)
        with server.connect(page) as connection:
            connection.sendall(b"GET /metrics HTTP/1.1\r\n")
            assert everything(connection) == b""


@pytest.mark.parametrize(
    "body",
    [
        b'{"seconds": 1e400}',
        b'{"seconds": -1e400}',
        b'{"seconds": NaN}',
        b'{"seconds": Infinity}',
        b'{"seconds": 1' + b"0" * 4000 + b"}",
        b'{"days": 1e300}',
        b'{"seconds": ' + b"[" * 100_000,
        b'{"seconds": []}',
        b"\xff\xfe",
        b"[]",
    ],
    ids=["1e400", "-1e400", "NaN", "Infinity", "long", "too many days", "deep", "list", "not text", "no object"],
)
def test_a_number_that_is_none_and_json_that_is_too_deep_are_refused(
    server: Pages, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    status, answer = server.ask("control", post("/clock/advance", body))
    assert (status, "error" in json.loads(answer)) == (400, True)
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("http://[", b"", 400),
        ("//[::1", b"", 400),
        ("/groups/%ff/wait?timeout=inf", b"", 405),
        ("/topics", b'{"name": "a/b"}', 400),
        ("/topics", b'{"name": "t", "configs": "x"}', 400),
        ("/topics", b'{"name": "t", "partitions": 1e300}', 400),
        ("/topics/t/records", b'{"records": [{"key_base64": "?"}]}', 400),
        ("/topics/nowhere/records", b'{"records": [{"key": "k"}], "partition": {}}', 400),
        ("/faults", b'{"kind": "error", "api": "Fetch"}', 400),
        ("/faults", b'{"kind": "coordinator_moved", "group": "g", "seconds": "x"}', 400),
    ],
)
def test_what_makes_no_sense_is_answered_and_leaves_no_traceback(
    server: Pages, path: str, body: bytes, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    assert server.ask("control", post(path, body))[0] == status
    assert "Traceback" not in caplog.text
    assert "never retrieved" not in caplog.text


def test_a_wait_has_an_end(server: Pages) -> None:
    for timeout in (b"inf", b"nan", b"1e9", b"-1"):
        request = b"GET /groups/g/wait?state=Stable&timeout=%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % timeout
        assert server.ask("control", request)[0] == 400


@pytest.mark.parametrize("size", ["9" * 5_000, "-1", "٣", "1e3", "99999999999"])
def test_a_body_size_that_is_none_is_refused(size: str) -> None:
    with pytest.raises(Refused):
        read_request(f"POST / HTTP/1.1\r\nContent-Length: {size}\r\n\r\n".encode())


def test_every_beginning_of_a_request_may_still_become_one() -> None:
    whole = b"DELETE /faults/1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert all(may_be_http(whole[:end]) for end in range(len(whole) + 1))


def test_label_values_have_no_control_characters_and_a_longest() -> None:
    """A page is looked at in terminals too; names are the clients' choice."""
    labels: list[dict[str, Any]] = [
        {"group": name} for name in ("\x1b]0;owned\x07", "a\rb", "\u202eevil", "x" * 40_000, "x" * 40_001, 'a"b\\\n')
    ]
    metric = Metric("muster_x", "gauge", "X.", tuple((each, 1.0) for each in labels))
    lines = "".join(exposition([metric])).splitlines()[2:]
    assert lines[0] == 'muster_x{group="\\\\u001b]0;owned\\\\u0007"} 1'
    assert lines[5] == 'muster_x{group="a\\"b\\\\\\n"} 1'
    assert all(line.isprintable() and len(line) < MAX_LABEL_CHARS + 50 for line in lines)
    assert len(set(lines)) == len(labels)
