"""The generation staircase and the status calendar: steps, hours and their words."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from muster.pipeline.report import limits
from muster.pipeline.report.hours import last_of_each_hour
from muster.pipeline.report.marks import PLOT_WIDTH
from muster.pipeline.report.plots import calendar, staircase
from tests.pipeline.report.plot_reading import KEY, Row, facts_of, marks_of
from tests.pipeline.report.sample_lag import CLUSTER, DAY, END, HOUR, MINUTE
from tests.pipeline.report.sample_lake import as_table

_MIDNIGHT = END // DAY * DAY


def _rebalance(at_ms: int, number: int, **more: object) -> Row:
    return {"ended_ms": at_ms, "log_offset": number, "generation": number, "cause": "new_member", **more}


class TestStaircase:
    def test_every_rebalance_is_a_step_up(self) -> None:
        rows = [_rebalance(END - HOUR + i * MINUTE, i + 5) for i in range(3)]
        svg = staircase.staircase(facts_of(g_rebalance=rows))
        assert [mark["data-tip"].split(", ")[1] for mark in marks_of(svg)] == [
            f"number {i} in this time" for i in (1, 2, 3)
        ]
        heights = [float(mark["cy"]) for mark in marks_of(svg)]
        assert heights == sorted(heights, reverse=True)
        assert 'aria-label="g: 3 generations, at most 3 within 10 min"' in svg

    def test_aborted_generations_count_and_order_is_time_then_log_offset(self) -> None:
        """A generation that nobody synced into still made every member join again (analytics 2.6)."""
        rows = [_rebalance(END, 9, aborted_generations=2), _rebalance(END, 8), _rebalance(END - HOUR, 3)]
        steps = staircase.climbed([{"aborted_generations": None, **row} for row in rows])
        assert [(row["generation"], so_far) for _, so_far, row in steps] == [(3, 1), (8, 2), (9, 5)]

    def test_of_many_groups_those_with_most_rebalances_have_a_line_and_a_name(self) -> None:
        rows = [_rebalance(END - i * MINUTE, i, group_id=f"g-{g:02d}") for g in range(12) for i in range(g + 1)]
        svg = staircase.staircase(facts_of(g_rebalance=rows))
        assert re.findall(r'data-name="(g-\d+)"', svg) == [f"g-{g:02d}" for g in range(11, 3, -1)]
        assert "4 more groups are not shown" in svg

    def test_names_stand_apart_even_where_lines_end_together(self) -> None:
        rows = [_rebalance(END - HOUR, 1, group_id=f"g-{g}") for g in range(limits.STAIR_GROUPS)]
        svg = staircase.staircase(facts_of(g_rebalance=[*rows, _rebalance(END, 2, group_id="g-0")]))
        places = [float(y) for y in re.findall(r'y="([\d.]+)" class="beside"', svg)]
        assert all(below - above >= 13.9 for above, below in pairwise(places))
        assert len(places) == limits.STAIR_GROUPS

    def test_a_storm_of_thousands_is_drawn_with_few_points_and_ends_at_its_sum(self) -> None:
        rows = [_rebalance(END - HOUR + i * 1_000, i) for i in range(3_600)]
        svg = staircase.staircase(facts_of(g_rebalance=rows))
        assert len(marks_of(svg)) == limits.STAIR_READINGS
        assert marks_of(svg)[-1]["data-tip"].split(", ")[1] == "number 3,600 in this time"


def _minute(ms: int, committed: int | None, lag: int | None, late: int | None = 0, partition: int = 0) -> Row:
    row = {"topic": "t", "partition": partition, "minute_ms": ms, "committed": committed, "lag": lag}
    return {**row, "time_lag_est_ms": late, "time_lag_hi_ms": late}


def _calendar(*minutes: Row) -> list[tuple[str, str]]:
    places = {row["partition"] for row in minutes}
    facts = facts_of(
        g_lag=[{"topic": "t", "partition": place, "at_ms": END, "lag": 1} for place in places],
        g_lag_history=list(minutes),
    )
    marks = marks_of(calendar.status_calendar(facts, KEY))
    return [(mark["class"], mark["data-tip"].split(": ")[0]) for mark in marks]


class TestCalendar:
    @pytest.mark.parametrize(
        ("before", "now", "kind"),
        [
            (_minute(0, 10, 5, 1_000), _minute(0, 20, 0, 0), "fine"),
            (_minute(0, 10, 5, 1_000), _minute(0, 20, 5, 59_999), "fine"),
            (_minute(0, 10, 5, 1_000), _minute(0, 20, 900, 60_000), "behind"),
            (_minute(0, 10, 5, 1_000), _minute(0, 10, 900, 3_600_000), "still"),
            (_minute(0, 10, 5, 1_000), _minute(0, 10, 0, 0), "fine"),
            (_minute(0, 10, 5, 1_000), _minute(0, 4, 900, 1_000), "back"),
            (None, _minute(0, 10, 900, 3_600_000), "behind"),
            (_minute(0, 10, 5, 1_000), _minute(0, 20, 900, None), "unknown"),
            (_minute(0, 10, 5, 1_000), {**_minute(0, 20, 900, 5), "time_lag_hi_ms": None}, "unknown"),
            (_minute(0, 10, 5, 1_000), {**_minute(0, 20, 900, 60_000), "time_lag_hi_ms": None}, "behind"),
            (_minute(0, 10, 5, 1_000), _minute(0, 20, None, None), "unknown"),
            (_minute(0, None, None, None), _minute(0, 20, 900, 3_600_000), "behind"),
        ],
    )
    def test_an_hour_is_judged_by_its_end_and_the_end_of_the_hour_before(
        self, before: Row | None, now: Row, kind: str
    ) -> None:
        assert calendar.judged(now, before) == kind

    def test_an_hour_with_a_partition_of_which_nothing_is_known_does_not_look_fine(self) -> None:
        at = _MIDNIGHT + 3 * HOUR
        assert _calendar(_minute(at, 5, 0), _minute(at, 5, None, None, 1)) == [("hour-unknown", "03:00 to 04:00")]

    def test_the_hour_of_now_is_drawn_as_far_as_it_is_known(self) -> None:
        facts = facts_of(
            g_lag=[{"topic": "t", "partition": 0, "at_ms": END + 15 * MINUTE, "lag": 1}],
            g_lag_history=[_minute(END, 5, 0)],
            g_member=[{"first_seen_ms": END + 3 * MINUTE, "last_seen_ms": END + 15 * MINUTE}],
        )
        (cell,) = marks_of(calendar.status_calendar(facts, KEY))
        hour = PLOT_WIDTH / 24
        assert float(cell["x"]) == pytest.approx(12.05 * hour, abs=0.1)
        assert float(cell["width"]) == pytest.approx(0.2 * hour - 1, abs=0.1)

    def test_the_last_row_of_an_hour_counts(self) -> None:
        at = _MIDNIGHT + 3 * HOUR
        cells = _calendar(_minute(at, 5, 900, HOUR), _minute(at + 59 * MINUTE, 90, 0), _minute(at + HOUR, 90, 9, HOUR))
        assert cells == [("hour-fine", "03:00 to 04:00"), ("hour-still", "04:00 to 05:00")]

    def test_the_worst_partition_decides(self) -> None:
        cells = _calendar(_minute(_MIDNIGHT, 5, 0), _minute(_MIDNIGHT, 5, 900, HOUR, partition=1))
        assert cells == [("hour-behind", "00:00 to 01:00")]

    def test_rows_are_the_days_from_the_first_that_is_known(self) -> None:
        facts = facts_of(
            g_lag=[{"topic": "t", "partition": 0, "at_ms": END}],
            g_lag_history=[_minute(_MIDNIGHT - 2 * DAY, 1, 0), _minute(END - 30 * DAY, 1, 0), _minute(END, 2, 0)],
        )
        svg = calendar.status_calendar(facts, KEY)
        assert re.findall(r'class="row-label">([^<]*)', svg) == ["Thu 13 Nov", "Fri 14 Nov", "Sat 15 Nov"]
        assert "Fri 14 Nov: nothing known" in svg

    def test_a_group_without_history_has_no_calendar(self) -> None:
        assert "No history of lag" in calendar.status_calendar(facts_of(g_lag=[{"at_ms": END}]), KEY)


def test_the_last_rows_of_last_rows_are_the_same() -> None:
    """So that the history can be reduced piece by piece while it is read."""
    rows = [{"cluster": CLUSTER, "group_id": "g", **_minute(END - i * 7 * MINUTE, i, i, 0, i % 2)} for i in range(100)]
    whole = last_of_each_hour(as_table("g_lag_history", rows))
    pieces = [last_of_each_hour(as_table("g_lag_history", rows[i::3])).to_pylist() for i in range(3)]
    again = last_of_each_hour(as_table("g_lag_history", [row for piece in pieces for row in piece]))
    assert again.sort_by(_ORDER).to_pylist() == whole.sort_by(_ORDER).to_pylist()
    assert whole.num_rows < 40


_ORDER = [("partition", "ascending"), ("minute_ms", "ascending")]
