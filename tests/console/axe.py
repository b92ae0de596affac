"""What axe-core finds on the pages of the console: `make console-axe`, and part of `make conformance`.

axe-core comes from npm into a folder that is thrown away. Where npm, the network or Chromium are missing it says so, and looks at
nothing. Exit code 1 if it finds anything serious or critical.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demo.busy_groups import keep_busy, make_topics
from demo.console import server_and_console

from muster.client import admin
from muster.client.cluster import Cluster
from tests.browser import Browser, find_browser
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import Fleet, run
from tests.console.looking import shows, submit
from tests.interop.waiting import eventually
from tests.pipeline.report.lake_of import write_lake
from tests.pipeline.report.sample_lag import CLUSTER
from tests.pipeline.report.sample_lake import sample_tables

VERSION: Final = "4.10.3"
LOOKS: Final = ((False, 1280), (True, 1280), (False, 390))
"""Dark or light, and how wide."""
STALLED_MS: Final = 3_600_000
_RUN: Final = (
    "axe.run().then((found) => found.violations.map((one) => [one.impact, one.id, one.nodes.map((n) => n.html)]))"
)


class CannotRun(Exception):
    """Something that is needed is not there. Says what, and what to do."""


@dataclass(frozen=True)
class Page:
    address: str
    query: str
    wanted: str
    """The page is there when the element of the query has this text."""
    choice: str = ""
    """What is clicked on a form that leads to the page, before `button`."""
    button: str = ""


def main() -> int:
    try:
        program = find_browser()
        if program is None:
            raise CannotRun("no Chromium (apt-get install chromium)")
        source = _axe()
    except CannotRun as missing:
        print(f"axe-core on the console could not run: {missing}")
        return 0
    serious = 0
    with _pages() as pages, Browser(program) as browser:
        for dark, width in LOOKS:
            for page in pages:
                _show(browser, page, dark=dark, width=width)
                browser.value(source + "; 0")
                for impact, rule, nodes in browser.value(_RUN):
                    serious += impact in ("serious", "critical")
                    look = f"{'dark' if dark else 'light'}, {width} wide"
                    print(f"{page.address} {page.button} ({look}): {impact}: {rule}: {json.dumps(nodes[:3])}")
        print(
            f"axe-core {VERSION}: {len(pages)} pages of the console in {len(LOOKS)} looks, {serious} serious findings"
        )
    return 1 if serious else 0


def _show(browser: Browser, page: Page, *, dark: bool, width: int) -> None:
    browser.visit(page.address, dark=dark, width=width)
    if page.button:
        browser.click(page.choice)
        submit(browser, page.button)
    shows(browser, page.query, page.wanted)


@contextmanager
def _pages() -> Iterator[list[Page]]:
    """Every page there is, of a console with changes, of one with a login and of one with a lake."""
    with ExitStack() as stack:
        server, console, _ = stack.enter_context(server_and_console())
        run(make_topics(server))
        threading.Thread(target=lambda: asyncio.run(keep_busy(server)), daemon=True).start()
        _stall(stack, server)
        tables = sample_tables()
        lake = write_lake(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "lake", tables)
        with_login = stack.enter_context(ConsoleProcess(server, "--login")).address
        flags = ("--lake", str(lake), "--lake-cluster", CLUSTER)
        with_lake = stack.enter_context(ConsoleProcess(server, *flags)).address
        member = eventually("a member of fraud-check", lambda: run(_member_of(server, "fraud-check")))
        yield [
            Page(f"{console}/", "#groups tbody", "billing"),
            Page(f"{console}/group?id=billing", "#rebalances", "Gen"),
            Page(f"{console}/group?id=fraud-check", "#members", "fraud-check"),
            Page(f"{console}/group?id=stalled", "#progress", "has not rejoined"),
            Page(f"{console}/group?id=stalled-consumer", "#progress", "has to give up"),
            Page(f"{console}/group?id=billing&at=4000000000000", "#members", "billing-1"),
            Page(f"{console}/topics", "main", "orders"),
            Page(f"{console}/topic?name=orders", "#readers", "billing"),
            Page(f"{console}/messages?topic=orders", "main", "customer-"),
            Page(f"{console}/cluster", "main", "controller"),
            Page(f"{console}/reset?id=billing", "main", "Where to"),
            Page(
                f"{console}/reset?id=billing",
                "main",
                "Dry run",
                choice="input[value=earliest]",
                button="form[action='/reset/plan'] button",
            ),
            Page(f"{console}/remove?id=fraud-check&member={member}", "main", "will be taken out of"),
            Page(f"{console}/delete?id=billing", "main", "Delete"),
            Page(f"{console}/nothing?", "main", "no such page"),
            Page(f"{with_login}/login", "main", "Log in as a SASL user"),
            Page(f"{with_lake}/history?group={tables['g_rebalance']['group_id'][0]}", ".plots", "Who owned"),
        ]


def _stall(stack: ExitStack, server: str) -> None:
    """A rebalance of each protocol that does not end before everything has been looked at."""
    consumer = {"protocol": "consumer", "session_timeout_ms": None, "heartbeat_interval_ms": None}
    for group, options in (("stalled", {}), ("stalled-consumer", consumer)):
        fleet = stack.enter_context(Fleet(server, group, ["orders"]))
        fleet.join("ada", rebalance_timeout_ms=STALLED_MS, **options)
        fleet.stall("ada")
        fleet.begin("bob", rebalance_timeout_ms=STALLED_MS, **options)


async def _member_of(server: str, group: str) -> str:
    """The id of one of its members; empty while it has none."""
    async with Cluster(server) as cluster:
        (described,) = await admin.describe_groups(cluster, [group])
        return described.members[0].member_id if described.members else ""


def _axe() -> str:
    """Its source. CannotRun."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, f"axe-core@{VERSION}"]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=120)
        except FileNotFoundError:
            raise CannotRun("no npm (apt-get install npm)") from None
        except subprocess.SubprocessError as failure:
            raise CannotRun(f"npm could not fetch it: {failure}") from None
        return (Path(folder) / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
