"""Writes the pictures of docs/console.md: `make console-pictures`. A real server, busy groups, the console, Chromium."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from pathlib import Path

from demo.busy_groups import keep_busy
from demo.console import server_and_console

from tests.browser import Browser, find_browser
from tests.console.looking import shows

FOLDER = Path("docs/pictures")
MOST_BYTES = 200_000
STORY_SECONDS = 45
"""So long the groups go about their work before they are looked at: there is something to see then."""


def main() -> int:
    program = find_browser()
    if program is None:
        print("no Chromium on this machine: apt-get install chromium")
        return 1
    FOLDER.mkdir(exist_ok=True)
    with server_and_console() as (server, console, _), Browser(program) as browser:
        threading.Thread(target=lambda: asyncio.run(keep_busy(server)), daemon=True).start()
        browser.visit(f"{console}/")
        time.sleep(STORY_SECONDS)
        shows(browser, "#groups tbody", "billing", "reports")
        _picture(browser, "console-groups.png")
        browser.visit(f"{console}/group?id=billing", height=1000)
        shows(browser, "#rebalances", "Gen 2")
        shows(browser, "#members", "billing-3")
        _picture(browser, "console-group.png")
        browser.visit(f"{console}/messages?topic=orders", dark=True)
        shows(browser, "main", "customer-")
        _picture(browser, "console-records.png")
    return 0


def _picture(browser: Browser, name: str) -> None:
    file = FOLDER / name
    browser.picture(file)
    size = file.stat().st_size
    assert size < MOST_BYTES, f"{file} has {size} bytes"
    print(f"{file}: {size:,} bytes")


if __name__ == "__main__":
    sys.exit(main())
