"""The plots in a real browser: no word over another, none cut off, each can be walked by keys, views change by buttons."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from muster.pipeline.report import render
from tests.browser import Browser
from tests.pipeline.report.sample_lag import CLUSTER, END
from tests.pipeline.report.sample_lake import as_table

pytestmark = pytest.mark.xdist_group("report-browser")

_BAD_WORDS = """(() => {
  document.documentElement.classList.remove('js');  // every panel and every view
  const found = [];
  for (const svg of document.querySelectorAll('svg.plot')) {
    const frame = svg.getBoundingClientRect();
    const texts = Array.from(svg.querySelectorAll('text'), (text) => [text.textContent, text.getBoundingClientRect()]);
    const plot = svg.getAttribute('aria-label').split('. ')[0];
    texts.forEach(([words, box], i) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 3 || box.bottom > frame.bottom + 3)
        found.push(plot + ': cut off: ' + words);
      for (const [others, other] of texts.slice(i + 1)) {
        const wide = Math.min(box.right, other.right) - Math.max(box.left, other.left);
        const high = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        if (wide > 1 && high > 4) found.push(plot + ': ' + words + ' over ' + others);
      }
    });
  }
  return found;
})()"""


def test_no_words_of_a_plot_stand_over_others_or_are_cut_off(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page, width=1400)
    assert browser.value("document.querySelectorAll('svg.plot').length") > 60
    assert browser.value(_BAD_WORDS) == []


def test_hostile_names_do_not_spoil_the_layout_either(browser: Browser, hostile_page: Path) -> None:
    browser.open(hostile_page, width=1400)
    assert browser.value(_BAD_WORDS) == []
    assert browser.value("document.documentElement.scrollWidth") <= 1400


def _one_group() -> dict[str, pa.Table]:
    """A single group that committed once: most plots have one mark or none."""
    place = {"cluster": CLUSTER, "group_id": "only", "topic": "t", "partition": 0}
    lag = {"committed": 5, "end": 9, "lag": 4, "time_lag_lo_ms": 0, "time_lag_hi_ms": 900, "time_lag_est_ms": 450}
    return {
        "g_lag": as_table("g_lag", [{**place, **lag, "at_ms": END, "lag_at_commit_lo_ms": 0, "log_start": 1}]),
        "g_lag_history": as_table("g_lag_history", [{**place, **lag, "minute_ms": END - 60_000}]),
        "g_status": as_table("g_status", [{**place, "at_ms": END, "status": "OK"}]),
        "g_rebalance": as_table("g_rebalance", [{**place, "ended_ms": END, "generation": 1, "cause": "new_member"}]),
        "g_hot_committers": as_table(
            "g_hot_committers", [{**place, "hour_ms": END - 3_600_000, "log_partition": 4, "commits": 1, "useless": 0}]
        ),
        "g_data_quality": as_table(
            "g_data_quality", [{**place, "log_topic": "__consumer_offsets", "log_partition": 4, "records": 1}]
        ),
    }


def test_one_group_with_one_commit_gets_a_tidy_page(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "one.html"
    page.write_text(render(_one_group(), END), encoding="utf-8")
    browser.open(page, width=1400)
    assert browser.complaints() == []
    assert browser.value(_BAD_WORDS) == []


def test_every_plot_answers_to_the_arrow_keys(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page)
    silent = browser.value(
        """(() => {
          const silent = [], tip = document.getElementById('tip');
          for (const plot of document.querySelectorAll('svg.plot')) {
            if (!plot.getBoundingClientRect().width) continue;
            plot.focus();
            plot.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
            if (!tip.classList.contains('on') || !tip.textContent) silent.push(plot.getAttribute('aria-label'));
            plot.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
          }
          return silent;
        })()"""
    )
    assert silent == []


def test_the_load_map_counts_what_its_button_says(browser: Browser, sample_page: Path) -> None:
    shown = "Array.from(document.querySelectorAll('#load .view')).filter((v) => v.offsetHeight > 0).map((v) => v.id)"
    browser.open(sample_page)
    assert browser.value(shown) == ["load-0"]
    browser.click('[data-shows="load-2"]')
    assert browser.value(shown) == ["load-2"]
    browser.point_at("#load-2 [data-tip]")
    assert " group" in browser.value("document.getElementById('tip').textContent")
    assert browser.value("document.querySelectorAll('#group-0 .view.chosen').length") == 1


def test_a_name_in_a_share_plot_leads_to_the_panel_of_the_group(browser: Browser, sample_page: Path) -> None:
    browser.open(sample_page)
    browser.click("#now .row-label a")
    chosen = browser.value("document.querySelector('.panel.chosen h3').textContent")
    assert chosen == browser.value("document.querySelector('#now .row-label a').textContent")


@pytest.mark.parametrize("dark", [False, True])
def test_numbers_on_cells_stand_out_from_every_colour_of_the_load(
    browser: Browser, sample_page: Path, dark: bool
) -> None:
    """WCAG 2.1, 1.4.3: at least 4.5 to 1."""
    browser.open(sample_page, dark=dark)
    ratios = browser.value(
        """(() => {
          const channel = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
          const light = (colour) => { const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
            return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
          const ink = light(getComputedStyle(document.querySelector('#load .cell-words')).fill);
          return Array.from({ length: 5 }, (_, i) => {
            const ground = light(getComputedStyle(document.querySelector('.swatch.load' + i)).backgroundColor);
            return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
          });
        })()"""
    )
    assert [ratio for ratio in ratios if ratio < 4.5] == []
