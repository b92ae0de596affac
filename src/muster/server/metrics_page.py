"""`GET /metrics` for Prometheus, `/healthz` and `/readyz` for supervisors, on an address of their own.

Enough HTTP for a scraper and for curl. Knows nothing of what is said there: it is given the functions that make the pages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from time import perf_counter
from typing import Any, Final, TypeAlias

from muster.server.http_guard import SEND_SECONDS, HttpConnection, HttpPlaces, HttpServer, serve_http

MAX_REQUEST_BYTES: Final = 8_192
OK: Final = "200 OK"
UNAVAILABLE: Final = "503 Service Unavailable"
Page: TypeAlias = tuple[str, str]
"""Status and text."""
Pages: TypeAlias = Mapping[str, Callable[[], Page | Coroutine[Any, Any, Page]]]
"""By path."""
SLICE_SECONDS: Final = 0.002
"""A page that takes longer lets the loop serve others after each."""
_PLAIN: Final = "text/plain; version=0.0.4; charset=utf-8"


class MetricsConnection(HttpConnection):
    def __init__(self, places: HttpPlaces, pages: Pages) -> None:
        super().__init__(places)
        self._pages = pages
        self._work: asyncio.Task[Page] | None = None

    def serve(self, received: bytearray) -> None:
        if b"\r\n\r\n" in received:
            response = self._response(bytes(received))
            if isinstance(response, tuple):
                self._answer(*response)
                return
            self.end_of_request()
            self._work = asyncio.get_running_loop().create_task(response)
            self._work.add_done_callback(self._made)
        elif len(received) > MAX_REQUEST_BYTES:
            self._answer("431 Request Header Fields Too Large", "the request is too large\n")

    def eof_received(self) -> bool:
        """Whether the connection stays open: a client may end its side when it has sent its request, as `nc -N` does. One that
        has gone does so too, so there is a limit to making the page.
        """
        if self._work is None:
            return False
        if not self._work.done():
            self._deadline = asyncio.get_running_loop().call_later(SEND_SECONDS, self.drop)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._work is not None:
            self._work.cancel()

    def _made(self, work: asyncio.Task[Page]) -> None:
        if work.cancelled():
            return
        error = work.exception()
        if error is None:
            self._answer(*work.result())
            return
        asyncio.get_running_loop().call_exception_handler({"message": "a page cannot be made", "exception": error})
        self.drop()

    def _response(self, request: bytes) -> Page | Coroutine[Any, Any, Page]:
        method, _, rest = request.partition(b" ")
        path = rest.split(b" ", 1)[0].split(b"?", 1)[0]
        if method not in (b"GET", b"HEAD"):
            return "405 Method Not Allowed", "only GET is served here\n"
        page = self._pages.get(path.decode("ascii", "replace"))
        return page() if page is not None else ("404 Not Found", f"the pages here are {', '.join(self._pages)}\n")

    def _answer(self, status: str, text: str) -> None:
        # A name that is no text must not keep the whole page from being shown.
        self.send(status, _PLAIN, text.encode(errors="replace"), with_body=not self._received.startswith(b"HEAD "))


async def joined_in_slices(pieces: Iterable[str], now: Callable[[], float] = perf_counter) -> str:
    """The pieces are made one after the other, and between two slices of time others have their turn."""
    text: list[str] = []
    slice_ends = now() + SLICE_SECONDS
    for piece in pieces:
        text.append(piece)
        if now() >= slice_ends:
            await asyncio.sleep(0)
            slice_ends = now() + SLICE_SECONDS
    return "".join(text)


async def serve_pages(host: str, port: int, pages: Pages) -> HttpServer:
    return await serve_http(host, port, lambda places: MetricsConnection(places, pages))
