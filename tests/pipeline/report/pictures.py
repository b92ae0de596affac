"""`make pictures`: the report's pictures in the docs, of two lakes that are made for them, taken in a real Chromium.

- `report-demo`: what `make demo` leaves behind
- `whatif`: the what-if page of a group whose members come, leave and crash
- `report-first-run`: a run that follows a broker with 11,000 records waiting, whose groups have stopped (`stopped_groups`)
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from muster.whatif.answer import answer, as_row
from muster.whatif.page import render
from muster.whatif.variants import Variant, parse_grid
from tests.browser import Browser, find_browser
from tests.pipeline.report.stopped_groups import followed_lake
from tests.whatif.random_group import RandomGroup

DOCS: Final = Path("docs/pictures")
DEMO: Final = Path(".demo/report.html")
MOST_BYTES: Final = 200_000
View = tuple[int, int, bool, str]
"""Width, height, dark or not, and the part of the page that is shown."""
_TOP: Final[dict[str, View]] = {
    "": (1280, 900, False, ""),
    "-dark": (1280, 900, True, ""),
    "-phone": (390, 844, False, ""),
}
_WHAT_IF: Final[dict[str, View]] = {"": (1280, 900, False, "")}
_HEAT_MAP: Final[dict[str, View]] = {"-over-time": (1280, 900, False, "#over-time")}


def main() -> None:
    program = find_browser()
    if program is None:
        sys.exit("no Chromium here: install one, or name it in TEST_CHROMIUM")
    if not DEMO.exists():
        sys.exit(f"{DEMO} is not there: run `make demo` first")
    DOCS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, Browser(program) as browser:
        take(browser, DEMO.resolve(), "report-demo", {**_TOP, **_HEAT_MAP})
        take(browser, first_run(Path(home)), "report-first-run", {**_TOP, **_HEAT_MAP})
        take(browser, what_if(Path(home)), "whatif", _WHAT_IF)


def first_run(home: Path) -> Path:
    page = home / "report.html"
    _muster("pipeline", "report", "--lake", str(followed_lake(home / "lake")), "--out", str(page))
    return page


def take(browser: Browser, page: Path, name: str, views: dict[str, View]) -> None:
    for suffix, (width, height, dark, part) in views.items():
        file = DOCS / f"{name}{suffix}.png"
        browser.open(page, width=width, height=height, dark=dark, fragment=part)
        check(browser, width)
        browser.picture(file)
        if file.stat().st_size > MOST_BYTES:
            sys.exit(f"{file} has {file.stat().st_size:,} bytes, more than {MOST_BYTES:,}")
        print(f"{file}: {file.stat().st_size:,} bytes")


def check(browser: Browser, width: int) -> None:
    """A page that complains, or is wider than its window, is no picture for the docs."""
    wide = browser.value("document.documentElement.scrollWidth")
    if complaints := browser.complaints():
        sys.exit(f"the page complains: {complaints}")
    if wide > width:
        sys.exit(f"the page is {wide} pixels wide in a window of {width}")


def what_if(home: Path) -> Path:
    """A random history, which is the same each time, under four kinds of settings."""
    journal = [json.dumps({**event.to_json(), "group": "billing"}) for event in RandomGroup(6).run().journal]
    grid = parse_grid(["session.timeout.ms=3000,10000,30000", "static"]).variants
    variants = [*grid, Variant(remote_assignor="uniform"), Variant(assignor="cooperative-sticky")]
    rows = [{"cluster": "production", **as_row(each)} for each in answer("billing", journal, variants)]
    page = home / "whatif.html"
    page.write_text(render(rows, time.time_ns() // 1_000_000), encoding="utf-8")
    return page


def _muster(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "muster", *arguments], check=True)


if __name__ == "__main__":
    main()
