"""A group in a real browser, through join, stall, heal and kill: the page follows without being loaded again."""

from __future__ import annotations

import re
from typing import Final

from muster.cli.main import main
from muster.client.offset_messages import CommittedOffset
from muster.client.partitions import TopicPartition
from muster.core.offsets.tracked_query import TrackedQuery
from muster.testing import Broker
from tests.browser import Browser
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import Fleet, run, set_offsets
from tests.console.looking import lacks, leave, shows, text_of
from tests.interop.waiting import eventually

GROUP = "watched"
CONSUMER: Final = {"protocol": "consumer", "session_timeout_ms": None, "heartbeat_interval_ms": None}


def test_a_group_is_watched_through_join_stall_heal_and_kill(
    broker: Broker, console: ConsoleProcess, browser: Browser, capsys: object
) -> None:
    with Fleet(broker.bootstrap_servers, GROUP, ["orders"]) as fleet:
        browser.visit(f"{console.address}/group?id={GROUP}")
        shows(browser, "#facts", "no such group")
        fleet.join("ada")
        shows(browser, "#facts", "Stable")
        shows(browser, "#members", "ada", "orders 0-3")
        shows(browser, "#rebalances", "Gen 1", "ada on 127.0.0.1 was the first to join")

        fleet.stall("ada")
        fleet.begin("bob")
        shows(
            browser, "#progress", "waiting for members to rejoin", "ada", "has not rejoined", "left until the timeout"
        )
        assert "bob" in shows(browser, "#progress", "Rejoined (1)", "bob")
        fleet.let_go("ada")
        shows(browser, "#progress", "No rebalance under way")
        shows(browser, "#members", "ada", "bob")
        shows(browser, "#rebalances", "Gen 2", "bob on 127.0.0.1 joined", "The last to join was ada")

        fleet.begin("eve", session_timeout_ms=300)
        shows(browser, "#rebalances", "Gen 3")
        shows(browser, "#members", "eve")
        fleet.kill("eve")
        told = shows(browser, "#rebalances", "Gen 4", "eve")
        assert "no heartbeat" in told
        shows(browser, "#lanes", "orders 0", "ada", "bob", "eve")
        assert browser.complaints() == []


def test_a_member_of_a_consumer_group_that_keeps_its_partitions_is_shown_with_its_time(
    broker: Broker, console: ConsoleProcess, browser: Browser
) -> None:
    """KIP-848: bob's share is what ada has not given up."""
    with Fleet(broker.bootstrap_servers, "reconciled", ["orders"]) as fleet:
        fleet.join("ada", **CONSUMER)
        browser.visit(f"{console.address}/group?id=reconciled")
        shows(browser, "#facts", "consumer", "Stable", "Epoch")
        shows(browser, "#members", "ada", "orders 0-3")

        fleet.stall("ada")
        fleet.begin("bob", **CONSUMER)
        under_way = shows(
            browser, "#progress", "Moving to a new target assignment", "has to give up", "left until the timeout"
        )
        assert re.search(r"ada on 127\.0\.0\.1.* has to give up orders \d, \d since", under_way)
        assert "bob" not in under_way
        shows(browser, "#facts", "Reconciling")
        shows(browser, "#members", "ada", "orders 0-3", "target: orders", "bob", "nothing")
        fleet.let_go("ada")
        shows(browser, "#progress", "No rebalance under way")
        shows(browser, "#facts", "Stable")
        shows(browser, "#rebalances", "bob on 127.0.0.1 joined", "to give up orders", "from ada to bob")
        shows(browser, "#lanes", "orders 0", "ada", "bob")
        assert browser.complaints() == []


def test_a_leader_that_does_not_assign_is_named_with_the_time_that_it_has(
    broker: Broker, console: ConsoleProcess, browser: Browser
) -> None:
    with Fleet(broker.bootstrap_servers, "unassigned", ["orders"]) as fleet:
        fleet.join("ada")
        browser.visit(f"{console.address}/group?id=unassigned")
        shows(browser, "#progress", "No rebalance under way")
        with broker.faults.error("SyncGroup", "COORDINATOR_LOAD_IN_PROGRESS", times=None, group="unassigned"):
            fleet.begin("bob")
            under_way = shows(
                browser, "#progress .progress", "waiting for the leader's assignment", "ada on 127.0.0.1 has to assign"
            )
            assert "left until the timeout" in under_way
            assert "does not tell who of them" in under_way
        shows(browser, "#progress", "No rebalance under way", "generation 2")
        assert browser.complaints() == []


def test_what_is_read_out_changes_with_the_rebalance_and_not_with_the_clock(
    broker: Broker, console: ConsoleProcess, browser: Browser
) -> None:
    """Whatever has times in it would be read out anew every second."""
    with Fleet(broker.bootstrap_servers, "read-out", ["orders"]) as fleet:
        fleet.join("ada")
        browser.visit(f"{console.address}/group?id=read-out")
        shows(browser, "#progress [role=status]", "No rebalance under way. The last one was generation 1.")
        assert _ticking(browser) == []
        fleet.stall("ada")
        fleet.begin("bob")
        shows(browser, "#progress [role=status]", "waiting for members to rejoin. Waited for: ada on 127.0.0.1.")
        assert _ticking(browser) == []
        fleet.let_go("ada")
        shows(browser, "#progress [role=status]", "The last one was generation 2.")
        browser.visit(f"{console.address}/?q=read-out")
        shows(browser, "#groups tbody", "read-out")
        assert _ticking(browser) == []


def _ticking(browser: Browser) -> list[str]:
    """Where a time stands in a part of the page that screen readers read out when it changes."""
    live = "[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log]"
    return list(
        browser.value(
            "[...document.querySelectorAll('time[data-at], [data-until]')]"
            f".map((each) => each.closest('{live}')).filter((each) => each).map((each) => each.outerHTML)"
        )
    )


def test_the_page_shows_the_cause_that_explain_gives(
    broker: Broker, console: ConsoleProcess, browser: Browser, capsys: object
) -> None:
    with Fleet(broker.bootstrap_servers, "explained", ["orders"]) as fleet:
        fleet.join("ada")
        fleet.join("bob")
        explained = _explained(broker, "explained", capsys)
        browser.visit(f"{console.address}/group?id=explained&generation=2")
        shown = shows(browser, "#generation-2", "waited")
        why = next(
            line.split(maxsplit=1)[1] for line in explained.splitlines() if line.startswith("  why") and "bob" in line
        )
        assert why in shown
        assert browser.value("document.querySelector('#generation-2').classList.contains('chosen')")


def test_a_link_to_an_old_rebalance_shows_it(broker: Broker, console: ConsoleProcess, browser: Browser) -> None:
    with Fleet(broker.bootstrap_servers, "long-lived", ["orders"]) as fleet:
        fleet.join("ada")
        fleet.rebalance("ada", 50)
        browser.visit(f"{console.address}/group?id=long-lived&generation=2")
        shows(browser, "#generation-2", "links")
        is_in_sight = """(() => {
          const box = (query) => document.querySelector(query).getBoundingClientRect();
          return box("#generation-2 summary").top >= box(".bars").top - 1
            && box("#generation-2 summary").bottom <= box(".bars").bottom;
        })()"""
        eventually("the rebalance in its list", lambda: browser.value(is_in_sight))
        leave(browser, lambda: browser.click(".column-of-bars a[rel=prev]"))
        shows(browser, "#rebalances", "Gen 51", "Page 1 of 2")
        browser.visit(f"{console.address}/group?id=long-lived&generation=70")
        shows(browser, "#rebalances", "The rebalance to generation 70 is not kept", "Gen 51")
        assert browser.complaints() == []


def test_the_list_of_groups_is_live_and_its_filters_are_in_the_address(
    broker: Broker, console: ConsoleProcess, browser: Browser
) -> None:
    with Fleet(broker.bootstrap_servers, "listed", ["orders"]) as fleet:
        browser.visit(f"{console.address}/?q=listed&sort=lag&desc=1")
        shows(browser, "#groups", "No group")
        fleet.join("ada")
        shows(browser, "#groups tbody", "listed", "Stable", "was the first to join")
        fleet.commit("ada", 0)
        lacks(browser, "#groups tbody tr td:nth-child(4)", "not known")
        query = TrackedQuery("8c6e", "51d0", 12, 345)
        commit = CommittedOffset(0, metadata=query.metadata())
        run(set_offsets(broker.bootstrap_servers, "listed-query", {TopicPartition("orders", 0): commit}))
        shows(browser, "#groups tbody", "listed-query", "Empty")
        browser.call("Page.reload")
        shows(browser, "#groups tbody", "listed")
        assert browser.value("document.querySelector('#search').value") == "listed"
        assert text_of(browser, "[aria-sort=descending]").startswith("Lag")
        browser.visit(f"{console.address}/group?id=listed-query")
        assert "muster.spark/1" not in shows(browser, "#lag", "orders", "micro-batch 12 of a Spark query")


def test_a_page_that_lost_the_console_says_so(broker: Broker, browser: Browser) -> None:
    with ConsoleProcess(broker.bootstrap_servers) as other:
        browser.visit(f"{other.address}/")
        shows(browser, "#link", "live")
        assert other.stop() == 0
        assert other.log == "", "open pages are no reason for complaints"
        shows(browser, "#link", "reconnecting")


def test_keys_colours_and_a_narrow_screen(broker: Broker, console: ConsoleProcess, browser: Browser) -> None:
    for group in ("keyed-1", "keyed-2"):
        run(set_offsets(broker.bootstrap_servers, group, {TopicPartition("orders", 0): 0}))
    browser.visit(f"{console.address}/?q=keyed", width=390, dark=True)
    shows(browser, "#groups tbody", "keyed-1", "keyed-2")
    for key, row in (("j", "keyed-1"), ("j", "keyed-2"), ("j", "keyed-2"), ("k", "keyed-1"), ("k", "keyed-1")):
        browser.press(key)
        assert browser.value("document.activeElement.textContent") == row
    browser.press("/")
    assert browser.value("document.activeElement.id") == "search"
    browser.press("j")
    browser.press("t")
    assert browser.value("document.activeElement.id + location.pathname") == "search/", (
        "letters are for the field there"
    )
    dark = browser.value("getComputedStyle(document.body).backgroundColor")
    browser.click("#theme")
    assert browser.value("getComputedStyle(document.body).backgroundColor") != dark
    assert browser.value("document.documentElement.scrollWidth <= 390")
    browser.value("document.activeElement.blur()")
    for key, path in (("t", "/topics"), ("c", "/cluster"), ("g", "/")):
        leave(browser, lambda key=key: browser.press(key))  # type: ignore[misc]
        assert browser.value("location.pathname") == path


def _explained(broker: Broker, group: str, capsys: object) -> str:
    assert main(["groups", "explain", group, "--bootstrap", broker.bootstrap_servers]) == 0
    out: str = capsys.readouterr().out  # type: ignore[attr-defined]
    return out
