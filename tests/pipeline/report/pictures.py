"""`make pictures`: the report's pictures in the docs, of two lakes that are made for them, taken in a real Chromium.

- `report-demo`: what `make demo` leaves behind
- `whatif`: the what-if page of a group whose members come, leave and crash
- `report-first-run`: the first run on a broker with 11,000 records waiting, whose groups have stopped
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.whatif.answer import answer, as_row
from muster.whatif.page import render
from muster.whatif.variants import Variant, parse_grid
from tests.browser import Browser, find_browser
from tests.whatif.random_group import RandomGroup

DOCS: Final = Path("docs/pictures")
DEMO: Final = Path(".demo/report.html")
MOST_BYTES: Final = 200_000
_MINUTE_MS: Final = 60_000
_GROUPS: Final = {"billing": 40, "audit": 5, "search": 0}
"""How much of the topic each group had read, in per cent."""
View = tuple[int, int, bool, str]
"""Width, height, dark or not, and the part of the page that is shown."""
_TOP: Final[dict[str, View]] = {
    "": (1280, 900, False, ""),
    "-dark": (1280, 900, True, ""),
    "-phone": (390, 844, False, ""),
}
_WHAT_IF: Final[dict[str, View]] = {"": (1280, 900, False, "")}
_HEAT_MAP: Final[dict[str, View]] = {"-over-time": (1280, 900, False, "#over-time")}
"""Of groups that were followed for a while: a first run knows no end of the partitions from before."""


def main() -> None:
    program = find_browser()
    if program is None:
        sys.exit("no Chromium here: install one, or name it in MUSTER_CHROMIUM")
    if not DEMO.exists():
        sys.exit(f"{DEMO} is not there: run `make demo` first")
    DOCS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, Browser(program) as browser:
        take(browser, DEMO.resolve(), "report-demo", {**_TOP, **_HEAT_MAP})
        take(browser, first_run(Path(home)), "report-first-run", _TOP)
        take(browser, what_if(Path(home)), "whatif", _WHAT_IF)


def take(browser: Browser, page: Path, name: str, views: dict[str, View]) -> None:
    for suffix, (width, height, dark, part) in views.items():
        file = DOCS / f"{name}{suffix}.png"
        browser.open(page, width=width, height=height, dark=dark, fragment=part)
        browser.picture(file)
        if file.stat().st_size > MOST_BYTES:
            sys.exit(f"{file} has {file.stat().st_size:,} bytes, more than {MOST_BYTES:,}")
        print(f"{file}: {file.stat().st_size:,} bytes")


def what_if(home: Path) -> Path:
    """A random history, which is the same each time, under four kinds of settings."""
    journal = [json.dumps({**event.to_json(), "group": "billing"}) for event in RandomGroup(6).run().journal]
    grid = parse_grid(["session.timeout.ms=3000,10000,30000", "static"]).variants
    variants = [*grid, Variant(remote_assignor="uniform"), Variant(assignor="cooperative-sticky")]
    rows = [{"cluster": "production", **as_row(each)} for each in answer("billing", journal, variants)]
    page = home / "whatif.html"
    page.write_text(render(rows, time.time_ns() // 1_000_000), encoding="utf-8")
    return page


def first_run(home: Path) -> Path:
    """Records of the last hour, groups that stand in the midst of them, a lake that begins now."""
    settings = {"muster.data": str(home / "data"), "muster.listen": "127.0.0.1:0", "offsets.topic.num.partitions": "4"}
    settings["group.initial.rebalance.delay.ms"] = "0"
    lake, page = str(home / "lake"), home / "report.html"
    with RunningServer(Settings.of(settings)) as server:
        _muster("topics", "create", "orders", "--partitions", "2", "--bootstrap", server.address)
        fill(server.address)
        _muster("pipeline", "run", "--bootstrap", server.address, "--lake", lake)
    _muster("pipeline", "report", "--lake", lake, "--out", str(page))
    return page


def fill(address: str) -> None:
    """11,000 records in two partitions, 100 a batch; each group has committed its place and gone."""
    from confluent_kafka import Consumer, Producer, TopicPartition

    now = int(time.time() * 1000)
    producer = Producer({"bootstrap.servers": address, "linger.ms": 0})
    for batch in range(55):
        for partition in range(2):
            for _ in range(100):
                written_ms = now - (60 - batch) * _MINUTE_MS
                producer.produce("orders", b"an order", partition=partition, timestamp=written_ms)
        producer.flush()
    for group, share in _GROUPS.items():
        consumer = Consumer({"bootstrap.servers": address, "group.id": group, "enable.auto.commit": False})
        consumer.subscribe(["orders"])
        while not consumer.assignment():
            consumer.poll(0.1)
        places = [TopicPartition("orders", partition, 5_500 * share // 100) for partition in range(2)]
        consumer.commit(offsets=places, asynchronous=False)
        consumer.close()


def _muster(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "muster", *arguments], check=True)


if __name__ == "__main__":
    main()
