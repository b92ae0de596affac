"""Changes in a real browser: a reset with its dry run and undo file, and a member that is removed."""

from __future__ import annotations

import asyncio

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.partitions import TopicPartition
from muster.testing import Broker
from tests.browser import Browser
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import Fleet, produce, run, set_offsets
from tests.console.looking import shows, submit, text_of

PLACES = [TopicPartition("orders", number) for number in range(4)]


def _offsets(broker: Broker, group: str) -> dict[TopicPartition, int]:
    async def ask() -> dict[TopicPartition, int]:
        async with Cluster(broker.bootstrap_servers) as cluster:
            return {place: each.offset for place, each in (await admin.committed_offsets(cluster, group)).items()}

    return asyncio.run(ask())


def test_a_reset_shows_a_plan_first_and_gives_back_what_was(
    broker: Broker, console: ConsoleProcess, browser: Browser
) -> None:
    run(produce(broker.bootstrap_servers, "orders", [b"tea"] * 40))
    before = dict.fromkeys(PLACES, 3)
    run(set_offsets(broker.bootstrap_servers, "resettable", before))
    browser.visit(f"{console.address}/reset?id=resettable")
    browser.click("input[value=earliest]")
    submit(browser, "form[action='/reset/plan'] button")
    assert "Nothing has been changed yet" in shows(browser, "main", "Dry run")
    assert "−3" in text_of(browser, "#plan tbody tr")
    assert _offsets(broker, "resettable") == before
    undo = browser.value("document.querySelector('input[name=csv]').value")

    submit(browser, "form[action='/reset'] button")
    shows(browser, "main", "4 offsets of resettable were set")
    assert _offsets(broker, "resettable") == dict.fromkeys(PLACES, 0)

    answer = console.ask(
        "/reset/undo", {"id": "resettable", "csv": undo, "token": console.token("/reset?id=resettable")}
    )
    assert answer.headers["content-disposition"] == 'attachment; filename="undo-resettable.csv"'
    browser.visit(f"{console.address}/reset?id=resettable")
    browser.click("input[value=file]")
    browser.type_into("textarea", answer.text)
    submit(browser, "form[action='/reset/plan'] button")
    submit(browser, "form[action='/reset'] button")
    assert _offsets(broker, "resettable") == before
    assert browser.complaints() == []


def test_a_group_with_members_gets_a_plan_and_no_button(
    broker: Broker, console: ConsoleProcess, browser: Browser
) -> None:
    with Fleet(broker.bootstrap_servers, "busy", ["orders"]) as fleet:
        fleet.join("ada")
        fleet.commit("ada", 1)
        browser.visit(f"{console.address}/reset?id=busy")
        browser.click("input[value=latest]")
        submit(browser, "form[action='/reset/plan'] button")
        shows(browser, "main", "offsets can only be reset while nobody is in it")
        assert browser.value("document.querySelector('button.danger')") is None


def test_a_removed_member_is_gone_with_the_users_name_as_reason(
    broker: Broker, console: ConsoleProcess, browser: Browser
) -> None:
    with Fleet(broker.bootstrap_servers, "shrinking", ["orders"]) as fleet:
        fleet.join("ada")
        browser.visit(f"{console.address}/group?id=shrinking")
        shows(browser, "#members", "Remove…")
        submit(browser, "#members a.button")
        shows(browser, "main", "Remove ada?", "orders 0-3")
        submit(browser, "button.danger")
        shows(browser, "main", "ada was removed")
        browser.visit(f"{console.address}/group?id=shrinking")
        shows(browser, "#rebalances", "removed in the console by anonymous")


def test_records_are_shown_as_json_text_and_hex(broker: Broker, console: ConsoleProcess, browser: Browser) -> None:
    broker.create_topic("mixed", 1)
    run(produce(broker.bootstrap_servers, "mixed", [b'{"a": [1, 2]}', "plain é".encode(), b"\xff\x00", b"x" * 5_000]))
    browser.visit(f"{console.address}/messages?topic=mixed")
    page = shows(browser, "main", "Offsets 0 to 4")
    assert '"a": [' in page
    assert "plain é" in page
    assert "ff 00" in page
    assert "Cut here" in page
    browser.visit(f"{console.address}/messages?topic=mixed&offset=1&form=hex")
    shows(browser, "main", "70 6c 61 69 6e")
    browser.visit(f"{console.address}/messages?topic=mixed&offset=99")
    shows(browser, "main", "Offset 99 is after the end, 4")
    browser.visit(f"{console.address}/messages?topic=mixed")
    submit(browser, "a[href*='follow=1']")
    assert shows(browser, "#records", "plain é").index("ff 00") < text_of(browser, "#records").index("plain é")
    run(produce(broker.bootstrap_servers, "mixed", [b"while it is looked at"]))
    assert "while it is looked at" in shows(browser, "#records article", "while it is looked at"), "the newest first"
    run(produce(broker.bootstrap_servers, "mixed", [b"one of many"] * 30))
    shows(browser, "#records", "one of many", "records came too quickly to be shown here")
    browser.visit(f"{console.address}/topic?name=mixed")
    shows(browser, "main", "retention.ms", "last records")
    browser.visit(f"{console.address}/cluster")
    shows(browser, "main", "controller", "__consumer_offsets")
