"""The heat map of time lags, read back from its SVG: columns, colours and words, and what is drawn where nobody knows."""

from __future__ import annotations

import re

import pytest

from muster.pipeline.report import limits
from muster.pipeline.report.marks import PLOT_WIDTH
from muster.pipeline.report.plots import heat, heat_cells
from tests.pipeline.report.plot_reading import Row, facts_of, marks_of, minute_of
from tests.pipeline.report.sample_lag import DAY, END, HOUR, MINUTE


class TestHeatMap:
    def test_a_cell_has_the_class_of_the_worst_partition(self) -> None:
        facts = facts_of(
            g_lag_history=[
                minute_of(END - 10 * MINUTE, 200, 900),
                minute_of(END - 10 * MINUTE, 70_000, 80_000, 1),
                minute_of(END, 0, 0),
            ],
            g_group_lag=[{"at_ms": END}],
        )
        cells = marks_of(heat.heat_map(facts))
        assert [(cell["class"], cell["data-tip"].split(": ")[1]) for cell in (cells[0], cells[-1])] == [
            ("lag5", "1 min 10 s"),
            ("lag0", "caught up"),
        ]

    def test_a_silent_group_goes_on_getting_later_up_to_now(self) -> None:
        """The first unread record stays the same: no column after the last commit is blank."""
        facts = facts_of(
            g_lag_history=[minute_of(END - 10 * MINUTE, 60_000, 60_000)],
            g_lag=[{"at_ms": END, "committed": 1, "lag": 9, "time_lag_est_ms": 600_000, "time_lag_hi_ms": 600_000}],
        )
        cells = marks_of(heat.heat_map(facts))
        assert [cell["data-tip"].split(": ")[1] for cell in cells] == [f"{n} min" for n in range(1, 11)]
        assert float(cells[-1]["x"]) + float(cells[-1]["width"]) <= PLOT_WIDTH

    @pytest.mark.parametrize(
        ("before", "after", "between"),
        [
            ((0, None, False), (0, None, False), (0, None, False)),
            ((0, None, False), (90_000, None, False), (30_000, None, False)),
            ((5_000, None, False), (0, None, False), (65_000, None, False)),
            ((None, 5_000, False), (0, None, False), (None, 65_000, False)),
            ((None, None, True), (0, None, False), (None, None, True)),
            ((0, None, True), (0, None, False), (None, None, True)),
            ((None, None, True), (90_000, None, False), (None, 30_000, True)),
            ((5_000, None, False), (None, None, True), (None, 65_000, True)),
            ((5_000, None, True), (9_000, None, False), (65_000, None, True)),
        ],
    )
    def test_between_two_looks_a_group_is_as_late_as_they_say(
        self, before: heat_cells.Cell, after: heat_cells.Cell, between: heat_cells.Cell
    ) -> None:
        assert heat_cells.with_silence({3: before, 5: after}, MINUTE) == {3: before, 4: between, 5: after}

    def test_nothing_is_drawn_before_the_group_was_there(self) -> None:
        """A minute of the history begins before the commit that is in it."""
        facts = facts_of(
            g_lag_history=[minute_of(END - 5 * MINUTE, 1_000, 1_000)],
            g_member=[{"first_seen_ms": END - 5 * MINUTE + 45_000, "last_seen_ms": END, "is_present": True}],
        )
        assert facts.start_ms == END - 5 * MINUTE + 45_000
        (cell,) = marks_of(heat.heat_map(facts))
        assert (float(cell["x"]), cell["data-tip"]) == (0, "11:55 to 11:56: 1 s")

    def test_a_group_that_came_later_begins_within_its_column(self) -> None:
        rows = [minute_of(END - 5 * MINUTE, 0, 0), {**minute_of(END - 3 * MINUTE, 0, 0), "group_id": "late"}]
        came = {"group_id": "late", "first_seen_ms": END - 3 * MINUTE + 30_000, "last_seen_ms": END}
        cells = marks_of(heat.heat_map(facts_of(g_lag_history=rows, g_lag=[{"at_ms": END}], g_member=[came])))
        late = next(cell for cell in cells if cell["data-tip"].startswith("11:57"))
        assert float(late["x"]) == pytest.approx(PLOT_WIDTH / 2, abs=1)

    def test_a_group_that_only_commits_begins_with_its_commit(self) -> None:
        """It has neither members nor rebalances: a reader of its own that commits now and then."""
        rows = [minute_of(END - 5 * MINUTE, 0, 0), {**minute_of(END - 3 * MINUTE, 0, 0), "group_id": "late"}]
        now: Row = {
            "group_id": "late",
            "at_ms": END,
            "committed": 1,
            "lag": 0,
            "time_lag_est_ms": 0,
            "time_lag_hi_ms": 0,
        }
        for commit_ms, begins in ((END - 3 * MINUTE + 30_000, 2.5), (END - MINUTE, 3)):  # the second one had one before
            lag: list[Row] = [{"at_ms": END}, {**now, "commit_ms": commit_ms}]
            cells = marks_of(heat.heat_map(facts_of(g_lag_history=rows, g_lag=lag)))
            late = next(cell for cell in cells if cell["data-tip"].endswith("11:58: caught up"))
            assert float(late["x"]) == pytest.approx(PLOT_WIDTH * begins / 5, abs=1)

    def test_a_group_that_was_silent_when_the_window_began_has_no_gap_there(self) -> None:
        """A silent group has a row an hour: the one before the window says how late it was at its beginning."""
        start = END - limits.WINDOW_MS
        facts = facts_of(
            g_lag_history=[
                minute_of(start - 30 * MINUTE, HOUR, HOUR),
                minute_of(start + 30 * MINUTE, 2 * HOUR, 2 * HOUR),
            ],
            g_lag=[{"at_ms": END, "committed": 1, "time_lag_est_ms": 25 * HOUR, "time_lag_hi_ms": 25 * HOUR}],
        )
        first, *_ = marks_of(heat.heat_map(facts))
        assert (float(first["x"]), first["data-tip"].split(": ")[1]) == (0, "1 h 30 min")

    def test_a_lower_bound_that_is_the_worst_says_at_least(self) -> None:
        """analytics 2.2: left_bound means at least, so the cell must not claim more."""
        facts = facts_of(
            g_lag_history=[minute_of(END, 5_000, 6_000), minute_of(END, 9_000, None, 1)], g_group_lag=[{"at_ms": END}]
        )
        assert marks_of(heat.heat_map(facts))[0]["data-tip"].endswith(": at least 9 s")

    def test_a_minute_without_any_estimate_is_drawn_as_not_known(self) -> None:
        facts = facts_of(g_lag_history=[minute_of(END, None, None)], g_group_lag=[{"at_ms": END}])
        assert marks_of(heat.heat_map(facts))[0]["class"] == "lag-none"

    def test_a_partition_of_which_nothing_is_known_hides_that_the_others_are_caught_up(self) -> None:
        facts = facts_of(
            g_lag_history=[minute_of(END, 0, 0), minute_of(END, None, None, 1)], g_group_lag=[{"at_ms": END}]
        )
        (cell,) = marks_of(heat.heat_map(facts))
        assert (cell["class"], cell["data-tip"].split(": ")[1]) == ("lag-none", "not known")

    @pytest.mark.parametrize(
        ("other", "said"),
        [
            ((None, None), "at least 1 min"),
            ((2_000, None), "at least 1 min"),
            ((0, None), "at least 1 min"),
            ((0, 0), "1 min"),
        ],
        ids=["not known", "at least less", "at least nothing", "caught up"],
    )
    def test_under_a_grey_edge_a_cell_is_at_least_that(self, other: tuple[int | None, int | None], said: str) -> None:
        """One partition is known, and another may be later."""
        rows = [minute_of(END, MINUTE, MINUTE), minute_of(END, *other, 1)]
        drawn = heat.heat_map(facts_of(g_lag_history=rows, g_group_lag=[{"at_ms": END}]))
        (cell,) = marks_of(drawn)
        assert (cell["class"], cell["data-tip"].split(": ")[1]) == ("lag5", said)
        edges = re.findall(r'<path d="M([\d.]+) 1h([\d.]+)v6h-[\d.]+z" class="lag-least"/>', drawn)
        assert edges == ([(cell["x"], cell["width"])] if said != "1 min" else [])

    @pytest.mark.parametrize("other", [(None, None), (2_000, None), (0, None)])
    def test_a_short_time_that_is_only_the_least_is_drawn_as_not_known(self, other: tuple[int | None, None]) -> None:
        """Pale would look as if the group were nearly in time."""
        rows = [minute_of(END, 4_000, 4_000), minute_of(END, *other, 1)]
        drawn = heat.heat_map(facts_of(g_lag_history=rows, g_group_lag=[{"at_ms": END}]))
        (cell,) = marks_of(drawn)
        assert (cell["class"], cell["data-tip"].split(": ")[1]) == ("lag-none", "at least 4 s")
        assert "lag-least" not in drawn

    def test_at_least_nothing_is_not_caught_up(self) -> None:
        facts = facts_of(g_lag_history=[minute_of(END, 0, None)], g_group_lag=[{"at_ms": END}])
        (cell,) = marks_of(heat.heat_map(facts))
        assert (cell["class"], cell["data-tip"].split(": ")[1]) == ("lag-none", "not known")

    def test_columns_are_whole_minutes_and_not_too_many(self) -> None:
        for span in (MINUTE, HOUR, DAY):
            start, width = heat.columns(END - span, END)
            assert start % width == 0
            assert width % MINUTE == 0
            assert (END - start) // width <= limits.HEAT_COLUMNS + 1
