"""What a follower first tells of groups that had stopped: how late they are, or that nobody knows; not that all is well."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from muster.cli.main import main
from muster.pipeline.report import write_report
from tests.browser import Browser
from tests.pipeline.report import stopped_groups
from tests.pipeline.report.looked_at import VIEWS, colours_of, look
from tests.pipeline.report.plot_reading import marks_of

pytestmark = pytest.mark.xdist_group("spark")

_HOUR_MS = 3_600_000
_LEAST_MS = {"search": 60 * 60_000, "audit": 55 * 60_000, "billing": 35 * 60_000}
"""The first unread record of each was written so long before the groups stopped, or a little more."""
_OPEN = r"not known|at least [\d.]+ m?s"
"""Since the sample of its end, if some time passed between that and the tables."""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stopped_groups.followed_lake(tmp_path_factory.mktemp("stopped") / "lake")


def test_lag_says_how_late_stopped_groups_are_and_of_which_nobody_knows(
    lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lag", "--lake", str(lake), "--json"]) == 0
    answer = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    rows = [row for row in answer if "group" in row]
    assert sum(row["lag"] for row in rows if row["group"] == "search") == 11_000
    for row in rows:
        low, high = row["time_lag_lo_ms"], row["time_lag_hi_ms"]
        if row["group"] == stopped_groups.UNKNOWN:
            assert (row["lag"], high, row["method"]) == (40, None, "left_bound")
        else:
            assert _LEAST_MS[row["group"]] <= low <= high < 2 * _HOUR_MS
        assert row["commit_age_ms"] >= stopped_groups.STOPPED_MS
    assert main(["lag", "--lake", str(lake), "--groups"]) == 0
    shown = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert re.search(_OPEN, shown[stopped_groups.UNKNOWN])
    assert not any("not known" in shown[group] or "at least" in shown[group] for group in _LEAST_MS)


@pytest.fixture(scope="module")
def report(lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(lake, tmp_path_factory.mktemp("report") / "report.html").path


@VIEWS
def test_in_a_browser_what_is_not_known_has_one_grey_and_nothing_is_green(
    report: Path, browser: Browser, width: int, dark: bool
) -> None:
    look(browser, report, width, dark)
    (grey,) = colours_of(browser, ".swatch.lag-none")
    for marks in ("svg .lag-none", ".swatch.tone-unknown", "svg .hour-unknown", ".swatch.hour-unknown"):
        assert colours_of(browser, marks) in ([grey], []), marks
    assert colours_of(browser, "#over-time svg .lag-none") == [grey]
    assert grey not in colours_of(browser, ".swatch.lag0, .swatch.tone-good, .swatch.hour-fine")
    assert colours_of(browser, "svg .tone-good, svg .lag0, svg .hour-fine") == []
    tips = "Array.from(document.querySelectorAll('#over-time svg [data-tip]'), (e) => e.dataset.tip)"
    said = [tip.split(": ")[1] for tip in browser.value(tips) if re.match(r"\d\d:\d\d to ", tip)]
    assert len(said) >= 4 * 5
    assert not any("caught up" in tip for tip in said)
    assert "≥" in browser.value("document.querySelector('.tile.unknown strong').textContent")


def test_nothing_on_the_page_looks_caught_up(report: Path) -> None:
    page = report.read_text(encoding="utf-8")
    heat_map = page.split("Time lag of every group</h3>")[1].split("</figure>")[0]
    cells = [(mark["class"], mark["data-tip"].split(": ")[1]) for mark in marks_of(heat_map)]
    assert len(cells) >= 4 * 5
    assert {kind for kind, _ in cells} == {"lag-none", "lag7", "lag8"}, "not known, or far behind"
    worst = dict(re.findall(r'aria-label="(\w+): worst ([^"]*) at ', heat_map))
    assert worst.keys() == {*_LEAST_MS, stopped_groups.UNKNOWN}
    assert re.match(_OPEN, worst[stopped_groups.UNKNOWN])
    assert "<strong>≥ 1 h" in page.split("longest time lag")[0]
    assert "1 group not drawn: nobody knows how late." in page
    assert not marks_of(page, "tone-good")
