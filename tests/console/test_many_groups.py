"""10,000 groups of a real server in the list: paged, filtered and sorted by the console, a page at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from operator import eq

import pytest

from muster.testing import Broker
from tests.browser import Browser
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import run
from tests.console.looking import shows, submit
from tests.console.many_groups import RECORDS, fill, make_groups, name_of
from tests.interop.waiting import eventually

GROUPS = 10_000
_ROW = re.compile(r'<tr data-key="([^"]*)"')


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 1}) as running:
        run(fill(running.bootstrap_servers))
        run(make_groups(running.bootstrap_servers, range(GROUPS)))
        yield running


@pytest.fixture(scope="module")
def console(broker: Broker) -> Iterator[ConsoleProcess]:
    with ConsoleProcess(broker.bootstrap_servers) as running:
        yield running


def rows(console: ConsoleProcess, query: str = "") -> list[str]:
    return _ROW.findall(console.ask(f"/?{query}").text)


def names(*numbers: int) -> list[str]:
    return [name_of(number) for number in numbers]


def test_a_page_has_fifty_of_them_and_leads_to_the_next(console: ConsoleProcess) -> None:
    first = eventually("the list", partial(console.ask, "/"), lambda page: "10,000 groups" in page.text)
    assert "Page 1 of 200" in first.text
    assert rows(console) == names(*range(50))
    assert rows(console, "page=2") == names(*range(50, 100))
    assert rows(console, "page=200") == names(*range(9_950, 10_000))
    assert rows(console, "page=201") == rows(console, "page=200"), "the last one, for want of more"
    assert len(first.text) < 100_000, "what is not on the page is not sent"


def test_filters_and_order_count_for_all_of_them(console: ConsoleProcess) -> None:
    assert rows(console, "q=P-0999") == names(*range(9_990, 10_000)), "whatever the case of the letters"
    assert rows(console, "desc=1") == names(*range(9_999, 9_949, -1))
    assert rows(console, "q=99&desc=1")[:3] == names(9_999, 9_998, 9_997)
    assert rows(console, "state=Stable") == []
    assert len(rows(console, "state=Empty")) == 50
    assert "No group matches" in console.ask("/?q=nobody").text


def test_those_on_the_page_are_sorted_by_their_lag(console: ConsoleProcess) -> None:
    """group-09990 is furthest behind of these ten: the others have read more."""
    wanted = names(*range(9_990, 10_000))
    for query, expected in (("q=group-0999&sort=lag&desc=1", wanted), ("q=group-0999&sort=lag", wanted[::-1])):
        eventually(query, partial(rows, console, query), partial(eq, expected))
    text = console.ask("/?q=group-0999&sort=lag&desc=1").text
    assert f'<td class="number" data-label="lag">{RECORDS - 990}</td>' in text


def test_a_browser_turns_the_pages_and_finds_one(console: ConsoleProcess, browser: Browser) -> None:
    browser.visit(f"{console.address}/?sort=group&desc=1")
    shows(browser, "#groups tbody", name_of(9_999))
    submit(browser, "a[rel=next]")
    shows(browser, "#groups tbody", name_of(9_949))
    shows(browser, ".pager", "Page 2 of 200")
    browser.type_into("#search", "group-04242")
    submit(browser, "form[role=search] button")
    shows(browser, "#groups tbody", "group-04242", str(RECORDS - 242))
    assert browser.value("location.search").startswith("?q=group-04242")
    assert browser.complaints() == []
