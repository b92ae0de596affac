"""A partition of which nobody knows how late it is does not look caught up: in the tile, the order and the words of a panel.

It is behind and no sample says since when, or its end is not known (`no_end`), or the bracket is open and begins at nothing.
"""

from __future__ import annotations

import re

import pytest

from muster.pipeline.report import contents
from muster.pipeline.report.facts import worst_partitions
from muster.pipeline.report.panels import panel
from muster.pipeline.report.sheets import sheet
from muster.pipeline.report.summary import tiles
from tests.pipeline.report.plot_reading import KEY, Row, facts_of
from tests.pipeline.report.sample_lag import END, MINUTE


def lag(partition: int, lag: int | None, late_ms: int | None, **more: object) -> Row:
    row = {"topic": "t", "partition": partition, "at_ms": END, "committed": 10, "lag": lag, "method": "bracket"}
    return {**row, "time_lag_lo_ms": late_ms, "time_lag_hi_ms": late_ms, "time_lag_est_ms": late_ms, **more}


CAUGHT_UP = lag(0, 0, 0, method="caught_up")
LATE = lag(1, 5, MINUTE)
NO_END = lag(2, None, None, method="no_end", at_ms=None)
BEHIND = lag(3, 5, None)
BELOW_THE_SAMPLES = lag(4, 5, None, time_lag_lo_ms=0, method="left_bound")
NO_POSITION = lag(5, None, None, committed=None, method="no_position")
UNKNOWN = pytest.mark.parametrize("unknown", [NO_END, BEHIND, BELOW_THE_SAMPLES], ids=lambda row: str(row["method"]))


def longest(*rows: Row) -> str:
    shown = re.search(r"<strong>([^<]*)</strong><span>longest time lag</span>", tiles(facts_of(g_lag=list(rows))))
    assert shown is not None
    return shown[1]


@UNKNOWN
def test_the_longest_time_lag_is_not_that_of_those_that_are_caught_up(unknown: Row) -> None:
    assert longest(CAUGHT_UP, unknown) == "not known"
    assert longest(LATE, unknown) == "≥ 1 min"
    assert longest(unknown) == "not known"


def test_the_longest_is_at_least_that_where_another_one_is_open() -> None:
    shorter = lag(6, 5, MINUTE // 2, time_lag_hi_ms=None)
    assert longest(LATE, shorter) == "≥ 1 min"
    assert longest(LATE, NO_POSITION) == "1 min"
    assert longest(NO_POSITION) == "–"


def test_what_a_group_is_behind_in_records_is_at_least_that_where_an_end_is_not_known() -> None:
    newest = {"at_ms": END, "lag_sum": 5, "time_lag_max_ms": MINUTE}
    assert "at least 5 records behind, at least 1 min at worst" in panel(
        facts_of(g_lag=[LATE, NO_END], g_group_lag=[newest]), KEY, "g"
    )
    alone = panel(
        facts_of(g_lag=[NO_END], g_group_lag=[{**newest, "lag_sum": None, "time_lag_max_ms": None}]), KEY, "g"
    )
    assert "How many records behind is not known. " in alone
    assert "– records" not in alone


def test_where_all_is_known_the_longest_is_a_number() -> None:
    """Nothing was committed in a partition without a position: it cannot be late."""
    assert longest(CAUGHT_UP, NO_POSITION) == "0 s"
    assert longest(CAUGHT_UP, LATE) == "1 min"


@UNKNOWN
def test_the_table_and_the_tile_say_it_in_words_and_in_the_grey_of_the_plots(unknown: Row) -> None:
    """A dash is for a partition without a position: nothing was read there."""
    facts = facts_of(g_lag=[unknown, NO_POSITION])
    drawn = sheet(contents.lag(facts))
    lines = {int(cells[2]): cells[6] for cells in (re.findall(r"<td[^>]*>(.*?)</td>", row) for row in _rows(drawn))}
    grey = '<span class="swatch lag-none" aria-hidden="true"></span>'
    assert lines == {unknown["partition"]: f"{grey}not known", 5: "–"}
    assert '<li class="tile unknown"><strong>not known</strong>' in tiles(facts)


def test_the_sum_of_records_is_grey_where_an_end_is_not_known() -> None:
    said = "records behind in all, without 1 partition whose lag is not known"
    assert f'<li class="tile unknown"><strong>5</strong><span>{said}</span>' in tiles(facts_of(g_lag=[LATE, NO_END]))
    assert f'<li class="tile"><strong>5</strong><span>{said}</span>' in tiles(facts_of(g_lag=[LATE, NO_POSITION]))


def test_records_that_nobody_can_count_are_not_known_in_the_tables() -> None:
    lag_rows = _rows(sheet(contents.lag(facts_of(g_lag=[NO_END, NO_POSITION]))))
    behind = [re.findall(r"<td[^>]*>(.*?)</td>", row)[5] for row in lag_rows]
    assert behind == ["not known", "–"]
    expiring = [{"topic": "t", "partition": 0, "expires_ms": END + MINUTE, "at_risk_records": None}]
    (row,) = _rows(sheet(contents.expiring(facts_of(g_lag=[LATE], g_expiry=expiring))))
    assert re.findall(r"<td[^>]*>(.*?)</td>", row)[6] == "not known"


def _rows(table: str) -> list[str]:
    return re.findall(r"<tr>(.*?)</tr>", table.split("<tbody>")[1])


@UNKNOWN
def test_its_group_comes_before_one_that_is_caught_up(unknown: Row) -> None:
    behind = {"lag_sum": unknown["lag"], "n_no_end": int(unknown["lag"] is None)}
    newest = [{"at_ms": END, "time_lag_max_ms": 0, "lag_sum": 0}, {"at_ms": END, "group_id": "z", **behind}]
    assert [key.group_id for key in facts_of(g_group_lag=newest).groups] == ["z", "g"]


@UNKNOWN
def test_it_stands_above_those_that_are_not_late_and_below_those_that_are(unknown: Row) -> None:
    facts = facts_of(g_lag=[CAUGHT_UP, unknown, LATE, NO_POSITION])
    order = [row["partition"] for row in worst_partitions(facts, KEY, 10)]
    assert order == [1, unknown["partition"], 0, 5]


@UNKNOWN
def test_what_a_group_is_behind_is_at_least_that(unknown: Row) -> None:
    newest = {"at_ms": END, "lag_sum": 5, "time_lag_max_ms": MINUTE}
    assert "5 records behind, at least 1 min at worst" in panel(
        facts_of(g_lag=[LATE, unknown], g_group_lag=[newest]), KEY, "g"
    )
    assert "5 records behind, how long is not known" in panel(
        facts_of(g_lag=[CAUGHT_UP, unknown], g_group_lag=[{**newest, "time_lag_max_ms": 0}]), KEY, "g"
    )
    assert "5 records behind, 1 min at worst" in panel(
        facts_of(g_lag=[LATE, CAUGHT_UP], g_group_lag=[newest]), KEY, "g"
    )
