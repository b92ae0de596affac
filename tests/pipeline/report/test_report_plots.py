"""What the plots draw is what the tables say: places, colours and words of marks, read back from the SVG."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pyarrow as pa
import pytest

from muster.pipeline.report.marks import PLOT_WIDTH
from muster.pipeline.report.plots import balance, expiry, lanes, lines, members, phases, quality, timeline
from muster.pipeline.report.summary import attention, tiles
from tests.pipeline.report.plot_reading import KEY, Row, facts_of, marks_of, minute_of
from tests.pipeline.report.sample_lag import CLUSTER, DAY, END, HOUR, MINUTE
from tests.pipeline.report.sample_lake import as_table


def _rebalance(ended_ms: int, **more: Any) -> Row:
    return {
        "generation": 1,
        "log_offset": 1,
        "started_ms": ended_ms - 2_000,
        "ended_ms": ended_ms,
        "cause": "new_member",
        **more,
    }


class TestTimeline:
    def test_a_single_rebalance_is_a_mark_in_the_colour_of_its_cause(self) -> None:
        facts = facts_of(
            g_rebalance=[_rebalance(END - HOUR, cause="session_expired", trigger_member="m-1"), _rebalance(END)]
        )
        first, second = marks_of(timeline.timeline(facts))
        assert first["class"] == "cause-expired"
        assert "session_expired by m-1" in first["data-tip"]
        assert (float(first["x"]), second["class"]) == (0.0, "cause-joined")

    def test_rebalances_that_would_cover_each_other_share_a_column_by_cause(self) -> None:
        crowd = [_rebalance(END - HOUR + i, cause="session_expired" if i % 4 else "member_left") for i in range(8)]
        facts = facts_of(g_rebalance=[*crowd, _rebalance(END)])
        svg = timeline.timeline(facts)
        said = marks_of(svg)[0]["data-tip"]
        assert said.startswith("8 rebalances from ")
        assert said.endswith("2 because a member left, 6 because a member was lost")
        heights = re.findall(r'height="([\d.]+)" class="cause-(left|expired)"', svg)
        assert heights == [("3.5", "left"), ("10.5", "expired")]

    def test_a_start_that_the_log_does_not_tell_is_said_as_at_least(self) -> None:
        """analytics 0.4: the join phase is not in the log, the sync phase is."""
        facts = facts_of(g_rebalance=[_rebalance(END, started_ms=None, sync_phase_ms=300, confidence=0.7)])
        assert "inferred, 70 % sure), took at least 300 ms" in marks_of(timeline.timeline(facts))[0]["data-tip"]

    def test_a_storm_has_a_band_behind_its_marks(self) -> None:
        episode = {"episode": 1, "started_ms": END - HOUR, "ended_ms": END, "n_rebalances": 9, "kind": "storm"}
        facts = facts_of(g_rebalance=[_rebalance(END)], g_rebalance_episode=[episode, {**episode, "kind": "single"}])
        bands = marks_of(timeline.timeline(facts), "episode")
        assert [band["class"] for band in bands] == ["episode episode-storm"]
        assert "9 rebalances in 1 h" in bands[0]["data-tip"]


class TestPhases:
    def test_join_and_sync_stand_one_after_the_other_in_the_cause_colour(self) -> None:
        facts = facts_of(
            g_rebalance=[
                _rebalance(END, join_phase_ms=3_000, sync_phase_ms=1_000, pause_max_ms=8_000, pause_p50_ms=2_000)
            ]
        )
        svg = phases.phases(facts, KEY)
        bars = re.findall(r'x="([\d.]+)" y="4" width="([\d.]+)" height="12" class="([\w -]+)"', svg)
        (join_x, join_width, join_class), (sync_x, sync_width, sync_class) = bars
        assert (join_class, sync_class) == ("cause-joined", "cause-joined pale")
        assert float(join_x) == 0
        assert float(sync_x) == pytest.approx(float(join_width))
        assert float(join_width) == pytest.approx(3 * float(sync_width), rel=0.01)
        worst = re.search(r'width="([\d.]+)" height="4" class="pause-max"', svg)
        assert worst is not None
        assert float(worst.group(1)) == pytest.approx(8 * float(sync_width), rel=0.01)

    def test_an_unknown_join_phase_is_a_dashed_stub_never_a_zero(self) -> None:
        """trap 33: what nobody recorded is null, not zero."""
        facts = facts_of(g_rebalance=[_rebalance(END, started_ms=None, join_phase_ms=None, sync_phase_ms=200)])
        svg = phases.phases(facts, KEY)
        assert "unknown-phase" in svg
        assert "join –, sync 200 ms" in unescape(svg)


def _assigned(offset: int, ms: int, owner: str, partition: int = 0) -> Row:
    return {
        "log_offset": offset,
        "record_ms": ms,
        "generation": offset,
        "identity": owner,
        "topic": "t",
        "partition": partition,
    }


def _generation(offset: int, ms: int, members_: int) -> Row:
    return {"log_offset": offset, "record_ms": ms, "generation": offset, "n_members": members_}


class TestLanes:
    def _pieces(self, **rows: list[Row]) -> list[tuple[str, str]]:
        facts = facts_of(
            g_lag_history=[minute_of(END - DAY, 0, 0)], g_group_lag=[{"at_ms": END}], g_lag=[{"at_ms": END}], **rows
        )
        return [(mark["class"], mark["data-tip"]) for mark in marks_of(lanes.lanes(facts, KEY))]

    def test_the_same_owner_over_generations_is_one_piece(self) -> None:
        pieces = self._pieces(s_assignment=[_assigned(1, END - 20 * HOUR, "a"), _assigned(2, END - 10 * HOUR, "a")])
        assert pieces == [("owner0", "a from 16:00:00 to 12:00:00")]

    def test_a_move_begins_a_new_piece_with_the_new_owner(self) -> None:
        pieces = self._pieces(s_assignment=[_assigned(1, END - 20 * HOUR, "a"), _assigned(2, END - 10 * HOUR, "b")])
        assert pieces == [("owner0", "a from 16:00:00 to 02:00:00"), ("owner1", "b from 02:00:00 to 12:00:00")]

    def test_an_empty_generation_ends_ownership(self) -> None:
        pieces = self._pieces(
            s_assignment=[_assigned(1, END - 20 * HOUR, "a")],
            s_group_generation=[_generation(1, END - 20 * HOUR, 1), _generation(2, END - 15 * HOUR, 0)],
        )
        assert pieces == [("owner0", "a from 16:00:00 to 21:00:00")]

    def test_an_assignment_from_before_the_window_is_drawn_from_its_start(self) -> None:
        pieces = self._pieces(s_assignment=[_assigned(1, END - 40 * DAY, "a")])
        assert pieces == [("owner0", "a from 12:00:00 to 12:00:00")]

    def test_moves_too_close_to_be_told_apart_are_drawn_as_one_and_counted(self) -> None:
        quick = [_assigned(2 + i, END - 10 * HOUR + i * 10_000, "ab"[i % 2]) for i in range(8)]
        pieces = self._pieces(s_assignment=[_assigned(1, END - 20 * HOUR, "a"), *quick])
        assert pieces == [
            ("owner0", "a from 16:00:00 to 02:00:10"),
            ("crowd", "5 moves from 02:00:10 to 02:01:10, then a"),
            ("owner1", "b from 02:01:10 to 12:00:00"),
        ]

    def test_with_too_many_pieces_the_partitions_that_moved_most_stay(self) -> None:
        rows = [
            _assigned(n, END - DAY + n * 15 * MINUTE, f"m{(n + p) % 50}" if p < 7 else "m", p)
            for n in range(90)
            for p in range(60)
        ]
        facts = facts_of(g_lag_history=[minute_of(END - DAY, 0, 0)], g_lag=[{"at_ms": END}], s_assignment=rows)
        svg = lanes.lanes(facts, KEY)
        assert "50 more partitions are not shown: they moved less often." in svg
        assert len(marks_of(svg)) == 7 * 90 + 3
        assert "crowd" not in svg

    def test_order_is_the_log_offset_even_when_times_go_back(self) -> None:
        """trap 4: order is log_offset, never a timestamp."""
        pieces = self._pieces(s_assignment=[_assigned(1, END - 5 * HOUR, "a"), _assigned(2, END - 6 * HOUR, "b")])
        assert pieces[-1][1].startswith("b from ")

    def test_a_group_that_only_commits_has_no_lanes(self) -> None:
        """trap 16: simple consumers have commits and no members."""
        facts = facts_of(g_lag=[{"at_ms": END, "topic": "t", "partition": 0}])
        assert "No assignment of this group" in lanes.lanes(facts, KEY)
        assert "it may only commit" in members.members(facts, KEY)


def _lag(**more: Any) -> Row:
    row = dict.fromkeys(("committed", "end", "lag", "time_lag_lo_ms", "time_lag_hi_ms", "time_lag_est_ms"))
    return {**row, "at_ms": END, **more}


def _lines(lag: Row, *minutes: Row) -> str:
    made = as_table("g_lag_history", [{"cluster": CLUSTER, "group_id": "g", **minute} for minute in minutes])
    return lines.partition_lines(made, lag, [], END - 100 * MINUTE, END, "title")


class TestLines:
    def test_nothing_is_drawn_where_the_end_is_not_known(self) -> None:
        """The first sample came long after the first commit: no slope leads from one to the other."""
        place = {"topic": "t", "partition": 0, "committed": 0}
        ends = (None, None, 90, None, 95, 95)
        minutes = [{**place, "minute_ms": END - (10 - n) * MINUTE, "end": end} for n, end in enumerate(ends)]
        svg = _lines(_lag(committed=0, end=95, lag=95), *minutes)
        shaded = re.findall(r'<path d="([^"]+)" class="between"', svg)
        assert len(shaded) == 1
        first_x = float(re.findall(r"[\d.]+", shaded[0])[0])
        assert first_x == pytest.approx(_x_of(svg, END - 5 * MINUTE), abs=1)
        assert len(re.findall(r'class="line-end"', svg)) == 1
        assert len(re.findall(r'class="line-committed"', svg)) == 1

    def test_a_past_span_ends_where_it_ends_and_has_nothing_of_the_lag_after_it(self) -> None:
        place = {"topic": "t", "partition": 0, "committed": 5, "end": 9, "lag": 4}
        minutes = [{**place, "minute_ms": END - n * MINUTE} for n in (50, 1)]
        later = {"committed": 7_000, "end": 7_777, "lag": 777, "time_lag_lo_ms": 600, "time_lag_hi_ms": 600}
        svg = _lines(_lag(at_ms=END + DAY, time_lag_est_ms=600, **later), *minutes)
        (drawn,) = re.findall(r'<path d="([^"]+)" class="line-end"', svg)
        xs = [float(number) for number in re.findall(r"[\d.]+", drawn)][::2]
        assert xs[0] == pytest.approx(_x_of(svg, END - 49 * MINUTE), abs=1)
        assert max(xs) == pytest.approx(_x_of(svg, END), abs=1)
        assert "7,777" not in svg
        assert "behind</text>" not in svg, "no bracket"

    def test_a_time_lag_that_is_known_for_a_moment_only_can_be_seen(self) -> None:
        moment = {"time_lag_lo_ms": 600, "time_lag_hi_ms": 600, "time_lag_est_ms": 600}
        svg = _lines(
            _lag(committed=1, end=9, lag=8, **moment),
            {"topic": "t", "partition": 0, "committed": 1, "end": 9, "minute_ms": END, **moment},
        )
        (begin, stop) = re.findall(r'<line x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)" y2="[\d.]+" class="line-lag"', svg)[
            0
        ]
        assert float(stop) - float(begin) == 6
        assert "at least that" not in svg

    @pytest.mark.parametrize("minutes", [[40, 30, 20], [20]], ids=["a while", "a moment"])
    def test_a_time_lag_that_is_only_the_least_is_open_upwards(self, minutes: list[int]) -> None:
        """A band that ends at the estimate would say that it is known."""
        least = {"time_lag_lo_ms": 600, "time_lag_hi_ms": None, "time_lag_est_ms": 600}
        place = {"topic": "t", "partition": 0, "committed": 1, "end": 9, "lag": 8}
        closed = {"time_lag_lo_ms": 600, "time_lag_hi_ms": 900, "time_lag_est_ms": 700}
        rows = [{**place, **least, "minute_ms": END - minute * MINUTE} for minute in minutes]
        svg = _lines(_lag(**place, **closed), *rows, {**place, **closed, "minute_ms": END - 10 * MINUTE})
        assert "grey above it: at least that" in svg
        (grey,) = re.findall(r'<path d="([^"]*)" class="lag-open"', svg)
        (band,) = re.findall(r'<path d="([^"]*)" class="lag-band"', svg)
        top = "10"
        assert len(re.findall(rf"[ML][\d.]+ {top}(?=[LZ])", grey)) == max(len(minutes), 2)
        assert not re.findall(rf"[ML][\d.]+ {top}(?=[LZ])", band)


def _x_of(svg: str, at_ms: int) -> float:
    """By the bracket's scale: the plot shows 100 minutes up to `END`."""
    left, right = 62, PLOT_WIDTH + 200 - 8
    return right - (END - at_ms) / (100 * MINUTE) * (right - left)


class TestBracket:
    def test_it_reaches_from_now_back_to_the_two_ends_of_the_time_lag(self) -> None:
        svg = _lines(
            _lag(
                committed=10,
                end=90,
                lag=80,
                time_lag_lo_ms=20 * MINUTE,
                time_lag_hi_ms=40 * MINUTE,
                time_lag_est_ms=30 * MINUTE,
            )
        )
        doubt = re.search(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="8" class="bracket-doubt"', svg)
        sure = re.search(r'<line x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)" y2="[\d.]+" class="bracket"', svg)
        assert doubt is not None
        assert sure is not None
        begin, width = map(float, doubt.groups())
        from_x, to_x = map(float, sure.groups())
        assert begin + width == pytest.approx(from_x, abs=0.2)
        assert (to_x - from_x) == pytest.approx(width, abs=0.2)  # 20 minutes sure, 20 in doubt
        assert "30 min (20 min to 40 min) behind" in svg

    def test_without_an_upper_end_it_is_open_to_the_left(self) -> None:
        svg = _lines(_lag(committed=10, end=90, lag=80, time_lag_lo_ms=50 * MINUTE, time_lag_est_ms=50 * MINUTE))
        assert 'class="bracket-open"' in svg
        assert "≥ 50 min behind" in svg

    @pytest.mark.parametrize(
        "lag", [_lag(), _lag(committed=5, end=5, lag=0, time_lag_lo_ms=0, time_lag_hi_ms=0, time_lag_est_ms=0)]
    )
    def test_who_is_caught_up_or_has_no_position_has_no_bracket(self, lag: Row) -> None:
        """trap 18: no position is not lag."""
        assert 'class="bracket"' not in _lines(lag)

    def test_offsets_that_would_all_read_the_same_are_told_by_their_difference(self) -> None:
        assert lines.offset_labels([0.0, 500.0, 1_000.0]) == [(0, "0"), (500, "500"), (1_000, "1k")]
        high = lines.offset_labels([1e12, 1e12 + 200, 1e12 + 400])
        assert [label for _, label in high] == ["1T", "+200", "+400"]

    def test_many_minutes_are_thinned_but_keep_first_and_last(self) -> None:
        rows: list[Row] = [{"n": n} for n in range(1_000)]
        kept = lines.thin(rows, 140)
        assert len(kept) == 140
        assert (kept[0], kept[-1]) == (rows[0], rows[-1])


class TestExpiry:
    def _row(self, expires_ms: int | None, at_risk: int | None) -> Row:
        return {"topic": "t", "partition": 0, "expires_ms": expires_ms, "at_risk_records": at_risk}

    def test_area_grows_with_the_records_at_risk(self) -> None:
        facts = facts_of(g_lag=[{"at_ms": END}], g_expiry=[self._row(END + DAY, 100), self._row(END + 3 * DAY, 400)])
        small, large = marks_of(expiry.expiry_calendar(facts), "risk")
        assert float(large["r"]) == 13
        assert float(small["r"]) == 6.5

    def test_offsets_of_which_nobody_knows_what_is_unread_are_not_without_risk(self) -> None:
        rows = [self._row(END + DAY, None), self._row(END + 3 * DAY, None), self._row(END + 3 * DAY, 400)]
        svg = expiry.expiry_calendar(facts_of(g_lag=[{"at_ms": END}], g_expiry=rows))
        assert [mark["class"] for mark in marks_of(svg)] == ["risk-unknown", "risk"]
        assert float(marks_of(svg)[0]["r"]) == 5
        alone, half = (mark["data-tip"].split(": ")[1] for mark in marks_of(svg))
        assert alone == "1 offset, how many records are unread is not known"
        assert half == "2 offsets, at least 400 unread records"
        assert ">≥400</text>" in svg

    def test_what_is_overdue_stands_at_today(self) -> None:
        facts = facts_of(g_lag=[{"at_ms": END}], g_expiry=[self._row(END - 5 * DAY, 7)])
        (mark,) = marks_of(expiry.expiry_calendar(facts))
        assert float(mark["cx"]) == pytest.approx(PLOT_WIDTH / 28, abs=0.1)

    def test_what_never_expires_or_later_is_not_in_the_calendar(self) -> None:
        facts = facts_of(g_lag=[{"at_ms": END}], g_expiry=[self._row(None, 7), self._row(END + 15 * DAY, 7)])
        assert "No committed offset expires" in expiry.expiry_calendar(facts)


class TestBalance:
    def _row(self, at_ms: int, worst: float) -> Row:
        return {
            "at_ms": at_ms,
            "generation": 1,
            "n_members": 2,
            "n_partitions": 8,
            "n_idle_members": 0,
            "max_over_mean": worst,
        }

    def test_the_newest_assignment_counts(self) -> None:
        facts = facts_of(
            g_assignment_balance=[self._row(END, 1.0), self._row(END - 1, 2.0)], g_member=[{"is_present": True}]
        )
        (bar,) = marks_of(balance.all_groups(facts))
        assert bar["data-tip"].startswith("1.00×")

    def test_a_group_that_everybody_left_has_no_balance(self) -> None:
        facts = facts_of(g_assignment_balance=[self._row(END, 1.0)], g_member=[{"is_present": False}])
        assert "No group has members with an assignment now. The table of balance" in balance.all_groups(facts)
        assert "No assignment in this lake." in balance.all_groups(facts_of())


class TestQuality:
    @pytest.mark.parametrize(
        ("first", "last", "whole_from", "share"),
        [(0, 99, 0, 1.0), (0, 99, 50, 0.5), (10, 19, 0, 1.0), (0, 99, 100, 0.0), (None, None, None, None)],
    )
    def test_coverage_is_the_whole_part_of_what_was_read(
        self, first: int | None, last: int | None, whole_from: int | None, share: float | None
    ) -> None:
        """analytics 2.5: below faithful_from rows are compaction survivors, valid as state and not as history."""
        row = {"first_offset": first, "last_offset": last, "faithful_from": whole_from}
        assert quality.coverage(row) == share

    def test_total_coverage_weighs_log_partitions_by_their_offsets(self) -> None:
        rows = [
            {"cluster": CLUSTER, "first_offset": 0, "last_offset": 99, "faithful_from": 0},
            {"cluster": CLUSTER, "first_offset": 0, "last_offset": 299, "faithful_from": 300},
        ]
        assert quality.total_coverage(as_table("g_data_quality", rows)) == 0.25
        assert quality.total_coverage(pa.Table.from_pylist([], schema=as_table("g_data_quality", []).schema)) is None

    def test_where_nobody_knows_what_is_whole_nothing_counts_as_whole(self) -> None:
        rows = [
            {"cluster": CLUSTER, "first_offset": 0, "last_offset": 99, "faithful_from": 0},
            {"cluster": CLUSTER, "first_offset": 0, "last_offset": 99, "faithful_from": None},
        ]
        assert quality.total_coverage(as_table("g_data_quality", rows)) == 0.5


class TestAttention:
    @pytest.mark.parametrize(
        ("at_risk", "said"),
        [
            ([7], "7 unread records"),
            ([None], "how many records are unread is not known"),
            ([7, None], "at least 7 unread records"),
            ([0, None], "how many records are unread is not known"),
        ],
    )
    def test_a_group_forgets_its_place_also_where_nobody_knows_what_is_unread(
        self, at_risk: list[int | None], said: str
    ) -> None:
        rows = [
            {"topic": "t", "partition": number, "expires_ms": END + HOUR, "at_risk_records": records}
            for number, records in enumerate(at_risk)
        ]
        facts = facts_of(g_expiry=rows, g_lag=[{"at_ms": END}])
        assert f" forgets its place in 1 h: {said}</li>" in attention(facts)
        assert "<strong>1</strong><span>groups lose offsets within 48 h</span>" in tiles(facts)

    def test_a_group_that_has_read_all_loses_nothing(self) -> None:
        row = {"topic": "t", "partition": 0, "expires_ms": END + HOUR, "at_risk_records": 0}
        assert "Nothing needs attention" in attention(facts_of(g_expiry=[row], g_lag=[{"at_ms": END}]))

    def test_a_thousand_stopped_groups_do_not_hide_the_one_storm(self) -> None:
        statuses = [
            {"cluster": CLUSTER, "group_id": f"g-{i}", "topic": "t", "partition": 0, "at_ms": END, "status": "STOPPED"}
            for i in range(1_000)
        ]
        storm = {
            "started_ms": END - HOUR,
            "ended_ms": END,
            "n_rebalances": 60,
            "kind": "storm",
            "causes": ["new_member"],
        }
        facts = facts_of(g_status=statuses, g_rebalance_episode=[storm], g_lag=[{"at_ms": END}])
        said = attention(facts)
        assert "rebalanced 60 times" in said
        assert "995 more lines like these" in said

    def test_when_all_is_well_it_says_so(self) -> None:
        facts = facts_of(g_status=[{"topic": "t", "partition": 0, "at_ms": END, "status": "OK"}])
        assert "Nothing needs attention" in attention(facts)


def test_names_that_end_alike_are_told_apart_at_the_ends_of_lines_and_beside_members() -> None:
    groups = [f"a-service-with-quite-a-long-name.consumer-{n:05d}.production-eu-central" for n in range(3)]
    facts = facts_of(g_group_lag=[{"group_id": group, "at_ms": END} for group in groups])
    beside = [facts.beside(key, 28) for key in facts.groups]
    assert {name[-6:] for name in beside} == {"00000…", "00001…", "00002…"}
    assert max(map(len, beside)) == 28
    ids = [f"consumer-of-a-service-{n:02d}-0d9f3a52-4b1c-4f7e-9a57" for n in range(3)]
    here = [{"identity": each, "first_seen_ms": END - HOUR, "is_present": True, "n_partitions": 1} for each in ids]
    facts = facts_of(g_member=here)
    for plot in (members.members(facts, KEY), balance.one_group(facts, KEY)):
        assert re.findall(r'<span class="tail">([^<]*)</span>', plot) == [f"rvice-{n:02d}…" for n in range(3)]
