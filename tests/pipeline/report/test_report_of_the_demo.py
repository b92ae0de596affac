"""What `make demo` leaves behind, in a real browser: its own story is run, with real clients, and the report of it is looked at."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import Browser
from tests.pipeline.report.looked_at import VIEWS, colours_of, look

pytestmark = pytest.mark.xdist_group("spark")

_STORY = "import pathlib, sys, demo.__main__ as demo; demo.HOME = pathlib.Path(sys.argv[1]); demo.main([])"
"""In another place than `.demo`, which belongs to whoever ran `make demo` here."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("demo")
    story = [sys.executable, "-c", _STORY, str(home)]
    done = subprocess.run(story, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return home / "report.html"


@VIEWS
def test_it_can_be_read_in_every_light_and_width(report: Path, browser: Browser, width: int, dark: bool) -> None:
    look(browser, report, width, dark)
    assert browser.value("document.querySelectorAll('#over-time svg [data-tip]').length") > 5
    assert browser.value("document.querySelectorAll('.panel').length") == 2


def test_the_group_that_stopped_with_records_waiting_is_not_drawn_as_well(report: Path, browser: Browser) -> None:
    """Every partition has some of the 50 records that nobody reads, and its members have left."""
    browser.open(report)
    assert browser.value("document.querySelector('.attention').textContent").startswith(
        "STOPPED billing in 6 partitions"
    )
    page = report.read_text(encoding="utf-8")
    heat_map = page.split("Time lag of every group</h3>")[1].split("</figure>")[0]
    assert re.search(r'aria-label="billing: worst (?!caught up)', heat_map)
    assert colours_of(browser, "#now svg .tone-good") == []
