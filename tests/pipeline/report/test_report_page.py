"""The page as text: whole, alone, the same every time, and right about what it leaves out."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

from muster.pipeline.report import render
from muster.pipeline.schemas import GOLD, TABLES
from tests.pipeline.report.hostile import NAMES
from tests.pipeline.report.page_check import read_page
from tests.pipeline.report.sample_lag import END
from tests.pipeline.report.sample_lake import as_table


def test_the_sample_page_is_well_formed(sample_html: str) -> None:
    assert read_page(sample_html).faults == []


def test_the_page_asks_for_nothing_from_anywhere(sample_html: str) -> None:
    page = read_page(sample_html)
    assert not page.attributes & {"src", "srcset", "action", "ping", "poster", "style"}
    assert page.tags.keys().isdisjoint({"img", "link", "iframe", "object", "embed", "base", "form"})
    assert "://" not in sample_html
    assert "url(" not in sample_html
    assert "@import" not in sample_html


def test_the_policy_forbids_all_but_the_one_style_and_script(sample_html: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', sample_html)
    assert policy is not None
    assert policy.group(1).startswith("default-src &#x27;none&#x27;; style-src &#x27;sha256-")
    assert "unsafe" not in policy.group(1)


def test_every_plot_and_table_of_the_report_is_there(sample_html: str) -> None:
    """Issue 6: the plots that people would look at, and tables that sort and filter."""
    texts = set(read_page(sample_html).texts)
    plots = {
        "Time lag of every group",
        "Rebalances over time",
        "End and committed offset",
        "How long each rebalance took",
    }
    plots |= {"Who owned each partition", "Lifetimes of members", "Partitions of each member", "Coverage of the log"}
    plots |= {"Offsets that expire in the next 14 days", "Assignment balance of all groups", "Hour by hour"}
    plots |= {"Generations of each group", "How equal the shares are", "Who the waiting records belong to"}
    plots |= {"Who fills the log with commits", "Late at its last commit, late now", "Distance to data loss"}
    plots |= {"Load of the coordinator's log"}
    sheets = {"Lag", "Status", "Rebalances", "Members", "Balance", "Expiring", "Abandoned", "Committers"}
    assert plots | sheets <= texts


def test_under_every_plot_one_sentence_says_what_to_look_for(sample_html: str) -> None:
    figures = re.findall(r"<figure>(.*?)</figure>", sample_html, re.DOTALL)
    drawn = [figure for figure in figures if "<svg" in figure]
    assert len(drawn) > 50
    assert [figure[:80] for figure in drawn if '</h3><p class="look-for">Look ' not in figure] == []


def test_the_same_tables_make_the_same_page(tables: dict[str, pa.Table], sample_html: str) -> None:
    backwards = {
        name: table.take(pa.array(range(table.num_rows - 1, -1, -1), pa.int64())) for name, table in tables.items()
    }
    assert render(backwards, END + 600_000) == sample_html


def test_an_empty_lake_gets_a_page_that_says_so() -> None:
    html = render({}, END)
    page = read_page(html)
    assert page.faults == []
    for sentence in (
        "No group in this lake.",
        "No rebalance in this time.",
        "This lake has no record of what was read.",
    ):
        assert sentence in page.texts


@pytest.mark.parametrize(
    "missing", ["g_lag", "g_status", "g_group_lag", "g_rebalance", "g_member", "g_lag_history", "s_assignment"]
)
def test_a_lake_without_one_of_its_tables_still_gets_a_page(tables: dict[str, pa.Table], missing: str) -> None:
    """A log without journal, without end offsets or without members lacks whole tables."""
    left = {name: table for name, table in tables.items() if name != missing}
    assert read_page(render(left, END)).faults == []


def _bare(name: str) -> pa.Table:
    """One row that says no more than whose it is."""
    key = {"cluster": "eu-1", "group_id": "orders-enricher", "topic": "orders", "partition": 0}
    return as_table(name, [{column: value for column, value in key.items() if column in TABLES[name].names}])


@pytest.mark.parametrize("name", GOLD)
def test_a_row_in_which_nothing_is_known_gets_a_page(name: str) -> None:
    """The log alone leaves much unknown; null means unknown, never zero (trap 33)."""
    assert read_page(render({name: _bare(name)}, END)).faults == []


def test_rows_in_which_nothing_is_known_among_others_do_no_harm(tables: dict[str, pa.Table]) -> None:
    mixed = {name: pa.concat_tables([table, _bare(name)]) if name in GOLD else table for name, table in tables.items()}
    page = read_page(render(mixed, END))
    assert page.faults == []
    assert "None" not in "".join(page.texts)


def test_hostile_text_stays_text_in_every_column(hostile_html: str, sample_html: str) -> None:
    page, tame = read_page(hostile_html), read_page(sample_html)
    assert page.faults == []
    assert set(page.tags) == set(tame.tags)
    assert page.tags["script"] == 1
    assert not [name for name in page.attributes if name.startswith("on")]
    shown = "".join(page.texts)
    assert "<script>alert(1)</script>" in shown
    assert "(empty name)" in shown
    assert "🐙 группа 消费者 👩\u200d💻" in shown
    assert "\u202e" not in hostile_html
    assert "\x00" not in hostile_html
    assert len(NAMES[12]) > 32_767


def test_a_very_long_name_is_cut(hostile_html: str) -> None:
    assert "x" * 200 not in hostile_html


def test_two_clusters_with_the_same_group_are_kept_apart(tables: dict[str, pa.Table]) -> None:
    both = {}
    for name, table in tables.items():
        other = table.set_column(0, "cluster", pa.array(["us-1"] * table.num_rows, pa.string()))
        both[name] = pa.concat_tables([table, other])
    page = read_page(render(both, END))
    assert page.faults == []
    options = [text for text in page.texts if text.startswith(("eu-1 / ", "us-1 / "))]
    assert "eu-1 / billing-export" in options
    assert "us-1 / billing-export" in options


def test_a_lake_that_is_behind_its_log_says_provisional(tables: dict[str, pa.Table]) -> None:
    """Until the reader has reached the end offsets it saw at its start, gold is provisional (trap 28)."""
    rows = [{**row, "provisional": True} for row in tables["g_lag"].to_pylist()]
    assert "provisional" in render({**tables, "g_lag": as_table("g_lag", rows)}, END).split("<nav")[0]
    assert "provisional" not in render(tables, END).split("<nav")[0]
