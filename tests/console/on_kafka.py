"""The console with a real Apache Kafka as its cluster, in a real browser: `python -m tests.console.on_kafka`.

Part of `make conformance`. Every page is looked at, a group is watched through join and leave, offsets are reset after a dry
run. Where Kafka tells less than a Muster the page has to say so. Prints what could not run where Kafka or Chromium are missing.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.partitions import TopicPartition
from tests.browser import Browser, find_browser
from tests.conformance.kafka import VERSION, KafkaMissing, running
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import Fleet, produce, run, set_offsets
from tests.console.looking import lacks, shows, submit, text_of
from tests.interop.transactional import ConfluentTransactions

SETTINGS: Final = {"group.initial.rebalance.delay.ms": "0", "offsets.topic.num.partitions": "8"}
PLACES: Final = [TopicPartition("orders", number) for number in range(4)]


def main() -> int:
    """`--pictures FOLDER`: also what the pages look like."""
    program = find_browser()
    if program is None:
        print("the console on Kafka could not run: no Chromium (apt-get install chromium)")
        return 0
    folder = Path(sys.argv[2]) if sys.argv[1:2] == ["--pictures"] else None
    try:
        with running(SETTINGS) as node:
            bootstrap = f"127.0.0.1:{node.port}"
            run(_prepare(bootstrap))
            with (
                _rebalanced(bootstrap),
                ConsoleProcess(bootstrap, "--allow-changes") as console,
                Browser(program) as browser,
            ):
                pages = _Pages(bootstrap, console, browser, folder)
                pages.list_of_before()
                pages.groups()
                pages.transaction()
                pages.reset()
                pages.topics()
                assert browser.complaints() == []
    except KafkaMissing as missing:
        print(f"the console on Kafka could not run: {missing}")
        return 0
    print(
        f"the console on Kafka {VERSION}: groups of both protocols, rebalances, lag, a transaction, a reset, topics, records"
        " and nodes are as they should be"
    )
    return 0


async def _prepare(bootstrap: str) -> None:
    async with Cluster(bootstrap) as cluster:
        for topic in ("orders", "sink"):
            await admin.create_topic(cluster, topic, 4)
    await produce(bootstrap, "orders", [b'{"n": 1}'] * 40)


@contextmanager
def _rebalanced(bootstrap: str) -> Iterator[None]:
    """Groups of both protocols in which the last rebalance is over before anybody looks."""
    with Fleet(bootstrap, "early", ["orders"]) as classic, Fleet(bootstrap, "early-consumer", ["orders"]) as consumer:
        for name in ("ada", "bob"):
            classic.join(name)
            consumer.join(name, protocol="consumer", session_timeout_ms=None, heartbeat_interval_ms=None)
        yield


class _Pages:
    def __init__(self, bootstrap: str, console: ConsoleProcess, browser: Browser, folder: Path | None) -> None:
        self._bootstrap, self._console, self._browser, self._folder = bootstrap, console, browser, folder

    def _visit(self, path: str) -> Browser:
        self._browser.visit(f"{self._console.address}{path}")
        return self._browser

    def _picture(self, name: str) -> None:
        if self._folder is not None:
            self._browser.picture(self._folder / f"kafka-{name}.png", whole=True)

    def list_of_before(self) -> None:
        """The first page of a new console: it has seen none of the rebalances, and no group's own page was opened."""
        browser = self._visit("/?q=early")
        for row in (1, 2):
            shows(browser, f"#groups tbody tr:nth-child({row}) .why", "bob on 127.0.0.1 joined")
            lacks(browser, f"#groups tbody tr:nth-child({row}) [data-label='last rebalance']", "not known")

    def groups(self) -> None:
        with (
            Fleet(self._bootstrap, "billing", ["orders"]) as fleet,
            Fleet(self._bootstrap, "modern", ["orders"]) as modern,
        ):
            browser = self._visit("/group?id=billing")
            shows(browser, "#facts", "no such group")
            fleet.join("ada")
            shows(browser, "#facts", "keeps no group journal", "Stable")
            shows(browser, "#members", "ada", "orders 0-3")
            fleet.join("bob")
            shows(browser, "#members", "ada", "bob")
            shows(browser, "#rebalances", "inferred", "bob")
            fleet.commit("ada", 1)
            shows(browser, "#lag", "ada", "bob")
            fleet.leave("bob")
            shows(browser, "#members", "orders 0-3")
            shows(browser, "#lanes", "orders 0", "ada")
            self._picture("group")
            self._consumer_group(modern)
            browser = self._visit("/?sort=lag&desc=1")
            shows(browser, "#groups tbody", "billing", "modern", "Stable", "bob")
            self._picture("groups")
            browser = self._visit("/group?id=billing")
            shows(browser, "#members", "Remove…")
            submit(browser, "#members a.button")
            submit(browser, "button.danger")
            shows(browser, "main", "ada was removed")

    def _consumer_group(self, modern: Fleet) -> None:
        modern.join("eve", protocol="consumer", session_timeout_ms=None, heartbeat_interval_ms=None)
        browser = self._visit("/group?id=modern")
        shows(browser, "#facts", "consumer", "Epoch")
        shows(browser, "#members", "eve", "orders 0-3")
        shows(browser, "#lanes", "eve", "orders 3")
        modern.join("fay", protocol="consumer", session_timeout_ms=None, heartbeat_interval_ms=None)
        shows(browser, "#rebalances", "fay on 127.0.0.1 joined", "from eve to fay")
        shows(browser, "#lanes", "eve", "fay")
        self._picture("consumer-group")

    def transaction(self) -> None:
        """Its offsets are not final before it ends, and its records are not committed."""
        producer = ConfluentTransactions(self._bootstrap, "copier")
        for offset in (1, 2):
            producer.begin()
            producer.send("sink", 0, f"copy {offset}".encode())
            producer.send_offsets("copying", "orders", {0: offset})
            if offset == 1:
                producer.commit()
        browser = self._visit("/group?id=copying")
        shows(browser, "#lag", "not final", "Transaction copier (producer ", "Ongoing", "has not ended")
        browser = self._visit("/messages?topic=sink&committed=1")
        assert "copy 2" not in shows(browser, "#records", "copy 1")
        browser = self._visit("/group?id=copying")
        producer.commit()
        lacks(browser, "#lag", "not final")

    def reset(self) -> None:
        run(set_offsets(self._bootstrap, "idle", dict.fromkeys(PLACES, 3)))
        browser = self._visit("/reset?id=idle")
        browser.click("input[value=earliest]")
        submit(browser, "form[action='/reset/plan'] button")
        shows(browser, "main", "Dry run", "Nothing has been changed yet")
        assert "−3" in text_of(browser, "#plan tbody tr")
        self._picture("dry-run")
        assert run(self._offsets("idle")) == dict.fromkeys(PLACES, 3)
        submit(browser, "form[action='/reset'] button")
        shows(browser, "main", "4 offsets of idle were set")
        assert run(self._offsets("idle")) == dict.fromkeys(PLACES, 0)
        browser = self._visit("/delete?id=idle")
        submit(browser, "button.danger")
        shows(browser, "main", "The group and its offsets are gone")

    async def _offsets(self, group: str) -> dict[TopicPartition, int]:
        async with Cluster(self._bootstrap) as cluster:
            return {place: each.offset for place, each in (await admin.committed_offsets(cluster, group)).items()}

    def topics(self) -> None:
        shows(self._visit("/topics?q=ord"), "main", "orders", "1 of 2 topics")
        shows(self._visit("/topic?name=orders"), "main", "retention.ms", "min.insync.replicas")
        shows(self._browser, "#readers", "copying")
        self._picture("topic")
        browser = self._visit("/messages?topic=orders&offset=0")
        shows(browser, "#records", '"n": 1')
        shows(self._visit("/messages?topic=orders&at=2020-01-01T00:00"), "#records", '"n": 1')
        browser = self._visit("/messages?topic=orders&follow=1")
        shows(browser, "#records", '"n": 1')
        asyncio.run(produce(self._bootstrap, "orders", [b"while it is looked at"] * 40))
        shows(browser, "#records", "while it is looked at")
        shows(self._visit("/cluster"), "main", "controller", "__consumer_offsets", "JoinGroup 9", "ready")
        self._picture("cluster")


if __name__ == "__main__":
    sys.exit(main())
