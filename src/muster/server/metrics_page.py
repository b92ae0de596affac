"""`GET /metrics` for Prometheus, `/healthz` and `/readyz` for supervisors, on an address of their own.

Enough HTTP for a scraper and for curl. Knows nothing of what is said there: it is given the functions that make the pages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from muster.server.http_guard import HttpConnection, HttpPlaces, HttpServer, serve_http

MAX_REQUEST_BYTES: Final = 8_192
OK: Final = "200 OK"
UNAVAILABLE: Final = "503 Service Unavailable"
Page: TypeAlias = tuple[str, str]
"""Status and text."""
Pages: TypeAlias = Mapping[str, Callable[[], Page]]
"""By path."""
_PLAIN: Final = "text/plain; version=0.0.4; charset=utf-8"


class MetricsConnection(HttpConnection):
    def __init__(self, places: HttpPlaces, pages: Pages) -> None:
        super().__init__(places)
        self._pages = pages

    def serve(self, received: bytearray) -> None:
        if b"\r\n\r\n" in received:
            self._answer(*self._response(bytes(received)))
        elif len(received) > MAX_REQUEST_BYTES:
            self._answer("431 Request Header Fields Too Large", "the request is too large\n")

    def _response(self, request: bytes) -> Page:
        method, _, rest = request.partition(b" ")
        path = rest.split(b" ", 1)[0].split(b"?", 1)[0]
        if method not in (b"GET", b"HEAD"):
            return "405 Method Not Allowed", "only GET is served here\n"
        page = self._pages.get(path.decode("ascii", "replace"))
        return page() if page is not None else ("404 Not Found", f"the pages here are {', '.join(self._pages)}\n")

    def _answer(self, status: str, text: str) -> None:
        # A name that is no text must not keep the whole page from being shown.
        self.send(status, _PLAIN, text.encode(errors="replace"), with_body=not self._received.startswith(b"HEAD "))


async def serve_pages(host: str, port: int, pages: Pages) -> HttpServer:
    return await serve_http(host, port, lambda places: MetricsConnection(places, pages))
