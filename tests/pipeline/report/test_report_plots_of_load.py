"""Plots of shares and distances: Pareto, Lorenz, log load, distance to loss, lateness at commit. Read back from the SVG."""

from __future__ import annotations

import re

import pytest

from muster.pipeline.report import limits
from muster.pipeline.report.plots import commit_scatter, log_load, lorenz, pareto, retention
from tests.pipeline.report.plot_reading import KEY, Row, facts_of, marks_of
from tests.pipeline.report.sample_lag import END, HOUR, MINUTE


def _lag(group: str = "g", **more: object) -> Row:
    return {"group_id": group, "topic": "t", "partition": 0, "at_ms": END, **more}


class TestPareto:
    def test_each_bar_begins_where_the_one_above_ends(self) -> None:
        facts = facts_of(g_lag=[_lag("small", lag=10), _lag("large", lag=60), _lag("large", lag=30, partition=1)])
        svg = pareto.lag_pareto(facts)
        bars = re.findall(r'<rect x="([\d.]+)" y="3" width="([\d.]+)" height="14" class="bar"', svg)
        (first_x, first_width), (second_x, _) = [tuple(map(float, bar)) for bar in bars]
        assert first_x == 0
        assert second_x == pytest.approx(first_width, abs=0.2)
        assert [mark["data-tip"] for mark in marks_of(svg)] == [
            "90 records, 90 % of all; with those above 90 %",
            "10 records, 10 % of all; with those above 100 %",
        ]

    def test_groups_beyond_the_limit_are_one_row_that_completes_the_sum(self) -> None:
        many = limits.PARETO_GROUPS + 40
        svg = pareto.lag_pareto(facts_of(g_lag=[_lag(f"g-{i:03d}", lag=100 - i) for i in range(many)]))
        assert len(marks_of(svg)) == limits.PARETO_GROUPS + 1
        assert "40 others" in svg
        assert marks_of(svg)[-1]["data-tip"].endswith("with those above 100 %")

    def test_nobody_waits(self) -> None:
        assert "No record waits" in pareto.lag_pareto(facts_of(g_lag=[_lag(lag=0), _lag("h", lag=None)]))

    def test_who_may_wait_that_nobody_knows_of_is_counted(self) -> None:
        lost: Row = {"group_id": "h", "topic": "t", "partition": 0, "committed": 5}
        counted = "Not counted: 2 partitions of 1 group whose end is not known."
        alone = pareto.lag_pareto(facts_of(g_lag=[lost, {**lost, "partition": 1}]))
        assert f"No record is known to wait. {counted}" in alone
        assert "No record waits" not in alone
        late: Row = {"topic": "t", "partition": 0, "at_ms": END, "committed": 5, "lag": 9}
        assert counted in pareto.lag_pareto(facts_of(g_lag=[late, lost, {**lost, "partition": 1}]))
        assert "Not counted" not in pareto.lag_pareto(facts_of(g_lag=[late]))

    def test_commits_that_moved_nothing_are_the_faded_part_of_the_bar(self) -> None:
        rows = [{"hour_ms": END - hour * HOUR, "log_partition": 3, "commits": 50, "useless": 45} for hour in (1, 2)]
        svg = pareto.commit_pareto(facts_of(g_lag=[_lag()], g_hot_committers=rows))
        moved = re.search(r'width="([\d.]+)" height="14" class="bar"', svg)
        faded = re.search(r'width="([\d.]+)" height="14" class="bar-useless"', svg)
        assert moved is not None
        assert faded is not None
        assert float(faded.group(1)) == pytest.approx(9 * float(moved.group(1)), rel=0.01)
        assert "100 commits, 100 % of all, 90 % useless" in marks_of(svg)[0]["data-tip"]


class TestLorenz:
    def test_the_curve_goes_from_the_least_to_the_most_loaded(self) -> None:
        assert lorenz.curve([6, 0, 2]) == [(0, 0), (1 / 3, 0), (2 / 3, 0.25), (1, 1)]

    @pytest.mark.parametrize(
        ("loads", "expected"), [([5, 5, 5], 0.0), ([0, 0, 0, 8], 0.75), ([1, 3], 0.25), ([2], 0.0)]
    )
    def test_gini_of_known_loads(self, loads: list[float], expected: float) -> None:
        """analytics 2.7; the same measure as in g_assignment_balance."""
        assert lorenz.gini(loads) == pytest.approx(expected)

    def test_equal_partitions_can_be_unequal_work(self) -> None:
        facts = facts_of(
            g_member=[{"identity": name, "is_present": True, "n_partitions": 1} for name in "ab"],
            g_lag=[_lag(owner="a", produce_rate=90.0), _lag(owner="b", produce_rate=10.0, partition=1)],
        )
        svg = lorenz.lorenz(facts, KEY)
        assert "By partitions: Gini 0.00, the busiest of 2 members has 50 %." in svg
        assert "By records written: Gini 0.40, the busiest of 2 members has 90 %." in svg
        assert [mark["data-tip"] for mark in marks_of(svg)] == [
            "by partitions: 50 % of the members carry 50 %",
            "by records written: 50 % of the members carry 10 %",
        ]

    def test_without_rates_only_partitions_are_compared(self) -> None:
        facts = facts_of(g_member=[{"identity": name, "is_present": True, "n_partitions": 2} for name in "ab"])
        svg = lorenz.lorenz(facts, KEY)
        assert "lorenz-partitions" in svg
        assert "lorenz-records" not in svg

    def test_one_member_or_members_without_partitions_have_nothing_to_compare(self) -> None:
        """A member that left keeps its row and does not count."""
        gone = {"identity": "b", "is_present": False, "n_partitions": 2}
        one = facts_of(g_member=[{"identity": "a", "is_present": True, "n_partitions": 2}, gone])
        idle = facts_of(g_member=[{"identity": name, "is_present": True, "n_partitions": 0} for name in "ab"])
        for facts in (one, idle):
            assert "nothing to compare" in lorenz.lorenz(facts, KEY)


def _read(partition: int, records: int) -> Row:
    return {"log_topic": "__consumer_offsets", "log_partition": partition, "records": records}


class TestLogLoad:
    def test_the_class_is_how_many_times_the_mean_a_partition_holds(self) -> None:
        """Ten partitions with a hundred records, one with 5,400: nine times the mean of 600."""
        svg = log_load.load_map(facts_of(g_data_quality=[*(_read(i, 120) for i in range(10)), _read(10, 5_400)]))
        cells = marks_of(svg)[:11]
        assert [cell["class"] for cell in cells] == ["load0"] * 10 + ["load3"]
        assert cells[10]["data-tip"] == "log partition 10: 5,400 records (9.0 times its even share)"

    def test_a_cell_names_the_group_that_commits_most_there(self) -> None:
        rows: list[Row] = [
            {"group_id": name, "hour_ms": END, "log_partition": 7, "commits": commits, "bytes": commits * 80}
            for name, commits in (("quiet", 10), ("loud", 30), ("loud", 60))
        ]
        svg = log_load.load_map(facts_of(g_lag=[_lag()], g_data_quality=[_read(7, 100)], g_hot_committers=rows))
        records, size, groups = [mark["data-tip"] for mark in marks_of(svg)]
        assert records.endswith("; most commits by loud (90 %)")
        assert size.startswith("log partition 7: 8,000 bytes")
        assert groups.startswith("log partition 7: 2 groups")

    def test_the_journal_is_another_log(self) -> None:
        svg = log_load.load_map(facts_of(g_data_quality=[{**_read(3, 9), "log_topic": "__group_journal"}]))
        assert "Nothing was read of __consumer_offsets" in svg

    def test_of_many_log_partitions_the_fullest_are_shown_in_their_order(self) -> None:
        many = limits.LOAD_CELLS + 7
        svg = log_load.load_map(facts_of(g_data_quality=[_read(i, 1_000 + i) for i in range(many)]))
        assert "7 more log partitions are not shown" in svg
        assert marks_of(svg)[0]["data-tip"].startswith("log partition 7: ")


def _placed(group: str, committed: int, **more: object) -> Row:
    row = {"committed": committed, "log_start": 1_000, "end": 2_000, "lag": 2_000 - committed, "produce_rate": 2.0}
    return _lag(group, **{**row, **more})


class TestDistanceToLoss:
    def test_the_nearest_to_loss_stand_on_top_and_what_is_lost_is_counted(self) -> None:
        """trap 25: a committed offset before the log's start was deleted unread."""
        rows = [_placed("far", 1_900), _placed("lost", 700, lag=1_000), _placed("near", 1_020)]
        bars = marks_of(retention.distance_to_loss(facts_of(g_lag=rows)))
        assert [bar["class"] for bar in bars] == ["lost", "unread-near", "unread"]
        assert bars[0]["data-tip"].startswith("t-0: 300 records deleted unread")
        assert bars[1]["data-tip"].startswith("t-0: 20 records away, 10 s of writing")

    def test_the_worst_partition_speaks_for_its_group(self) -> None:
        rows = [_placed("g", 1_900), _placed("g", 1_500, partition=1)]
        (bar,) = marks_of(retention.distance_to_loss(facts_of(g_lag=rows)))
        assert bar["data-tip"].startswith("t-1: 500 records away")

    @pytest.mark.parametrize("more", [{"log_start": 0}, {"lag": 0}, {"committed": None, "lag": None}])
    def test_who_cannot_lose_anything_is_not_drawn(self, more: Row) -> None:
        svg = retention.distance_to_loss(facts_of(g_lag=[{**_placed("g", 1_500), **more}]))
        assert "Nothing to lose" in svg

    def test_who_may_lose_something_that_nobody_knows_of_is_counted(self) -> None:
        """A partition whose end is not known: records may be unread there, and be deleted next."""
        lost: Row = {**_placed("h", 1_500), "end": None, "lag": None, "at_ms": None}
        alone = retention.distance_to_loss(facts_of(g_lag=[lost, {**_placed("g", 1_500), "lag": 0}]))
        not_counted = "Not counted: 1 partition of 1 group whose end is not known."
        assert "Nothing to lose" not in alone
        assert not_counted in alone
        beside = retention.distance_to_loss(facts_of(g_lag=[lost, _placed("g", 1_500)]))
        assert marks_of(beside, "unread")
        assert not_counted in beside

    def test_a_log_that_was_deleted_as_a_whole_before_it_was_read_is_lost(self) -> None:
        (bar,) = marks_of(retention.distance_to_loss(facts_of(g_lag=[_placed("g", 1_500, log_start=2_000, lag=0)])))
        assert (bar["class"], bar["data-tip"].split(";")[0]) == ("lost", "t-0: 500 records deleted unread")

    def test_where_no_start_is_known_it_says_so(self) -> None:
        svg = retention.distance_to_loss(facts_of(g_lag=[_placed("g", 1_500, log_start=None)]))
        assert "Where the logs begin is not known" in svg


def _late(group: str, at_commit: int, now: int, **more: object) -> Row:
    row = {"lag_at_commit_lo_ms": at_commit, "lag_at_commit_hi_ms": at_commit, "time_lag_est_ms": now}
    return _lag(group, **{**row, "time_lag_hi_ms": now, "commit_age_ms": now - at_commit, **more})


class TestLateAtCommit:
    def test_who_just_committed_stands_on_the_line_and_who_fell_silent_above_it(self) -> None:
        rows = [_late("slow", HOUR, HOUR), _late("silent", 1_000, HOUR)]
        by_name = {
            mark["data-tip"].split(",")[0]: mark
            for mark in marks_of(commit_scatter.commit_scatter(facts_of(g_lag=rows)))
        }
        slow, silent = by_name["slow"], by_name["silent"]
        assert slow["cy"] == silent["cy"]
        assert float(silent["cx"]) < float(slow["cx"])
        # On the diagonal: as far from the left as from the foot.
        assert float(slow["cx"]) - 64 == pytest.approx(26 + 340 - float(slow["cy"]), abs=0.2)

    def test_one_point_a_group_in_the_tone_of_its_worst_partition(self) -> None:
        rows = [_late("g", 0, MINUTE), _late("g", 0, HOUR, partition=1)]
        status = [{"topic": "t", "partition": 1, "at_ms": END, "status": "STOPPED"}]
        (mark,) = marks_of(commit_scatter.commit_scatter(facts_of(g_lag=rows, g_status=status)))
        assert mark["class"] == "tone-bad"
        assert mark["data-tip"] == "g, t-1: late 1 h now, 0 s at its last commit 1 h ago, STOPPED"

    def test_a_bracket_counts_by_its_middle_and_an_open_one_by_its_lower_end(self) -> None:
        assert commit_scatter.at_commit_ms({"lag_at_commit_lo_ms": 10, "lag_at_commit_hi_ms": 30}) == 20
        assert commit_scatter.at_commit_ms({"lag_at_commit_lo_ms": 10, "lag_at_commit_hi_ms": None}) == 10

    def test_of_many_groups_the_latest_stay_and_the_others_are_chosen_evenly(self) -> None:
        rows: list[Row] = [{"n": n} for n in range(10_000)]
        kept = [row["n"] for row in commit_scatter.sampled(rows)]
        latest = limits.SCATTER_GROUPS // 2
        assert len(kept) == len(set(kept)) == limits.SCATTER_GROUPS
        assert kept[: latest + 1] == list(range(latest + 1))
        assert kept[-1] > 9_900

    def test_groups_of_which_nobody_knows_how_late_they_are_do_not_lie_among_those_in_time(self) -> None:
        unknown = {"lag_at_commit_lo_ms": 0, "lag_at_commit_hi_ms": None}
        rows = [
            _late("late", 0, MINUTE),
            _late("open", 0, 0, **unknown),
            _late("half", 0, 0),
            _late("half", 0, 0, partition=1, lag=7, time_lag_est_ms=None, time_lag_hi_ms=None),
            _late("endless", 0, 0),
            _late("endless", 0, 0, partition=1, committed=7, lag=None, time_lag_est_ms=None, time_lag_hi_ms=None),
        ]
        svg = commit_scatter.commit_scatter(facts_of(g_lag=rows))
        assert [mark["data-tip"].split(",")[0] for mark in marks_of(svg)] == ["late"]
        assert "3 groups not drawn: nobody knows how late." in svg

    def test_a_group_that_is_well_in_one_partition_and_unknown_in_another_is_not_drawn_as_well(self) -> None:
        unknown = _late("g", 0, 0, partition=1, lag=7, time_lag_est_ms=None, time_lag_hi_ms=None)
        status = [{"topic": "t", "partition": 0, "at_ms": END, "status": "OK"}]
        for rows, tone, late in (
            ([_late("g", 0, 1_000)], "tone-good", "late 1 s now"),
            ([_late("g", 0, 1_000), unknown], "tone-unknown", "late at least 1 s now, another partition not known"),
        ):
            (mark,) = marks_of(commit_scatter.commit_scatter(facts_of(g_lag=rows, g_status=status)))
            assert mark["class"] == tone
            assert mark["data-tip"].startswith(f"g, t-0: {late}, ")

    @pytest.mark.parametrize(
        ("late_ms", "drawn"),
        [(0, []), (1_000, [("tone-unknown", "late at least 1 s now, another partition not known")])],
    )
    def test_a_late_partition_without_a_place_here_is_not_hidden_by_one_that_is_in_time(
        self, late_ms: int, drawn: list[tuple[str, str]]
    ) -> None:
        """How late it was at its last commit is not known: its point cannot be drawn, and the other one is not the worst."""
        hidden = _late("g", 0, HOUR, partition=1, lag=7, lag_at_commit_lo_ms=None, lag_at_commit_hi_ms=None)
        rows = [_late("g", 0, late_ms), hidden, _late("other", 0, MINUTE)]
        status = [{"topic": "t", "partition": 0, "at_ms": END, "status": "OK"}]
        svg = commit_scatter.commit_scatter(facts_of(g_lag=rows, g_status=status))
        found = [(mark["class"], mark["data-tip"]) for mark in marks_of(svg) if mark["data-tip"].startswith("g, ")]
        assert [(kind, tip.split(": ")[1].rsplit(", ", 2)[0]) for kind, tip in found] == drawn
        assert ("1 group not drawn: nobody knows how late." in svg) == (not drawn)

    def test_where_nobody_knows_how_late_a_commit_was_it_says_so(self) -> None:
        facts = facts_of(g_lag=[_late("g", 0, MINUTE, lag_at_commit_lo_ms=None)])
        assert "No commit of which this lake knows" in commit_scatter.commit_scatter(facts)
