"""Topics, one topic, and its records: asked when the page is, not followed. Which groups read a topic is `reader_view`'s."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.responses import Response

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.partitions import TopicPartition
from muster.client.topics import TopicDescription
from muster.console.paging import portion_of
from muster.console.reader_view import ReaderView
from muster.console.record_text import FORMS, LONG_BYTES, SHORT_BYTES, Shown, show_bytes
from muster.console.rendering import MOST_NAME, link
from muster.console.times import moment_of
from muster.console.web import BadRequest, Visit
from muster.explain.words import plain
from muster.wire.batch import Record
from muster.wire.errors import OFFSET_OUT_OF_RANGE

PAGE_TOPICS: Final = 100
SHOWN_PARTITIONS: Final = 1_000
SHOWN_HEADERS: Final = 50
"""Of one record."""
PAGE_RECORDS: Final = 20
MOST_FETCH_BYTES: Final = 1 << 20
"""Of one page; a single larger record still comes, alone."""
MOST_LONG_FETCH: Final = 64 << 20
_TRIES: Final = 20
"""Fetches for one page: a compacted or aborted stretch may have nothing to show."""


@dataclass(frozen=True, slots=True)
class ShownHeader:
    """On one line, so of a name and of a value only what a name may have there."""

    name: str
    value: Shown
    is_cut: bool


@dataclass(frozen=True, slots=True)
class ShownRecord:
    record: Record
    key: Shown
    value: Shown
    headers: tuple[ShownHeader, ...]
    more_headers: int
    """So many are not shown."""


async def topics(visit: Visit) -> Response:
    wanted = visit.query.get("q", "").strip()[:200]
    internal = visit.query.get("internal") == "1"
    found = await admin.list_topics(visit.observer.cluster, internal=internal)
    matching = [each for each in found if wanted.casefold() in each.name.casefold()]
    shown = portion_of(matching, visit.number("page", least=1) or 1, PAGE_TOPICS)
    await visit.live.visit(ReaderView(visit.observer, None))
    groups = visit.observer.groups
    context = {
        "topics": [(each, groups.readers_of(each.name)) for each in shown.items],
        "seen": groups.count_seen(),
        "groups": len(groups.statuses),
        "matching": shown.total,
        "all": len(found),
        "q": wanted,
        "internal": internal,
        "page": shown.page,
        "pages": shown.pages,
    }
    return visit.page("topics.html", context)


async def topic(visit: Visit) -> Response:
    name, cluster = visit.required("name"), visit.observer.cluster
    (described,) = await admin.describe_topics(cluster, [name])
    starts, ends, failure = await _extents(cluster, described)
    configs: list[admin.ConfigEntry] = []
    refused = ""
    try:
        configs = await admin.topic_configs(cluster, name)
    except ClientError as error:
        refused = str(error)
    readers = ReaderView(visit.observer, name)
    await visit.live.visit(readers)
    context = {
        **readers.context(),
        "live": link("/live/topic", name=name),
        "topic": described,
        "most_partitions": SHOWN_PARTITIONS,
        "starts": starts,
        "ends": ends,
        "failure": failure,
        "configs": configs,
        "refused": refused,
    }
    return visit.page("topic.html", context)


async def _extents(cluster: Cluster, topic: TopicDescription) -> tuple[Mapping[int, int], Mapping[int, int], str]:
    places = [TopicPartition(topic.name, each.partition) for each in topic.partitions if each.leader >= 0]
    try:
        starts = await admin.list_offsets(cluster, dict.fromkeys(places, admin.EARLIEST))
        ends = await admin.list_offsets(cluster, dict.fromkeys(places, admin.LATEST))
    except ClientError as failure:
        return {}, {}, str(failure)
    return (
        {place.partition: each.offset for place, each in starts.items()},
        {place.partition: each.offset for place, each in ends.items()},
        "",
    )


@dataclass(frozen=True, slots=True)
class RecordsAsked:
    """What the address says about records: where from, and how they are shown."""

    place: TopicPartition
    form: str
    committed: bool
    """Only what transactions have committed."""
    whole: bool
    """One record, long."""

    @classmethod
    def of(cls, visit: Visit) -> RecordsAsked:
        form = visit.query.get("form", "auto")
        if form not in FORMS:
            raise BadRequest(f"form must be one of {', '.join(FORMS)}.")
        place = TopicPartition(visit.required("topic"), visit.number("partition") or 0)
        return cls(place, form, visit.query.get("committed") == "1", visit.query.get("whole") == "1")

    def query(self) -> dict[str, object]:
        """For links to other records in the same form."""
        return {
            "topic": self.place.topic,
            "partition": self.place.partition,
            "form": self.form if self.form != "auto" else "",
            "committed": "1" if self.committed else "",
        }


def records_context(asked: RecordsAsked, found: list[Record], *, skipped: int = 0, trouble: str = "") -> dict[str, Any]:
    """For the template of records. `skipped`: so many came between two looks of a page that follows, and are not shown."""
    most = LONG_BYTES if asked.whole else SHORT_BYTES
    return {
        "kept": asked.query(),
        "committed": asked.committed,
        "whole": asked.whole,
        "records": [shown_record(each, asked.form, most) for each in found],
        "skipped": skipped,
        "trouble": trouble,
    }


async def messages(visit: Visit) -> Response:
    asked, cluster = RecordsAsked.of(visit), visit.observer.cluster
    place, committed = asked.place, asked.committed
    follows = visit.query.get("follow") == "1"
    start = (await admin.list_offsets(cluster, {place: admin.EARLIEST}))[place].offset
    end = (await admin.list_offsets(cluster, {place: admin.LATEST}, read_committed=committed))[place].offset
    if follows:
        offset, note = max(start, end - PAGE_RECORDS), ""
    else:
        offset, note = await _first_offset(visit, cluster, place, start, end, read_committed=committed)
    most = 1 if asked.whole else PAGE_RECORDS
    found, after = await read_page(cluster, place, offset, end, most, read_committed=committed)
    context: dict[str, Any] = {
        **records_context(asked, found[::-1] if follows else found),
        "topic": place.topic,
        "partition": place.partition,
        "partitions": (await admin.partition_counts(cluster, [place.topic])).get(place.topic, 1),
        "start": start,
        "end": end,
        "offset": offset,
        "after": after,
        "note": note,
        "form": asked.form,
        "forms": FORMS,
        "page_records": PAGE_RECORDS,
        "at": visit.query.get("at", ""),
        "follows": follows,
        "live": link("/live/messages", **asked.query()) if follows else "",
    }
    return visit.page("messages.html", context)


async def _first_offset(
    visit: Visit, cluster: Cluster, place: TopicPartition, start: int, end: int, *, read_committed: bool
) -> tuple[int, str]:
    """Where to begin: at an offset, at a time, or so that the last records are shown. And a note if that is elsewhere."""
    at = visit.query.get("at")
    if at:
        at_ms = moment_of(at, "at")
        found = (await admin.list_offsets(cluster, {place: at_ms}, read_committed=read_committed))[place].offset
        return (
            (found, "")
            if found >= 0
            else (max(start, end - PAGE_RECORDS), "No record is that new: these are the last.")
        )
    offset = visit.number("offset")
    if offset is None:
        return max(start, end - PAGE_RECORDS), ""
    if offset < start:
        return start, f"Offset {offset:,} is deleted: the log begins at {start:,}."
    if offset > end:
        return max(start, end - PAGE_RECORDS), f"Offset {offset:,} is after the end, {end:,}: these are the last."
    return offset, ""


async def read_page(
    cluster: Cluster, place: TopicPartition, offset: int, end: int, most: int, *, read_committed: bool
) -> tuple[list[Record], int]:
    """Up to so many records from there on, and where the next page begins."""
    found: list[Record] = []
    size, max_bytes = 0, MOST_FETCH_BYTES
    for _ in range(_TRIES):
        if offset >= end or len(found) >= most or size > MOST_FETCH_BYTES:
            break
        try:
            fetched = await admin.fetch_records(
                cluster, *place, offset, max_bytes=max_bytes, max_wait_ms=0, read_committed=read_committed
            )
        except ClientError as failure:
            if failure.code != OFFSET_OUT_OF_RANGE:
                raise
            break  # deleted meanwhile
        for record in fetched.records[: most - len(found)]:
            found.append(record)
            size += len(record.value or b"")
            offset = record.offset + 1
        if len(found) < most:
            max_bytes = MOST_FETCH_BYTES if fetched.next_offset > offset or fetched.records else max_bytes * 4
            offset = max(offset, fetched.next_offset)
        if max_bytes > MOST_LONG_FETCH:
            break
    return found, offset


def shown_record(record: Record, form: str, most: int) -> ShownRecord:
    return ShownRecord(
        record,
        show_bytes(record.key, form if form == "hex" else "auto", most),
        show_bytes(record.value, form, most),
        tuple(_shown_header(name, value) for name, value in record.headers[:SHOWN_HEADERS]),
        max(0, len(record.headers) - SHOWN_HEADERS),
    )


def _shown_header(name: str, value: bytes | None) -> ShownHeader:
    found = show_bytes(value, "auto", SHORT_BYTES)
    return ShownHeader(name, found, found.is_cut or any(len(plain(text)) > MOST_NAME for text in (name, found.text)))
