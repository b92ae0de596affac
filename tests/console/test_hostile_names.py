"""Names and values of others are shown as text: no markup of theirs becomes markup, no script of theirs runs."""

from __future__ import annotations

from urllib.parse import quote

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.partitions import TopicPartition
from muster.testing import Broker
from tests.browser import Browser
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import Fleet, produce, run, set_offsets
from tests.console.looking import shows

SCRIPT = "<img src=x onerror=alert(1)><script>alert(2)</script>"
NAMES = (SCRIPT, "\"'><svg onload=alert(3)>", "{{ 7 * 7 }}", "a/b?c=d&e#f", "\u202egnp.exe\x1b[31m", "../../etc/passwd")


def test_hostile_groups_and_clients_are_text(broker: Broker, console: ConsoleProcess, browser: Browser) -> None:
    for name in NAMES:
        run(set_offsets(broker.bootstrap_servers, name, {TopicPartition("orders", 0): 0}))
    with Fleet(broker.bootstrap_servers, SCRIPT, ["orders"]) as fleet:
        fleet.join(SCRIPT)
        browser.visit(f"{console.address}/")
        listed = shows(browser, "#groups", "<script>alert(2)", "{{ 7 * 7 }}", "a/b?c=d&e#f", "..")
        assert "\\u202egnp.exe\\x1b[31m" in listed
        for name in NAMES:
            browser.visit(f"{console.address}/group?id={quote(name, safe='')}")
            shows(browser, "#lag", "orders")
            assert browser.value("document.querySelectorAll('main img, main script, main svg[onload]').length") == 0
            assert browser.complaints() == []
        browser.visit(f"{console.address}/group?id={quote(SCRIPT, safe='')}")
        shows(browser, "#members", "<script>alert(2)</script>")
        shows(browser, "#rebalances", "<script>")
        assert browser.complaints() == []


def test_hostile_values_are_text(broker: Broker, console: ConsoleProcess, browser: Browser) -> None:
    broker.create_topic("poison", 1)
    deep = b"[" * 100_000
    run(produce(broker.bootstrap_servers, "poison", [SCRIPT.encode(), b'{"a": "<script>alert(4)</script>"}', deep]))
    run(_produce_named(broker.bootstrap_servers))
    for follow in ("", "&follow=1"):
        browser.visit(f"{console.address}/messages?topic=poison{follow}")
        page = shows(
            browser, "#records", "onerror=alert(1)", "alert(4)", "[[[[", f"key: {SCRIPT}", f"{SCRIPT}={SCRIPT}"
        )
        assert "Cut here" in page
        assert browser.value("document.querySelectorAll('main img, main script').length") == 0
        assert browser.complaints() == []


async def _produce_named(bootstrap: str) -> None:
    """A record whose key and header are hostile too."""
    async with Cluster(bootstrap) as cluster:
        record = admin.NewRecord(b"tea", key=SCRIPT.encode(), headers=((SCRIPT, SCRIPT.encode()),))
        await admin.Producer(cluster).send("poison", [record])
