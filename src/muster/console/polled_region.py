"""A region of a page that the console asks for again and again while the page is open, by server-sent events.

For pages whose contents the observer does not follow: records as they come, the nodes of the cluster. Each such page asks the
cluster for itself, at an interval, and rests sixty-five times as long as it was busy.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, TypeAlias

from starlette.responses import Response, StreamingResponse

from muster.console.live import PING_SECONDS
from muster.console.observer import BUSY_FACTOR
from muster.console.web import Visit

MakeMarkup: TypeAlias = Callable[[], Awaitable[str | None]]
"""The region as it is now; None if it is known to be as it was."""
_SLOWEST_SECONDS: Final = 60.0


def stream_region(
    visit: Visit, region: str, make: MakeMarkup, every_seconds: float, is_settled: Callable[[], bool] = lambda: True
) -> Response:
    """`is_settled`: whether what was made last is what the cluster says, or why it says nothing."""
    if not visit.live.has_room():
        return Response("Too many pages are open.\n", 503, media_type="text/plain")
    return StreamingResponse(_events(visit, region, make, every_seconds, is_settled), media_type="text/event-stream")


async def _events(
    visit: Visit, region: str, make: MakeMarkup, every_seconds: float, is_settled: Callable[[], bool]
) -> AsyncIterator[str]:
    live = visit.live  # the one of this page, also if the user gets another one meanwhile
    live.polled += 1
    version, shown, silent_seconds = 0, "", 0.0
    try:
        yield "retry: 1000\n\n"
        while not live.has_ended and visit.renew():
            began = time.thread_time()
            markup = await make()
            if markup is not None and markup != shown:
                version, shown, silent_seconds = version + 1, markup, 0.0
                body = {"now": live.observer.now_ms(), "settled": is_settled(), "regions": {region: markup}}
                yield f"id: {version}\nevent: regions\ndata: {json.dumps(body)}\n\n"
            elif silent_seconds >= PING_SECONDS:
                silent_seconds = 0.0
                yield f"event: ping\ndata: {live.observer.now_ms()}\n\n"
            pause = min(max(every_seconds, BUSY_FACTOR * (time.thread_time() - began)), _SLOWEST_SECONDS)
            silent_seconds += pause
            await asyncio.sleep(pause)
    finally:
        live.polled -= 1
