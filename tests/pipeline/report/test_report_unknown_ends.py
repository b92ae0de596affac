"""A partition whose end nobody knows any more, over time: no column and no hour of its group looks caught up, and none is blank.

Its row in `g_lag` has neither an end nor a time (`at_ms`), and the history has no rows of it since the last sample.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.pipeline.lake.reader import Lake
from muster.pipeline.report import render
from muster.pipeline.report.plots import calendar, heat
from muster.pipeline.report.read import read_tables
from tests.pipeline.report.lake_of import write_lake
from tests.pipeline.report.plot_reading import KEY, Row, facts_of, marks_of, minute_of
from tests.pipeline.report.sample_lag import CLUSTER, END, HOUR, MINUTE
from tests.pipeline.report.sample_lake import as_table

Cells = list[tuple[str, str]]


def looked_at(minute: int, late_ms: int, partition: int = 0) -> Row:
    """A row of the history, that many minutes before the end."""
    lag = 5 if late_ms else 0
    found = minute_of(END - minute * MINUTE, late_ms, late_ms, partition)
    return {**found, "committed": 10, "end": 10 + lag, "lag": lag, "time_lag_lo_ms": late_ms}


def no_end(partition: int, commit_minute: int | None) -> Row:
    commit_ms = None if commit_minute is None else END - commit_minute * MINUTE
    return {"topic": "t", "partition": partition, "committed": 10, "method": "no_end", "commit_ms": commit_ms}


def now(partition: int, late_ms: int | None, **more: object) -> Row:
    row = {"topic": "t", "partition": partition, "at_ms": END, "committed": 10, "lag": 5 if late_ms != 0 else 0}
    return {**row, "time_lag_lo_ms": late_ms, "time_lag_hi_ms": late_ms, "time_lag_est_ms": late_ms, **more}


def cells_of(**tables: list[Row]) -> Cells:
    return [(mark["class"], mark["data-tip"].split(": ")[1]) for mark in marks_of(heat.heat_map(facts_of(**tables)))]


CAUGHT_UP, GREY = ("lag0", "caught up"), ("lag-none", "not known")
EVERY_MINUTE = [looked_at(minute, 0) for minute in range(10, 0, -1)]


class TestHeatMap:
    def test_a_group_alone_is_not_known_since_the_last_sample(self) -> None:
        cells = cells_of(
            g_lag_history=[looked_at(10, 0, 1), looked_at(9, 0, 1)],
            g_lag=[no_end(1, 10)],
            g_member=[{"group_id": "other", "last_seen_ms": END}],
        )
        assert cells == [CAUGHT_UP] * 2 + [GREY] * 8

    def test_it_was_behind_and_goes_on_getting_later_at_least(self) -> None:
        cells = cells_of(
            g_lag_history=[looked_at(3, 5 * MINUTE, 1)],
            g_lag=[no_end(1, 8)],
            g_member=[{"group_id": "other", "last_seen_ms": END}],
        )
        assert cells == [("lag6", "5 min"), ("lag6", "at least 6 min"), ("lag6", "at least 7 min")]

    def test_beside_one_that_is_caught_up_every_minute(self) -> None:
        cells = cells_of(
            g_lag_history=[*EVERY_MINUTE, looked_at(10, 0, 1), looked_at(7, 0, 1)],
            g_lag=[now(0, 0), no_end(1, 10)],
        )
        assert cells == [CAUGHT_UP] * 4 + [GREY] * 6

    def test_beside_one_that_is_caught_up_it_is_as_late_as_it_was_and_more(self) -> None:
        cells = cells_of(
            g_lag_history=[*EVERY_MINUTE, looked_at(10, MINUTE, 1), looked_at(7, 4 * MINUTE, 1)],
            g_lag=[now(0, 0), no_end(1, 11)],
        )
        assert cells[3:] == [("lag5", "4 min"), *(("lag6", f"at least {minutes} min") for minutes in range(5, 11))]

    def test_whose_end_was_never_sampled_since_its_commit(self) -> None:
        cells = cells_of(g_lag_history=EVERY_MINUTE, g_lag=[now(0, 0), no_end(1, 6)])
        assert cells == [CAUGHT_UP] * 4 + [GREY] * 6

    def test_of_which_nothing_at_all_is_known_but_that_it_is_there(self) -> None:
        cells = cells_of(g_lag_history=EVERY_MINUTE, g_lag=[now(0, 0), no_end(1, None)])
        assert cells == [CAUGHT_UP] * 9 + [GREY]

    def test_no_time_of_anything_is_known(self) -> None:
        """The newest fact is then when a member was seen."""
        cells = cells_of(g_lag=[no_end(0, 3)], g_member=[{"first_seen_ms": END - 5 * MINUTE, "last_seen_ms": END}])
        assert cells == [GREY] * 3

    @pytest.mark.parametrize(
        ("row", "said"),
        [
            (now(1, 6 * MINUTE), ["caught up"] * 4 + [f"{minutes} min" for minutes in range(1, 7)]),
            (now(1, 20 * MINUTE), ["caught up"] * 2 + [f"{minutes} min" for minutes in range(13, 21)]),
            (now(1, None), ["caught up"] * 2 + ["not known"] * 8),
            (now(1, 3 * MINUTE, time_lag_hi_ms=None), ["caught up"] * 2 + ["not known"] * 5 + ["at least"] * 3),
        ],
        ids=["since a record came", "since its commit", "time not known", "at least"],
    )
    def test_a_silent_partition_is_late_in_every_column_beside_one_that_commits(
        self, row: Row, said: list[str]
    ) -> None:
        """The history has a row of it every five minutes, then every hour."""
        lag = [now(0, 0), {**row, "commit_ms": END - 8 * MINUTE}]
        told = [said for _, said in cells_of(g_lag_history=EVERY_MINUTE, g_lag=lag)]
        assert [text if "least" not in text else "at least" for text in told] == said


class TestCalendar:
    """The newest fact is of 12:09."""

    def hours(self, *lag: Row, history: list[Row]) -> Cells:
        newest = {**looked_at(-9, 0), "group_id": "other"}
        marks = marks_of(calendar.status_calendar(facts_of(g_lag_history=[*history, newest], g_lag=list(lag)), KEY))
        return [(mark["class"].removeprefix("hour-"), mark["data-tip"].split(", ")[1]) for mark in marks]

    def test_every_hour_since_the_last_sample_is_not_known(self) -> None:
        hours = self.hours(no_end(1, 200), history=[looked_at(180, 0, 1)])
        assert hours == [("fine", "1 of 1 partition"), *[("unknown", "1 of 1 partition")] * 3]

    def test_also_beside_one_that_keeps_up(self) -> None:
        history = [*(looked_at(60 * hour, 0) for hour in range(4)), looked_at(120, 0, 1)]
        hours = self.hours(now(0, 0), no_end(1, 130), history=history)
        assert [kind for kind, _ in hours] == ["fine", "fine", "unknown", "unknown"]
        assert hours[-1] == ("unknown", "1 of 2 partitions")

    def test_the_hour_of_now_ends_without_an_end(self) -> None:
        assert self.hours(no_end(1, -5), history=[looked_at(-5, 0, 1)]) == [("unknown", "1 of 1 partition")]

    def test_an_end_that_was_never_sampled_is_not_known_since_the_commit(self) -> None:
        assert self.hours(no_end(1, 61), history=[]) == [("unknown", "1 of 1 partition")] * 3

    def test_nothing_is_drawn_of_the_hour_that_begins_now(self) -> None:
        tables = {"g_lag_history": [looked_at(120, 0, 1)], "g_lag": [no_end(1, 130), {"group_id": "h", "at_ms": END}]}
        marks = marks_of(calendar.status_calendar(facts_of(**tables), KEY))
        assert [mark["data-tip"].split(":")[0] for mark in marks] == ["10", "11"]


def test_a_lake_on_disk_makes_the_same_page(tmp_path: Path) -> None:
    """The reader keeps the whole history of few partitions: here many are behind, and those without an end are not among them."""
    minutes = range(12 * 60, 0, -7)
    late = [now(partition, 6 * HOUR) for partition in range(2, 8)]
    rows = {
        "g_lag_history": [
            *(looked_at(minute, HOUR, row["partition"]) for row in late for minute in minutes),
            *(looked_at(minute, 0, 0) for minute in minutes if minute > 300),
            *(looked_at(minute, 0, 1) for minute in minutes if minute > 100),
        ],
        "g_lag": [*late, no_end(0, 700), no_end(1, 650)],
    }
    tables = {
        name: as_table(name, [{"cluster": CLUSTER, "group_id": "g", **row} for row in made])
        for name, made in rows.items()
    }
    lake = write_lake(tmp_path / "lake", tables, rows_in_a_group=20)
    assert render(read_tables(Lake.open(lake), END), END) == render(tables, END)
