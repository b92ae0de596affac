"""Just enough HTTP for the control pages: one request a connection, JSON in and out, no more than a limit.

Knows nothing of what is asked: it is given a coroutine that answers. Browsers are kept out: a page of
somebody else's must not be able to move the clock of a broker on this machine, so a request with an Origin, or for a host
that is no address, is refused.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

MAX_HEAD_BYTES = 8_192
MAX_BODY_BYTES = 8 * 1024 * 1024


class Refused(Exception):
    """The request cannot be answered; the text says why and what to do."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(slots=True)
class Asked:
    method: str
    path: tuple[str, ...]
    """Its parts, decoded."""
    query: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)


Answer = Callable[[Asked], Awaitable[object]]


class ControlConnection(asyncio.Protocol):
    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._received = b""
        self._transport: asyncio.Transport | None = None
        self._work: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        if self._work is not None:
            return  # one request a connection
        self._received += data
        try:
            asked = read_request(self._received)
        except Refused as refused:
            self._send(refused.status, {"error": str(refused)})
            return
        if asked is not None:
            self._work = asyncio.get_running_loop().create_task(self._serve(asked))

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self._work is not None:
            self._work.cancel()  # nobody hears the end of a wait any more

    async def _serve(self, asked: Asked) -> None:
        try:
            answer = await self._answer(asked)
        except Refused as refused:
            self._send(refused.status, {"error": str(refused)})
        except (ValueError, TypeError, KeyError) as error:
            self._send(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        else:
            self._send(HTTPStatus.OK, answer)

    def _send(self, status: HTTPStatus, answer: object) -> None:
        if self._transport is None:
            return
        body = json.dumps(answer, ensure_ascii=False).encode() + b"\n"
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self._transport.write(head.encode() + body)
        self._transport.close()


def read_request(received: bytes) -> Asked | None:
    """The request, once it is all there. Refused says what is wrong with it."""
    head, blank, body = received.partition(b"\r\n\r\n")
    if not blank:
        if len(received) > MAX_HEAD_BYTES:
            raise Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"the head is over {MAX_HEAD_BYTES} bytes")
        return None
    first, *rest = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    _keep_browsers_out(headers)
    size = headers.get("content-length", "0")
    if not size.isdecimal() or int(size) > MAX_BODY_BYTES:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body must have 0 to {MAX_BODY_BYTES} bytes")
    if len(body) < int(size):
        return None
    words = first.split(" ")
    if len(words) != 3:
        raise Refused(HTTPStatus.BAD_REQUEST, f"{first!r} is no HTTP request line")
    url = urlsplit(words[1])
    path = tuple(unquote(part) for part in url.path.split("/") if part)
    return Asked(words[0], path, dict(parse_qsl(url.query)), _json(body[: int(size)]))


def _json(body: bytes) -> dict[str, Any]:
    if not body.strip():
        return {}
    try:
        found = json.loads(body)
    except ValueError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, f"the body is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise Refused(HTTPStatus.BAD_REQUEST, "the body must be a JSON object")
    return found


def _keep_browsers_out(headers: dict[str, str]) -> None:
    if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
        raise Refused(HTTPStatus.FORBIDDEN, "web pages may not use the test controls")
    host = headers.get("host", "localhost").rsplit(":", 1)[0] if "]" not in headers.get("host", "") else "localhost"
    if host != "localhost" and not _is_address(host):
        raise Refused(HTTPStatus.FORBIDDEN, f"use an address or localhost in place of the host name {host!r}")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
