"""What a page is looked at for in a real browser, light, dark and on a phone: it fits, complains of nothing, has no odd words."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.browser import Browser
from tests.pipeline.report.pictures import check

VIEWS: Final = pytest.mark.parametrize(
    ("width", "dark"),
    [(1280, False), (1280, True), (390, False), (390, True)],
    ids=["light", "dark", "phone", "dark phone"],
)
_BAD_WORDS: Final = """(() => {
  const parts = Array.from(document.body.children).filter((e) => e.tagName !== "SCRIPT");
  const said = [...parts.map((e) => e.textContent), ...Array.from(document.querySelectorAll('[data-tip], [aria-label], [title]'),
    (e) => [e.dataset.tip, e.getAttribute('aria-label'), e.getAttribute('title')].join(' '))].join(' ');
  return said.match(/\\b(None|nan|NaN|inf|Infinity|undefined|null|NULL|Traceback)\\b|\\[object|<bound/g) || [];
})()"""
_COLOURS: Final = """Array.from(new Set(Array.from(document.querySelectorAll("QUERY"), (e) => {
  const style = getComputedStyle(e);
  return e.closest("svg") ? style.fill : style.backgroundColor;
})))"""


def look(browser: Browser, page: Path, width: int, dark: bool) -> None:
    browser.open(page, width=width, dark=dark)
    check(browser, width)
    assert browser.requests() == [page.as_uri()]
    assert browser.value(_BAD_WORDS) == []


def colours_of(browser: Browser, query: str) -> list[Any]:
    """The colours that marks and swatches of a query really have, each once."""
    found: list[Any] = browser.value(_COLOURS.replace("QUERY", query))
    return found
