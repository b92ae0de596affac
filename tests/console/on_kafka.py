"""The console with a real Apache Kafka as its cluster, in a real browser: `python -m tests.console.on_kafka`.

A group is watched through join and leave; the page shows inferred causes and says what a Kafka does not tell. Says so where Kafka
or Chromium are missing.
"""

from __future__ import annotations

import asyncio
import sys

from muster.client import admin
from muster.client.cluster import Cluster
from tests.browser import Browser, find_browser
from tests.conformance.kafka import VERSION, KafkaMissing, running
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import Fleet, produce, run
from tests.console.looking import shows


def main() -> int:
    program = find_browser()
    if program is None:
        print("the console on Kafka could not run: no Chromium (apt-get install chromium)")
        return 0
    try:
        with running({"group.initial.rebalance.delay.ms": "0"}) as node:
            _watch(f"127.0.0.1:{node.port}", program)
    except KafkaMissing as missing:
        print(f"the console on Kafka could not run: {missing}")
        return 0
    print(f"the console on Kafka {VERSION}: classic and consumer groups, lag, records and nodes are as they should be")
    return 0


def _watch(bootstrap: str, program: str) -> None:
    asyncio.run(_make_topic(bootstrap))
    run(produce(bootstrap, "orders", [b'{"n": 1}'] * 20))
    with (
        ConsoleProcess(bootstrap, "--allow-changes") as console,
        Browser(program) as browser,
        Fleet(bootstrap, "billing", ["orders"]) as fleet,
        Fleet(bootstrap, "modern", ["orders"]) as modern,
    ):
        fleet.join("ada")
        browser.visit(f"{console.address}/group?id=billing")
        shows(browser, "#facts", "This cluster keeps no group journal", "Stable")
        shows(browser, "#members", "ada", "orders 0-3")
        fleet.join("bob")
        shows(browser, "#members", "ada", "bob")
        shows(browser, "#rebalances", "inferred", "bob")
        fleet.commit("ada", 1)
        shows(browser, "#lag", "ada", "bob")
        fleet.leave("bob")
        shows(browser, "#lanes", "orders 0", "ada")
        modern.join("eve", protocol="consumer", session_timeout_ms=None, heartbeat_interval_ms=None)
        browser.visit(f"{console.address}/group?id=modern")
        shows(browser, "#facts", "consumer", "Epoch")
        shows(browser, "#members", "eve", "orders 0-3")
        browser.visit(f"{console.address}/")
        shows(browser, "#groups tbody", "billing", "modern")
        browser.visit(f"{console.address}/messages?topic=orders")
        shows(browser, "main", '"n": 1')
        browser.visit(f"{console.address}/cluster")
        shows(browser, "main", "controller", "__consumer_offsets")
        assert browser.complaints() == []


async def _make_topic(bootstrap: str) -> None:
    async with Cluster(bootstrap) as cluster:
        await admin.create_topic(cluster, "orders", 4)


if __name__ == "__main__":
    sys.exit(main())
