"""What a browser shows of a page, waited for: nothing here looks at a clock of its own."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.browser import Browser, PageLeft
from tests.interop.waiting import eventually


def text_of(browser: Browser, query: str) -> str:
    """The text of the first element that the query finds; empty if there is none."""
    found = browser.value(f"(document.querySelector({json.dumps(query)}) || {{}}).innerText || ''")
    return str(found)


def shows(browser: Browser, query: str, *wanted: str) -> str:
    """Wait until the element has all of these texts; then its text."""
    return eventually(
        f"{wanted} in {query}", lambda: text_of(browser, query), lambda text: all(w in text for w in wanted)
    )


def lacks(browser: Browser, query: str, unwanted: str) -> None:
    """Wait until the element does not have that text."""
    eventually(f"no {unwanted!r} in {query}", lambda: unwanted not in text_of(browser, query))


def submit(browser: Browser, query: str) -> None:
    """Press a button that leads to another page, and wait for that."""
    leave(browser, lambda: browser.click(query))


def leave(browser: Browser, act: Callable[[], None]) -> None:
    """Do what leads to another page, and wait for that."""

    def is_there() -> bool:
        try:
            return bool(browser.value("window.isLeft !== true && document.readyState === 'complete'"))
        except PageLeft:
            return False

    browser.value("window.isLeft = true")
    act()
    eventually("the next page", is_there)
