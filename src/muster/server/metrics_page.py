"""`GET /metrics` for Prometheus, on an address of its own. Enough HTTP for a scraper and for curl; nothing else is served.

Knows nothing of what the numbers mean: it is given a function that makes the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

MAX_REQUEST_BYTES = 8_192


class MetricsConnection(asyncio.Protocol):
    def __init__(self, page: Callable[[], str]) -> None:
        self._page = page
        self._request = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        self._request += data
        if b"\r\n\r\n" in self._request:
            self._answer(*self._response())
        elif len(self._request) > MAX_REQUEST_BYTES:
            self._answer("431 Request Header Fields Too Large", "the request is too large\n")

    def _response(self) -> tuple[str, str]:
        method, _, rest = self._request.partition(b" ")
        path = rest.split(b" ", 1)[0].split(b"?", 1)[0]
        if method not in (b"GET", b"HEAD"):
            return "405 Method Not Allowed", "only GET is served here\n"
        if path != b"/metrics":
            return "404 Not Found", "the metrics are at /metrics\n"
        return "200 OK", self._page()

    def _answer(self, status: str, text: str) -> None:
        assert self._transport is not None
        body = text.encode()
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self._transport.write(head.encode() + (b"" if self._request.startswith(b"HEAD ") else body))
        self._transport.close()


async def serve_metrics(host: str, port: int, page: Callable[[], str]) -> asyncio.Server:
    """Listen until the returned server is closed. Port 0 picks a free one."""
    return await asyncio.get_running_loop().create_server(lambda: MetricsConnection(page), host, port)
