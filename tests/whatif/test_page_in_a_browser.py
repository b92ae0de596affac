"""The what-if page in a real browser: it complains of nothing, asks for nothing, and its cells are the figures of the answers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.report import words
from muster.whatif.answer import answer, as_row, problem_row
from muster.whatif.page import render
from muster.whatif.stretch import CannotReplay
from muster.whatif.variants import Variant
from tests.browser import Browser
from tests.whatif.test_replay import random_payloads

VARIANTS = [Variant(session_timeout_ms=3_000), Variant(is_static=True), Variant(remote_assignor="uniform")]
COUNTED = ("rebalances", "moved", "waited", "deaths")
TIMED = ("unowned_ms", "longest_unowned_ms", "detection_ms")
COLUMNS = ("rebalances", "moved", "unowned_ms", "longest_unowned_ms", "waited", "deaths", "detection_ms")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [{"cluster": "c", **as_row(each)} for each in answer("g", random_payloads(6), VARIANTS)]


@pytest.fixture(scope="module")
def page(rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    refused = {"cluster": "c", **problem_row("other", "static", CannotReplay("no beginning"))}
    file = tmp_path_factory.mktemp("whatif") / "page.html"
    file.write_text(render([*rows, refused], time.time_ns() // 1_000_000), encoding="utf-8")
    return file


def cells(browser: Browser, section: int) -> list[list[str]]:
    script = f"""Array.from(document.querySelectorAll("section")[{section}].querySelector("table").tBodies[0].rows)
      .map((row) => Array.from(row.cells).map((cell) => cell.textContent))"""
    found: list[list[str]] = browser.value(script)
    return found


def told(row: dict[str, Any], kind: str) -> list[str]:
    """The cells of a row behind its number and its settings."""
    said = []
    for name in COLUMNS:
        value = row[f"{kind}_{name}"]
        said.append("–" if value is None else words.count(value) if name in COUNTED else words.duration(value))
    return [*said, f"{row['reproduced']} of {row['recorded_rebalances']}"]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
def test_page_opens_without_complaint_asks_for_nothing_and_is_no_wider_than_its_window(
    browser: Browser, page: Path, dark: bool, width: int
) -> None:
    browser.open(page, width=width, dark=dark)
    assert browser.complaints() == []
    assert browser.requests() == [page.as_uri()]
    assert browser.value("document.documentElement.scrollWidth") <= width


def test_cells_are_the_figures_of_what_was_and_of_every_variant(
    browser: Browser, page: Path, rows: list[dict[str, Any]]
) -> None:
    browser.open(page)
    assert set(COLUMNS) == {*COUNTED, *TIMED}
    was = ["", "as it was", *told(rows[0], "recorded")]
    would_be = [[str(number), row["variant"], *told(row, "replayed")] for number, row in enumerate(rows, 1)]
    assert cells(browser, 0) == [was, *would_be]
    assert cells(browser, 1) == [["1", "static", "no beginning"]]


def test_partitions_are_listed_with_what_each_variant_would_make_of_them(
    browser: Browser, page: Path, rows: list[dict[str, Any]]
) -> None:
    browser.open(page)
    browser.click("details summary")
    script = """Array.from(document.querySelector("details table").tBodies[0].rows)
      .map((row) => Array.from(row.cells).map((cell) => cell.textContent))"""
    shown = {name: times for name, *times in browser.value(script)}
    by_variant = [{f"{each['topic']}-{each['partition']}": each for each in row["partitions"]} for row in rows]
    assert shown.keys() == {name for each in by_variant for name in each}
    for name, (was, *would_be) in shown.items():
        known = [each.get(name) for each in by_variant]
        assert was == words.duration(max(each["recorded_ms"] for each in known if each is not None)), name
        assert would_be == [words.duration(each["replayed_ms"] if each else 0) for each in known], name


def test_point_tells_its_settings_and_figures_when_it_is_pointed_at(
    browser: Browser, page: Path, rows: list[dict[str, Any]]
) -> None:
    browser.open(page)
    browser.point_at("circle[data-tip^='as it was']")
    unowned, rebalances = (words.duration(rows[0]["recorded_unowned_ms"]), rows[0]["recorded_rebalances"])
    said = browser.value("document.getElementById('tip').textContent")
    assert said.startswith(f"as it was: {unowned} without an owner, ")
    assert said.endswith(f", {rebalances} rebalances")
