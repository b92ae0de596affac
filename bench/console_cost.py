"""What one page of the console costs: the first byte with 1,000 and 10,000 groups, and CPU while it is open and nothing happens.

`python -m bench.console_cost [SECONDS]`: so long each open page is looked at. The groups are idle. Ends with 1 and a line for
each figure that is beyond its bound.
"""

from __future__ import annotations

import asyncio
import http.client
import os
import statistics
import sys
import time
from urllib.parse import urlsplit

from demo.busy_groups import make_topics
from demo.console import server_and_console

from bench.process_cost import cpu_seconds, resident_mb
from tests.console.many_groups import fill, make_groups, name_of

COUNTS = (1_000, 10_000)
LOADS = 40
SECONDS = 60.0
FIRST_BYTE_MS = 100.0
"""No load may take longer with so many groups as the first of `COUNTS`, not even the first one."""
IDLE_PERCENT = 2.0
"""Of a core, for a page that is open while nothing happens, with any of `COUNTS`."""
FOLLOWED = {"the list": "/", "the list by lag": "/?sort=lag&desc=1", "a group": f"/group?id={name_of(42)}"}
"""Pages that change while they are open."""
PAGES = {**FOLLOWED, "the topics": "/topics"}


def first_byte_ms(console: str, path: str) -> float:
    where = urlsplit(console)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
    began = time.perf_counter()
    connection.request("GET", path)
    answer = connection.getresponse()  # the status line and the headers have come
    took = (time.perf_counter() - began) * 1000
    assert answer.status == 200, answer.status
    answer.read()
    connection.close()
    return took


async def open_page_percent(console: str, path: str, pid: int, seconds: float) -> float:
    """CPU of the console in percent of a core while one page is open, after the first looks are over."""
    where = urlsplit(console)
    reader, writer = await asyncio.open_connection(where.hostname, where.port, limit=1 << 24)
    writer.write(f"GET /live{path} HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())
    reading = asyncio.create_task(reader.read(-1))
    await asyncio.sleep(10.0)
    before = cpu_seconds(pid)
    await asyncio.sleep(seconds)
    used = cpu_seconds(pid) - before
    reading.cancel()
    writer.close()
    return 100 * used / seconds


def beyond_first_byte(what: str, slowest_ms: float) -> list[str]:
    if slowest_ms <= FIRST_BYTE_MS:
        return []
    return [f"{what}: the first byte took {slowest_ms:.0f} ms, {FIRST_BYTE_MS:.0f} is the bound"]


def beyond_idle(what: str, percent: float) -> list[str]:
    if percent <= IDLE_PERCENT:
        return []
    return [f"{what}: an open page took {percent:.1f} % of a core while nothing happened, {IDLE_PERCENT} is the bound"]


def main() -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    made = 0
    failures: list[str] = []
    print(f"the machine's load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with server_and_console() as (server, console, process):
        asyncio.run(make_topics(server))
        asyncio.run(fill(server))
        for count in COUNTS:
            asyncio.run(make_groups(server, range(made, count)))
            made = count
            time.sleep(25.0)  # by then the console has forgotten that anybody looked
            for name, path in PAGES.items():
                what = f"{count:,} groups, {name}"
                first = first_byte_ms(console, path)
                before = cpu_seconds(process.pid)
                loads = sorted(first_byte_ms(console, path) for _ in range(LOADS))
                cpu_ms = 1000 * (cpu_seconds(process.pid) - before) / LOADS
                print(
                    f"{what:>30}: first byte of the first load {first:.0f} ms,"
                    f" then {statistics.median(loads):.0f} ms (median), {loads[-1]:.0f} ms (slowest of {LOADS}),"
                    f" {cpu_ms:.1f} ms of the console's CPU",
                    flush=True,
                )
                if count == COUNTS[0]:
                    failures += beyond_first_byte(what, max(first, loads[-1]))
            for name, path in FOLLOWED.items():
                what = f"{count:,} groups, {name}"
                percent = asyncio.run(open_page_percent(console, path, process.pid, seconds))
                print(
                    f"{what:>30}: open for {seconds:.0f} s, {percent:.1f} % of a core,"
                    f" {resident_mb(process.pid):.0f} MB",
                    flush=True,
                )
                failures += beyond_idle(what, percent)
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
