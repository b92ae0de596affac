"""What a page looks like while things happen: nothing jumps, nothing grows without end, and a phone shows all of it."""

from __future__ import annotations

import json

import pytest

from muster.testing import Broker
from tests.browser import Browser
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import Fleet, produce, run
from tests.console.looking import shows
from tests.interop.waiting import eventually

PHONE = 390
CLIENT = "a-client-with-a-name-that-is-longer-than-a-line-of-a-phone-can-be"


WATCH_SHIFTS = """
window.shifts = [];
const outside = (node) => node instanceof Element && !node.closest(".bars, .progress, #members tbody");
const element = (node) => (node instanceof Element || !node ? node : node.parentElement);
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    for (const { node, previousRect, currentRect } of entry.sources)
      if (outside(element(node)) && (previousRect.y !== currentRect.y || previousRect.height !== currentRect.height))
        window.shifts.push([element(node).outerHTML.slice(0, 200), previousRect.toJSON(), currentRect.toJSON()]);
}).observe({ type: "layout-shift" });
0
"""
"""Notes what the browser itself calls a shift of the layout. Not within a line, where a time may become longer; not in the box of
what is under way, whose height is fixed; nor in the lists of rebalances and members, where what is new has its place among the
others.
"""
TALL = 3_500
"""What is beyond the edge of the window shifts unseen."""


def _tops(browser: Browser, *queries: str) -> list[float]:
    """How far down the page each of these begins."""
    return [
        browser.value(f"document.querySelector({json.dumps(query)}).getBoundingClientRect().top + scrollY")
        for query in queries
    ]


def _moved_by(browser: Browser, query: str) -> list[object]:
    """The shifts that were noted, once one that is made here was noted after them: shifts are noted at all."""
    found = json.dumps(query)
    browser.value(f"document.querySelector({found}).style.marginTop = '300px'")
    everything = eventually(
        "the shift that was made",
        lambda: list(browser.value("window.shifts")),
        lambda seen: any(_down(each) > 250 for each in seen),
    )
    made = next(at for at, each in enumerate(everything) if _down(each) > 250)
    return list(everything[:made])


def _down(shift: tuple[str, dict[str, float], dict[str, float]]) -> float:
    _, before, after = shift
    return after["y"] - before["y"]


@pytest.mark.parametrize("width", [1280, PHONE])
def test_a_rebalance_moves_nothing_on_the_page(
    broker: Broker, console: ConsoleProcess, browser: Browser, width: int
) -> None:
    group = f"steady-{width}"
    with Fleet(broker.bootstrap_servers, group, ["orders"]) as fleet:
        fleet.join("ada")
        browser.visit(f"{console.address}/group?id={group}", width=width, height=TALL)
        shows(browser, "#rebalances", "Gen 1")
        shows(browser, "#lanes", "ada")
        shows(browser, "#lag", "ada")
        shows(browser, "#progress", "No rebalance under way", "generation 1")
        shows(browser, "#link", "live")
        sections = ("#h-rebalances", "#h-events", "#h-lanes", "#h-lag", "#h-actions", "#h-members")
        before = _tops(browser, *sections)
        browser.value(WATCH_SHIFTS)
        for number in range(1, 4):
            fleet.stall("ada")
            fleet.begin(f"{CLIENT}-{number}")
            shows(browser, "#progress", "ada", "has not rejoined")
            assert _tops(browser, *sections) == before, "while it is under way"
            fleet.let_go("ada")
            shows(browser, "#progress", "No rebalance under way", f"generation {1 + number}")
            shows(browser, "#members", f"{CLIENT}-{number}")
            shows(browser, "#lag", f"{CLIENT}-{number}")
            assert _tops(browser, *sections) == before, "and after it"
        assert _moved_by(browser, "#h-lag") == []


@pytest.mark.parametrize("width", [1280, PHONE])
def test_a_rebalance_moves_nothing_in_the_list(
    broker: Broker, console: ConsoleProcess, browser: Browser, width: int
) -> None:
    """Whatever the cause is: a long one has as much room as a short one."""
    group = f"level-{width}"
    with Fleet(broker.bootstrap_servers, group, ["orders"]) as fleet:
        fleet.join("ada")
        browser.visit(f"{console.address}/?q={group}", width=width, height=TALL)
        shows(browser, "#groups tbody", "ada on 127.0.0.1 was the first to join")
        shows(browser, "#link", "live")
        browser.value(WATCH_SHIFTS)
        for number in range(1, 3):
            fleet.stall("ada")
            fleet.begin(f"{CLIENT}-{number}")
            shows(browser, "#groups tbody", "running")
            fleet.let_go("ada")
            shows(browser, "#groups tbody", "took", f"{CLIENT}-{number}")
        assert _moved_by(browser, "#groups") == []


def test_the_newest_rebalance_is_open_and_what_a_person_opened_stays_so(
    broker: Broker, console: ConsoleProcess, browser: Browser
) -> None:
    def opened() -> list[str]:
        return list(browser.value("[...document.querySelectorAll('details[open] .gen')].map((each) => each.innerText)"))

    with Fleet(broker.bootstrap_servers, "growing", ["orders"]) as fleet:
        fleet.join("ada")
        fleet.join("bob")
        browser.visit(f"{console.address}/group?id=growing")
        shows(browser, "#rebalances", "Gen 2")
        assert opened() == ["Gen 2"]
        browser.click("#generation-1 summary")
        assert opened() == ["Gen 2", "Gen 1"]
        fleet.join("eve")
        shows(browser, "#rebalances", "Gen 3", "moved")
        assert opened() == ["Gen 3", "Gen 1"]


def test_a_group_at_a_time_has_the_members_of_then(broker: Broker, console: ConsoleProcess, browser: Browser) -> None:
    with Fleet(broker.bootstrap_servers, "remembered", ["orders"]) as fleet:
        fleet.join("ada")
        fleet.join("bob")
        browser.visit(f"{console.address}/group?id=remembered")
        shows(browser, "#rebalances", "Gen 2")
        at_ms = browser.value("document.querySelector('#generation-2 time').dataset.at")
        fleet.leave("bob")
        shows(browser, "#rebalances", "Gen 3")
        browser.visit(f"{console.address}/group?id=remembered&at={int(at_ms) - 1}")
        then = shows(browser, "#members", "ada on 127.0.0.1", "orders 0-3")
        assert "bob" not in then
        shows(browser, "#facts", "Stable", "Generation")
        shows(browser, "#lag", "The log does not tell what the lag was then")
        assert "Gen 2" not in shows(browser, "#rebalances", "Gen 1")


@pytest.mark.parametrize(
    ("path", "query", "filled_with"),
    [
        ("/?q=narrow", "#groups tbody", f"{CLIENT} on 127.0.0.1 was the first to join"),
        ("/group?id=narrow", "#lag", CLIENT),
        ("/topics?q=orders", "main tbody", "orders"),
        ("/topic?name=orders", "#readers", "narrow, "),
        ("/messages?topic=orders", "#records", "x" * 200),
        ("/cluster", "#nodes", "controller"),
        ("/reset?id=narrow", "main", "Where to"),
        ("/delete?id=narrow", "main", "The group is Stable with 1 member"),
        ("/nowhere", "main", "no such page"),
    ],
)
def test_a_phone_shows_all_of_a_page_in_its_width(
    console: ConsoleProcess, browser: Browser, fleet: Fleet, path: str, query: str, filled_with: str
) -> None:
    browser.visit(f"{console.address}{path}", width=PHONE)
    shows(browser, query, filled_with)
    assert not browser.value("document.body.classList.contains('asking')")
    assert browser.value("document.documentElement.scrollWidth") <= PHONE


@pytest.fixture(scope="module")
def fleet(broker: Broker) -> object:
    run(produce(broker.bootstrap_servers, "orders", [b'{"a": "' + b"x" * 200 + b'"}'] * 8))
    with Fleet(broker.bootstrap_servers, "narrow", ["orders"]) as running:
        running.join(CLIENT)
        running.commit(CLIENT, 1)
        yield running
