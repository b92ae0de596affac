"""Many open pages for a long time: 200 streams of the console, groups whose members come and go, and nothing may grow or get lost.

The pages are plain HTTP clients that read server-sent events. At the end every page of a group must show the last generation that
the journal has of that group, and the console's memory must not have grown. Before the pages are opened each group gets a past that
fills its timeline, so that all caches are full from the beginning: what grows then is a leak. How long an event takes to a page and
what the console takes of a core have bounds too.
`python -m bench.console_soak [MINUTES] [PAGES]`; ends with 1 and a line for each thing that is not as it should be.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import sys
import time
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from demo.busy_groups import Plan, keep_busy, make_topics
from demo.console import server_and_console

from bench.process_cost import cpu_seconds, resident_mb
from muster.client.cluster import Cluster
from muster.client.group_calls import GroupCalls, MemberIdRequired, Terms
from muster.console.group_timeline import KEPT_BYTES
from muster.explain.facts import History
from muster.explain.fold import fold
from muster.explain.from_cluster import journal_of
from muster.wire.consumer_protocol import Assignment, Subscription, encode_assignment, encode_subscription

MINUTES = 10.0
PAGES = 200
GROUPS = 10
GROWTH_ALLOWED = 1.05
"""Memory of the last quarter by that of the third."""
DELAY_MS = 1_000.0
"""The slowest event may take so long to the last page."""
CPU_PERCENT = 15.0
"""Of a core, for 200 pages and ten groups that rebalance all the time; no matter how many pages the soak was given."""
PAST_GENERATIONS = 500
PAGE_BYTES = 150_000
"""What one open page may take: its connection, and what is being sent."""
SETTLE_SECONDS = 20.0
OPENING_SECONDS = 5.0
"""So long the pages may take to be opened, all at once: what began before that is not counted for the delays."""
_SHOWN = re.compile(r"(?:Gen|Epoch) (\d+)")
_PLANS = tuple(Plan(f"soak-{number}", "orders", 2, restarts_every=6.0 + number) for number in range(GROUPS))


@dataclass
class Page:
    path: str
    events: int = 0
    bytes: int = 0
    generation: int = 0
    """The newest that it has shown."""
    shown_at_ms: dict[int, float] = field(default_factory=dict)
    """Generation -> when it was first on this page."""
    ended: str = ""


@dataclass
class Soaked:
    pages: list[Page] = field(default_factory=list)
    before_mb: float = 0.0
    """Before any page was opened."""
    resident_mb: list[float] = field(default_factory=list)
    cpu_seconds: float = 0.0
    seconds: float = 0.0
    missing: list[str] = field(default_factory=list)
    delays_ms: list[float] = field(default_factory=list)
    """From the start of each rebalance, as its journal event says, until it was on each page that was open by then."""
    skipped: int = 0
    """Rebalances that were never on a page that was open when they began."""

    @property
    def cpu_percent(self) -> float:
        """Of a core."""
        return 100 * self.cpu_seconds / self.seconds

    @property
    def memory_bound_mb(self) -> float:
        return self.before_mb + (2 * GROUPS * KEPT_BYTES + len(self.pages) * PAGE_BYTES) / 1e6

    def memory_at_the_end(self) -> tuple[float, float]:
        """In the third quarter and in the last, in MB."""
        quarter = max(1, len(self.resident_mb) // 4)
        third, last = self.resident_mb[-2 * quarter : -quarter], self.resident_mb[-quarter:]
        return statistics.mean(third), statistics.mean(last)


async def soak(minutes: float, pages: int) -> Soaked:
    found = Soaked()
    with server_and_console() as (server, console, process):
        await make_topics(server)
        await asyncio.gather(*(_give_past(server, plan.group) for plan in _PLANS))
        work = asyncio.create_task(keep_busy(server, _PLANS))
        await asyncio.sleep(5.0)
        found.before_mb = resident_mb(process.pid)
        found.pages = [Page(_path(number)) for number in range(pages)]
        streams = [asyncio.create_task(_read(console, page)) for page in found.pages]
        opened_ms = (time.time() + OPENING_SECONDS) * 1000
        began, cpu = time.monotonic(), cpu_seconds(process.pid)
        while time.monotonic() - began < minutes * 60:
            await asyncio.sleep(5.0)
            found.resident_mb.append(resident_mb(process.pid))
        found.seconds = time.monotonic() - began
        found.cpu_seconds = cpu_seconds(process.pid) - cpu
        histories = await _histories(server)
        found.missing = await _missing(histories, found.pages)
        _measure_delays(found, histories, opened_ms)
        for task in (*streams, work):
            task.cancel()
        await asyncio.gather(*streams, work, return_exceptions=True)
    return found


async def _give_past(server: str, group: str) -> None:
    """Generations in quick succession, more than a timeline keeps: one member that joins again and again."""
    async with Cluster(server) as cluster:
        calls = GroupCalls(cluster, Terms(group, "consumer", None, 60_000, 60_000))
        offers = [("range", encode_subscription(Subscription(["orders"])))]
        member_id = await cluster.persist(lambda: _new_member_id(calls, offers))
        for number in range(PAST_GENERATIONS):
            share = Assignment((("orders", (number % 6,)),))
            joined = await calls.join(member_id, offers, f"past {number}")
            await calls.sync(joined.standing, {member_id: encode_assignment(share)})
        await calls.leave(member_id, "the past is over")


async def _new_member_id(calls: GroupCalls, offers: list[tuple[str, bytes]]) -> str:
    try:
        await calls.join("", offers, "")
    except MemberIdRequired as told:
        return told.member_id
    raise AssertionError("a member without an id was let in")


def _path(number: int) -> str:
    """Every fifth page is the list; the others look at the groups in turn."""
    return "/live/" if number % 5 == 0 else f"/live/group?id={quote(_PLANS[number % GROUPS].group)}"


async def _read(console: str, page: Page) -> None:
    where = urlsplit(console)
    reader, writer = await asyncio.open_connection(where.hostname, where.port, limit=1 << 24)
    head = f"GET {page.path} HTTP/1.1\r\nHost: {where.netloc}\r\nAccept: text/event-stream\r\n\r\n"
    writer.write(head.encode())
    try:
        while line := await reader.readline():
            page.bytes += len(line)
            if line.startswith(b"data: {"):
                page.events += 1
                shown = json.loads(line[6:])["regions"].get("rebalances", "")
                now_ms = time.time() * 1000
                for generation in map(int, _SHOWN.findall(shown)):
                    page.shown_at_ms.setdefault(generation, now_ms)
                    page.generation = max(page.generation, generation)
        page.ended = "the console closed it"
    finally:
        writer.close()


async def _histories(server: str) -> dict[str, History]:
    async with Cluster(server) as cluster:
        return {plan.group: fold(await journal_of(cluster, plan.group), plan.group) for plan in _PLANS}


def _measure_delays(found: Soaked, histories: dict[str, History], opened_ms: float) -> None:
    for page in found.pages:
        if "group" not in page.path:
            continue
        for rebalance in histories[_group(page)].rebalances:
            if rebalance.began_ms < opened_ms or rebalance.ended_ms is None:
                continue
            shown_ms = page.shown_at_ms.get(rebalance.generation)
            if shown_ms is None:
                found.skipped += 1
            else:
                found.delays_ms.append(shown_ms - rebalance.began_ms)
    found.delays_ms.sort()


async def _missing(histories: dict[str, History], pages: list[Page]) -> list[str]:
    """Pages that do not come to show the last generation within a while, though the groups go on."""
    newest = {group: history.generation or 0 for group, history in histories.items()}
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        behind = [
            f"{page.path}: shows {page.generation}, the journal has {newest[_group(page)]}"
            for page in pages
            if "group" in page.path and page.generation < newest[_group(page)]
        ]
        if not behind or time.monotonic() > deadline:
            return behind + [f"{page.path}: {page.ended}" for page in pages if page.ended]
        await asyncio.sleep(0.2)


def _group(page: Page) -> str:
    return page.path.partition("id=")[2]


def _percentile(sorted_values: list[float], part: float) -> float:
    return sorted_values[min(len(sorted_values) - 1, int(part * len(sorted_values)))]


def failures_of(found: Soaked) -> list[str]:
    """What is missing or beyond its bound, as sentences."""
    failures = list(found.missing)
    if found.skipped:
        failures.append(f"{found.skipped} rebalances were never on a page that was open")
    if not found.delays_ms:
        failures.append("no rebalance began and ended while pages were open: how long events take is not known")
    elif found.delays_ms[-1] > DELAY_MS:
        failures.append(f"an event took {found.delays_ms[-1]:,.0f} ms to a page, {DELAY_MS:,.0f} is the bound")
    if found.cpu_percent > CPU_PERCENT:
        failures.append(f"the console took {found.cpu_percent:.1f} % of a core, {CPU_PERCENT:.0f} is the bound")
    third, last = found.memory_at_the_end()
    if last > third * GROWTH_ALLOWED:
        failures.append(f"memory grew by {100 * (last / third - 1):.0f} % from the third quarter to the last")
    if last > found.memory_bound_mb:
        failures.append(f"memory is at {last:.0f} MB, {found.memory_bound_mb:.0f} is the bound")
    return failures


def main() -> int:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else MINUTES
    print(f"the machine's load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    found = asyncio.run(soak(minutes, int(sys.argv[2]) if len(sys.argv) > 2 else PAGES))
    third, last = found.memory_at_the_end()
    print(
        f"{len(found.pages)} pages, {GROUPS} groups that rebalance every few seconds, {found.seconds / 60:.1f} minutes"
    )
    print(f"events sent        {sum(page.events for page in found.pages):,}")
    print(f"sent               {sum(page.bytes for page in found.pages) / 1e6:,.0f} MB")
    print(f"generations shown  {sum(page.generation for page in found.pages if 'group' in page.path):,}")
    if found.delays_ms:
        print(
            f"event to page      {statistics.median(found.delays_ms):.0f} ms (median),"
            f" {_percentile(found.delays_ms, 0.99):.0f} ms (99 %), {found.delays_ms[-1]:.0f} ms (slowest),"
            f" of {len(found.delays_ms):,} rebalances on pages; {found.skipped} were never shown"
        )
    print(f"console's CPU      {found.cpu_percent:.1f} % of a core")
    print(
        f"console's memory   {found.before_mb:.0f} MB before, {found.resident_mb[0]:.0f} MB with all pages,"
        f" {third:.1f} MB in the third quarter, {last:.1f} MB in the last;"
        f" timelines, histories and pages may make it {found.memory_bound_mb:.0f} MB"
    )
    print(f"the machine's load after: {os.getloadavg()[0]:.1f}")
    failures = failures_of(found)
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
