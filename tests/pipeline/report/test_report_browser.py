"""The page in a real browser: it runs without a complaint, asks for nothing, and does what its buttons say."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.report import limits
from tests.browser import Browser
from tests.pipeline.report.pictures import check

pytestmark = pytest.mark.xdist_group("report-browser")

_LAG = "#lag-rows"


def _column(browser: Browser, table: str, heading: str) -> list[str]:
    """The texts of one column, of the rows that are shown."""
    script = f"""(() => {{
      const table = document.querySelector("{table}");
      const at = Array.from(table.tHead.rows[0].cells).findIndex((cell) => cell.textContent === "{heading}");
      return Array.from(table.tBodies[0].rows).filter((row) => !row.hidden).map((row) => row.cells[at].textContent);
    }})()"""
    texts: list[str] = browser.value(script)
    return texts


def _press_heading(browser: Browser, table: str, heading: str) -> str:
    """Press a column's heading and say how the column is sorted then."""
    script = f"""(() => {{
      const head = Array.from(document.querySelectorAll("{table} th")).find((cell) => cell.textContent === "{heading}");
      head.querySelector("button").click();
      return head.getAttribute("aria-sort");
    }})()"""
    return str(browser.value(script))


def _numbers(texts: list[str]) -> list[int]:
    return [int(text.replace(",", "")) for text in texts]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_opens_without_complaint_and_asks_for_nothing(
    browser: Browser, sample_page: Path, dark: bool, width: int
) -> None:
    browser.open(sample_page, width=width, dark=dark)
    assert browser.complaints() == []
    assert browser.requests() == [sample_page.as_uri()]


def test_a_number_column_sorts_by_value_largest_first_then_turns(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page)
    assert _press_heading(browser, _LAG, "committed") == "descending"
    down = _numbers(_column(browser, _LAG, "committed"))
    assert down == sorted(down, reverse=True)
    assert _press_heading(browser, _LAG, "committed") == "ascending"
    assert _numbers(_column(browser, _LAG, "committed")) == down[::-1]


def test_durations_sort_by_time_not_by_text_and_unknown_ones_stand_last(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page)
    for way in ("descending", "ascending"):
        assert _press_heading(browser, "#rebalances-rows", "join") == way
        texts = _column(browser, "#rebalances-rows", "join")
        assert texts[-1] == "–"
        assert texts.count("–") == 1
    assert texts[0] == "900 ms"
    assert texts[-2] == "44 s"


def test_a_text_column_sorts_with_numbers_inside_of_names_in_order(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page)
    assert _press_heading(browser, "#members-rows", "member") == "ascending"
    texts = _column(browser, "#members-rows", "member")
    assert texts[:3] == ["connect-worker-0", "connect-worker-1", "connect-worker-2"]
    assert _press_heading(browser, "#members-rows", "host") == "ascending"
    marked = browser.value("document.querySelectorAll('#members-rows th:not([aria-sort=none])').length")
    assert marked == 1


def test_the_filter_keeps_rows_with_all_words_and_drops_the_unwanted(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page)
    everything = len(_column(browser, _LAG, "group"))
    browser.type_into("#lag .finder", "Payments bracket")
    assert set(_column(browser, _LAG, "topic")) == {"payments"}
    assert (
        browser.value("document.querySelector('#lag .shown').textContent") == f"12 of the {everything} rows here fit."
    )
    browser.type_into("#lag .finder", "payments -fraud")
    assert set(_column(browser, _LAG, "group")) == {"payments-settlement"}
    browser.type_into("#lag .finder", "no such row")
    assert _column(browser, _LAG, "group") == []


def test_sorting_after_filtering_keeps_hidden_rows_hidden(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page)
    browser.type_into("#lag .finder", "billing-export")
    _press_heading(browser, _LAG, "end")
    assert _column(browser, _LAG, "group") == ["billing-export"] * 4


def test_the_theme_button_goes_from_auto_to_light_to_dark_and_back(browser: Browser, sample_page: Path) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    browser.open(sample_page, dark=True)
    browser.value("localStorage.clear()")
    browser.open(sample_page, dark=True)
    seen: list[tuple[Any, Any]] = []
    for _ in range(4):
        seen.append((browser.value("document.getElementById('theme').textContent"), browser.value(paper)))
        browser.click("#theme")
    dark, light = "rgb(20, 23, 27)", "rgb(255, 255, 255)"
    assert seen == [("Theme: auto", dark), ("Theme: light", light), ("Theme: dark", dark), ("Theme: auto", dark)]


def test_a_chosen_theme_is_still_there_when_the_page_is_opened_again(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page)
    browser.value("localStorage.setItem('muster-theme', 'dark')")
    browser.open(sample_page)
    assert browser.value("document.documentElement.dataset.theme") == "dark"
    browser.value("localStorage.clear()")


_SHOWN_PANELS = "Array.from(document.querySelectorAll('.panel')).filter((p) => p.offsetHeight > 0).map((p) => p.id)"


def test_one_group_is_shown_at_a_time_and_the_list_chooses_it(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page)
    assert browser.value(_SHOWN_PANELS) == ["group-0"]
    browser.value(
        "(() => { const list = document.getElementById('group-choice'); list.value = 'group-3';"
        " list.dispatchEvent(new Event('change')); })()"
    )
    assert browser.value(_SHOWN_PANELS) == ["group-3"]
    assert browser.value("location.hash") == "#group-3"


def test_a_link_with_a_group_opens_at_it(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page, fragment="#group-2")
    assert browser.value(_SHOWN_PANELS) == ["group-2"]
    browser.click('.row-label a[href="#group-1"]')
    assert browser.value(_SHOWN_PANELS) == ["group-1"]
    assert browser.value("document.getElementById('group-choice').value") == "group-1"


def test_a_link_to_a_group_that_is_not_there_shows_the_first(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page, fragment="#group-999")
    assert browser.value(_SHOWN_PANELS) == ["group-0"]
    assert browser.complaints() == []


def test_a_partition_button_shows_the_lines_of_that_partition(browser: Browser, sample_page: Path) -> None:
    shown = "Array.from(document.querySelectorAll('#group-0 .view')).filter((v) => v.offsetHeight > 0).map((v) => v.id)"
    browser.open(sample_page)
    assert browser.value(shown) == ["group-0-p0"]
    browser.click('[data-shows="group-0-p2"]')
    assert browser.value(shown) == ["group-0-p2"]
    pressed = "Array.from(document.querySelectorAll('#group-0 .tab'), (tab) => tab.getAttribute('aria-pressed'))"
    assert browser.value(pressed)[:3] == ["false", "false", "true"]


def test_pointing_at_a_mark_says_what_it_is(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page)
    browser.point_at("#over-time .lag9[data-tip]")
    assert browser.value("document.getElementById('tip').classList.contains('on')")
    said = browser.value("document.getElementById('tip').textContent")
    assert said.startswith("billing-export · ")
    assert " h" in said


def test_arrow_keys_read_the_marks_of_a_plot(browser: Browser, sample_page: Path) -> None:
    tip = "document.getElementById('tip').textContent"
    browser.open(sample_page)
    browser.value("document.querySelector('#over-time svg.plot').focus()")
    browser.press("ArrowRight")
    assert browser.value(tip).startswith("payments-settlement · 12:00 to 12:15")
    browser.press("ArrowRight")
    assert browser.value(tip).startswith("payments-settlement · 12:15 to 12:30")
    browser.press("ArrowDown")
    assert browser.value(tip).startswith("billing-export · 12:15 to 12:30")
    browser.press("End")
    assert browser.value(tip).startswith("connect-s3-sink · ")
    browser.press("Escape")
    assert not browser.value("document.getElementById('tip').classList.contains('on')")


def test_on_a_phone_only_plots_and_tables_scroll_sideways_and_show_the_newest_end(
    browser: Browser, sample_page: Path
) -> None:
    browser.open(sample_page, width=390, height=800)
    assert browser.value("document.documentElement.scrollWidth") <= 390
    ends = browser.value(
        "(() => { const box = document.querySelector('#over-time .scroll');"
        " return [box.scrollWidth > box.clientWidth, box.scrollLeft + box.clientWidth >= box.scrollWidth - 1]; })()"
    )
    assert ends == [True, True]


def test_without_scripts_every_group_and_row_can_be_read(browser: Browser, sample_page: Path) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(sample_page)
        assert len(browser.value(_SHOWN_PANELS)) == 8
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


def test_hostile_names_are_inert_text(browser: Browser, hostile_page: Path) -> None:
    """Nothing runs, nothing is loaded, and the names can be read as they are."""
    browser.open(hostile_page)
    assert browser.complaints() == []
    assert browser.requests() == [hostile_page.as_uri()]
    assert browser.value("document.scripts.length") == 1
    assert browser.value("document.images.length") == 0
    attributes = browser.value("Array.from(document.querySelectorAll('*')).flatMap((e) => e.getAttributeNames())")
    assert [name for name in attributes if name.startswith("on")] == []
    names = browser.value(
        "Array.from(document.querySelectorAll('#group-choice option'), (option) => option.textContent)"
    )
    assert "<script>alert(1)</script>" in names
    assert '"><img src=x onerror=alert(2)>' in names
    browser.type_into("#lag .finder", "(empty")
    assert "(empty name)" in _column(browser, _LAG, "group")
    browser.point_at("#over-time [data-tip]")
    assert browser.value("document.getElementById('tip').children.length") == 0
    assert browser.complaints() == []


_CONTRAST = """((query) => {
  const channel = (value) => { value /= 255; return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => 0.2126 * channel(rgb[0]) + 0.7152 * channel(rgb[1]) + 0.0722 * channel(rgb[2]);
  const paper = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const rgb = parts(getComputedStyle(at).backgroundColor);
      if (rgb.length === 3 || rgb[3] === 1) return rgb;
    }
    return [255, 255, 255];
  };
  const element = document.querySelector(query);
  const style = getComputedStyle(element);
  const ink = light(parts(element.closest("svg") ? style.fill : style.color));
  const ground = light(paper(element.closest("svg") || element));
  return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
})"""


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_its_ground_in_both_themes(browser: Browser, sample_page: Path, dark: bool) -> None:
    """WCAG 2.1, 1.4.3: at least 4.5 to 1."""
    browser.open(sample_page, dark=dark)
    queries = [
        "body",
        "header p",
        "a",
        ".tile span",
        ".badge.bad",
        ".badge.doubtful",
        ".badge.good",
        ".left-out",
        "th button",
    ]
    queries += [
        ".look-for",
        ".how-to-read",
        "text.zone",
        ".legend li",
        "text.tick",
        "text.beside",
        "text.bracket-words",
        "td small",
        ".tab[aria-pressed=true]",
    ]
    found = {query: browser.value(f"{_CONTRAST}({query!r})") for query in queries}
    assert {query: ratio for query, ratio in found.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("dark", [False, True])
def test_the_lag_scale_goes_one_way_in_lightness(browser: Browser, sample_page: Path, dark: bool) -> None:
    """So it can be read without seeing colours at all."""
    browser.open(sample_page, dark=dark)
    lightness = browser.value(
        """Array.from({length: 10}, (_, i) => {
          const rgb = getComputedStyle(document.querySelector('.swatch.lag' + i)).backgroundColor.match(/\\d+/g).map(Number);
          return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
        })"""
    )
    steps = [after - before for before, after in pairwise(lightness)]
    assert all(step > 0 for step in steps) if dark else all(step < 0 for step in steps)


def test_everything_that_can_be_used_has_a_name(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page)
    nameless = browser.value(
        """Array.from(document.querySelectorAll('button, select, input, a, svg, [role=region], [role=img]')).filter((e) =>
          !(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length))).length"""
    )
    assert nameless == 0


def test_it_prints_in_light_colours_even_in_the_dark_theme(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page, dark=True)
    browser.call(
        "Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}]
    )
    try:
        assert browser.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert browser.value("getComputedStyle(document.querySelector('.sheet-box')).maxHeight") == "none"
        assert browser.value("getComputedStyle(document.querySelector('#theme')).display") == "none"
    finally:
        browser.call("Emulation.setEmulatedMedia", media="", features=[])
    assert browser.printed().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("<p>fine</p>", None),
        ("<script>console.warn('oh')</script>", "complains"),
        ("<p style='width: 2000px'>wide</p>", "2000 pixels wide"),
    ],
)
def test_a_page_that_complains_or_is_too_wide_is_no_picture(
    browser: Browser, tmp_path: Path, body: str, why: str | None
) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><body style='margin: 0'>{body}", encoding="utf-8")
    browser.open(page)
    if why is None:
        check(browser, 1280)
        return
    with pytest.raises(SystemExit, match=why):
        check(browser, 1280)


def test_panels_are_limited(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page)
    assert browser.value("document.querySelectorAll('.panel').length") <= limits.PANEL_GROUPS
