"""The newest records of a partition, followed by server-sent events until the page is closed.

Each such page asks the cluster for itself, once a second and for no more than one page of records: what came faster than that is
passed over, and the page says so.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Final

from starlette.responses import Response, StreamingResponse

from muster.client import admin
from muster.client.failure import ClientError
from muster.console.live import PING_SECONDS
from muster.console.topic_pages import PAGE_RECORDS, RecordsAsked, read_page, records_context
from muster.console.web import Visit

PAUSE_SECONDS: Final = 1.0


async def follow(visit: Visit) -> Response:
    if not visit.live.has_room():
        return Response("Too many pages are open.\n", 503, media_type="text/plain")
    return StreamingResponse(_events(visit, RecordsAsked.of(visit)), media_type="text/event-stream")


async def _events(visit: Visit, asked: RecordsAsked) -> AsyncIterator[str]:
    visit.live.tails += 1
    version, shown_to, quiet_turns = 0, -1, 0
    try:
        yield "retry: 1000\n\n"
        while not visit.live.has_ended and _may_go_on(visit):
            region, end = await _region(visit, asked, shown_to)
            if region is not None:
                version, shown_to, quiet_turns = version + 1, end, 0
                body = {"now": visit.observer.now_ms(), "regions": {"records": region}}
                yield f"id: {version}\nevent: regions\ndata: {json.dumps(body)}\n\n"
            elif quiet_turns * PAUSE_SECONDS >= PING_SECONDS:
                quiet_turns = 0
                yield f"event: ping\ndata: {visit.observer.now_ms()}\n\n"
            quiet_turns += 1
            await asyncio.sleep(PAUSE_SECONDS)
    finally:
        visit.live.tails -= 1


async def _region(visit: Visit, asked: RecordsAsked, shown_to: int) -> tuple[str | None, int]:
    """The markup of the newest records and where the log ends; no markup if it ends where it did."""
    cluster, place = visit.observer.cluster, asked.place
    try:
        ends = await admin.list_offsets(cluster, {place: admin.LATEST}, read_committed=asked.committed)
        end = ends[place].offset
        if end == shown_to:
            return None, end
        starts = await admin.list_offsets(cluster, {place: admin.EARLIEST})
        first = max(starts[place].offset, end - PAGE_RECORDS)
        found, _ = await read_page(cluster, place, first, end, PAGE_RECORDS, read_committed=asked.committed)
    except ClientError as failure:
        return visit.console.render("records.html", records_context(asked, [], trouble=str(failure))), shown_to
    passed = first - shown_to if 0 <= shown_to < first else 0
    return visit.console.render("records.html", records_context(asked, found[::-1], passed=passed)), end


def _may_go_on(visit: Visit) -> bool:
    """Whoever has logged out follows nothing any more."""
    return not visit.console.settings.needs_login or visit.console.sessions.of(visit.request) is not None
