"""The newest records of a partition while a page follows them.

Asks once a second and for no more than one page of records: what came faster than that is skipped, and the page says how much.
"""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from muster.client import admin
from muster.client.failure import ClientError
from muster.console.polled_region import stream_region
from muster.console.topic_pages import PAGE_RECORDS, RecordsAsked, read_page, records_context
from muster.console.web import Visit

PAUSE_SECONDS: Final = 1.0


async def follow(visit: Visit) -> Response:
    return stream_region(visit, "records", _Tail(visit, RecordsAsked.of(visit)).markup, PAUSE_SECONDS)


class _Tail:
    def __init__(self, visit: Visit, asked: RecordsAsked) -> None:
        self._visit = visit
        self._asked = asked
        self._end = -1
        """Where the log ended at the last look."""

    async def markup(self) -> str | None:
        """None if the log ends where it did."""
        cluster, place, committed = self._visit.observer.cluster, self._asked.place, self._asked.committed
        try:
            end = (await admin.list_offsets(cluster, {place: admin.LATEST}, read_committed=committed))[place].offset
            if end == self._end:
                return None
            starts = await admin.list_offsets(cluster, {place: admin.EARLIEST})
            first = max(starts[place].offset, end - PAGE_RECORDS)
            found, _ = await read_page(cluster, place, first, end, PAGE_RECORDS, read_committed=committed)
        except ClientError as failure:
            return self._visit.console.render("records.html", records_context(self._asked, [], trouble=str(failure)))
        skipped = first - self._end if 0 <= self._end < first else 0
        self._end = end
        return self._visit.console.render("records.html", records_context(self._asked, found[::-1], skipped=skipped))
