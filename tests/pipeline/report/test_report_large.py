"""A lake of 10,000 groups and 100,000 partitions: the page stays small, says what it left out, and still works."""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow as pa
import pytest

from muster.pipeline.report import limits, render, write_report
from tests.browser import Browser
from tests.pipeline.report.lake_of import write_lake
from tests.pipeline.report.large_lake import GROUPS, PARTITIONS, large_tables
from tests.pipeline.report.page_check import read_page
from tests.pipeline.report.sample_lag import END

pytestmark = pytest.mark.xdist_group("report-browser")

_MOST_BYTES = 5_000_000


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    return large_tables()


@pytest.fixture(scope="module")
def page(tables: dict[str, pa.Table], tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("large") / "report.html"
    before = time.perf_counter(), time.process_time()
    html = render(tables, END)
    print(
        f"\n{GROUPS:,} groups, {PARTITIONS:,} partitions: {len(html.encode()):,} bytes, "
        f"{time.perf_counter() - before[0]:.1f} s, {time.process_time() - before[1]:.1f} s CPU"
    )
    file.write_text(html, encoding="utf-8")
    return file


def test_the_page_stays_under_five_megabytes(page: Path) -> None:
    assert page.stat().st_size < _MOST_BYTES


def test_the_page_says_what_it_left_out(page: Path) -> None:
    texts = read_page(page.read_text(encoding="utf-8")).texts
    rest = GROUPS - limits.HEAT_GROUPS
    assert f"{rest:,} more groups are not shown: they need less attention than these, or have no history." in texts
    rows = limits.TABLE_ROWS
    assert f"{rows} of {PARTITIONS:,} rows, longest time lag first. {PARTITIONS - rows:,} rows are left out." in texts
    assert any(text.endswith("more lines like these: see the tables.") for text in texts)
    assert len([text for text in texts if " not shown: " in text]) > 5


def test_a_lake_of_this_size_on_disk_makes_the_same_page(
    tables: dict[str, pa.Table], page: Path, tmp_path: Path
) -> None:
    lake = write_lake(tmp_path / "lake", tables, rows_in_a_group=50_000)
    report = write_report(lake, tmp_path / "report.html", generated_ms=END)
    assert report.path.read_bytes() == page.read_bytes()


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False), (390, True)])
def test_the_page_works_in_a_browser(page: Path, browser: Browser, width: int, dark: bool) -> None:
    browser.open(page, width=width, dark=dark)
    assert browser.complaints() == []
    assert browser.value("document.documentElement.scrollWidth") <= width, "only plots and tables scroll sideways"
    browser.type_into("#lag .finder", "group-000")
    assert browser.value("document.querySelector('#lag .shown').textContent").endswith("rows here fit.")
