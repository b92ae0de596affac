"""Just enough HTTP for the control pages: one request a connection, JSON in and out, no more than a limit.

Knows nothing of what is asked: it is given a coroutine that answers. Browsers are kept out: a page of
somebody else's must not be able to move the clock of a broker on this machine, so a request with an Origin, or for a host
that is no address, is refused.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from ipaddress import ip_address
from math import isfinite
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from muster.log_limit import LogLimit
from muster.server.http_guard import HttpConnection, HttpPlaces
from muster.topics.refusal import TopicError

MAX_HEAD_BYTES = 8_192
MAX_BODY_BYTES = 8 * 1024 * 1024
_CALLERS_FAULTS: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TopicError,
    TypeError,
    ValueError,
)
"""A field of the wrong kind ends in one of these; the text says which."""
_failures = LogLimit(logging.getLogger("muster.control"), "requests to the test controls that failed", time.monotonic)


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


class ControlConnection(HttpConnection):
    def __init__(self, places: HttpPlaces, answer: Answer) -> None:
        super().__init__(places)
        self._answer = answer
        self._work: asyncio.Task[None] | None = None

    def serve(self, received: bytearray) -> None:
        try:
            asked = read_request(received)
        except Refused as refused:
            self._tell(refused.status, {"error": str(refused)})
            return
        if asked is not None:
            self.end_of_request()
            self._work = asyncio.get_running_loop().create_task(self._serve(asked))

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._work is not None:
            self._work.cancel()  # nobody hears the end of a wait any more

    async def _serve(self, asked: Asked) -> None:
        try:
            answer = await self._answer(asked)
        except Refused as refused:
            self._tell(refused.status, {"error": str(refused)})
        except _CALLERS_FAULTS as error:
            self._tell(HTTPStatus.BAD_REQUEST, {"error": str(error) or type(error).__name__})
        except Exception as error:
            _failures.error("answering %s /%s failed", asked.method, "/".join(asked.path)[:200], exc_info=error)
            self._tell(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": f"{type(error).__name__}: {error}"})
        else:
            self._tell(HTTPStatus.OK, answer)

    def _tell(self, status: HTTPStatus, answer: object) -> None:
        body = json.dumps(answer, ensure_ascii=False).encode(errors="replace") + b"\n"
        self.send(f"{status.value} {status.phrase}", "application/json", body)


def read_request(received: bytes | bytearray) -> Asked | None:
    """The request, once it is all there. Refused says what is wrong with it."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        if len(received) > MAX_HEAD_BYTES:
            raise Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"the head is over {MAX_HEAD_BYTES} bytes")
        return None
    first, *rest = received[:end].decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    _keep_browsers_out(headers)
    size = _body_size(headers)
    begin = end + 4
    if len(received) < begin + size:
        return None
    words = first.split(" ")
    if len(words) != 3:
        raise Refused(HTTPStatus.BAD_REQUEST, f"{first!r} is no HTTP request line")
    try:
        url = urlsplit(words[1])
    except ValueError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, f"{words[1]!r} is no URL: {error}") from None
    path = tuple(unquote(part) for part in url.path.split("/") if part)
    return Asked(words[0], path, dict(parse_qsl(url.query)), _json(bytes(received[begin : begin + size])))


def _body_size(headers: dict[str, str]) -> int:
    text = headers.get("content-length", "0")
    if not (text.isascii() and text.isdecimal()) or len(text) > 10 or int(text) > MAX_BODY_BYTES:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body must have 0 to {MAX_BODY_BYTES} bytes")
    return int(text)


def _json(body: bytes) -> dict[str, Any]:
    if not body.strip():
        return {}
    try:
        found = json.loads(body, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise Refused(HTTPStatus.BAD_REQUEST, "the body is no JSON that is used here: it is too deep") from None
    except ValueError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, f"the body is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise Refused(HTTPStatus.BAD_REQUEST, "the body must be a JSON object")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:40]} is no number that can be used")
    return number


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
