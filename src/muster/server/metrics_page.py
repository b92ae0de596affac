"""`GET /metrics` for Prometheus, on an address of its own. Enough HTTP for a scraper and for curl; nothing else is served.

Knows nothing of what the numbers mean: it is given a function that makes the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from muster.server.http_guard import HttpConnection, HttpPlaces

MAX_REQUEST_BYTES: Final = 8_192
_PLAIN: Final = "text/plain; version=0.0.4; charset=utf-8"


class MetricsConnection(HttpConnection):
    def __init__(self, places: HttpPlaces, page: Callable[[], str]) -> None:
        super().__init__(places)
        self._page = page

    def serve(self, received: bytearray) -> None:
        if b"\r\n\r\n" in received:
            self._answer(*self._response(bytes(received)))
        elif len(received) > MAX_REQUEST_BYTES:
            self._answer("431 Request Header Fields Too Large", "the request is too large\n")

    def _response(self, request: bytes) -> tuple[str, str]:
        method, _, rest = request.partition(b" ")
        path = rest.split(b" ", 1)[0].split(b"?", 1)[0]
        if method not in (b"GET", b"HEAD"):
            return "405 Method Not Allowed", "only GET is served here\n"
        if path != b"/metrics":
            return "404 Not Found", "the metrics are at /metrics\n"
        return "200 OK", self._page()

    def _answer(self, status: str, text: str) -> None:
        # A name that is no text must not keep the whole page from being shown.
        self.send(status, _PLAIN, text.encode(errors="replace"), with_body=not self._received.startswith(b"HEAD "))


async def serve_metrics(host: str, port: int, page: Callable[[], str]) -> asyncio.Server:
    """Listen until the returned server is closed. Port 0 picks a free one."""
    places = HttpPlaces()
    return await asyncio.get_running_loop().create_server(lambda: MetricsConnection(places, page), host, port)
