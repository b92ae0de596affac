"""What axe-core finds on the pages of the console: `make console-axe`. Says so where npm, the network or Chromium are missing.

axe-core comes from npm into a folder that is thrown away. Exit code 1 if it finds anything serious or critical.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from demo.busy_groups import keep_busy
from demo.console import server_and_console

from tests.browser import Browser, find_browser
from tests.console.looking import shows

VERSION = "4.10.3"
PAGES = (
    ("/", "#groups tbody", "billing"),
    ("/group?id=billing", "#rebalances", "Gen"),
    ("/group?id=fraud-check", "#members", "fraud-check"),
    ("/group?id=billing&at=4000000000000", "#members", "billing-1"),
    ("/topics", "main", "orders"),
    ("/topic?name=orders", "main", "retention.ms"),
    ("/messages?topic=orders", "main", "customer-"),
    ("/cluster", "main", "controller"),
    ("/reset?id=billing", "main", "Where to"),
    ("/delete?id=billing", "main", "Delete"),
    ("/nothing?", "body", ""),
)
LOOKS = ((False, 1280), (True, 1280), (False, 390))
"""Dark or light, and how wide."""
_RUN = "axe.run().then((found) => found.violations.map((one) => [one.impact, one.id, one.nodes.map((n) => n.html)]))"


def main() -> int:
    program = find_browser()
    if program is None:
        print("axe-core could not run: no Chromium (apt-get install chromium)")
        return 0
    source = _axe()
    if source is None:
        print("axe-core could not run: npm could not fetch it")
        return 0
    serious = 0
    with server_and_console() as (server, console, _), Browser(program) as browser:
        threading.Thread(target=lambda: asyncio.run(keep_busy(server)), daemon=True).start()
        browser.visit(f"{console}/")
        shows(browser, "#groups tbody", "billing", "fraud-check")
        for dark, width in LOOKS:
            for path, query, wanted in PAGES:
                browser.visit(f"{console}{path}", dark=dark, width=width)
                shows(browser, query, wanted)
                browser.value(source + "; 0")
                for impact, rule, nodes in browser.value(_RUN):
                    serious += impact in ("serious", "critical")
                    look = f"{'dark' if dark else 'light'}, {width} wide"
                    print(f"{path} ({look}): {impact}: {rule}: {json.dumps(nodes[:3])}")
    print(f"axe-core {VERSION}: {len(PAGES)} pages in {len(LOOKS)} looks, {serious} serious findings")
    return 1 if serious else 0


def _axe() -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, f"axe-core@{VERSION}"]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=120)
        except (OSError, subprocess.SubprocessError):
            return None
        return (Path(folder) / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
