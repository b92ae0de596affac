"""Time lag against the truth: appends are known to the millisecond, the tables only see samples (analytics 2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import polars as pl
import pytest

from muster.pipeline.tables.group_lag import group_lag
from tests.pipeline.oracle.build import GoldSettings, build_gold
from tests.pipeline.oracle.silver import finish_silver
from tests.pipeline.tables.appends import MINUTE_MS, Appends, Sampled, bursty_appends, commits, sampled
from tests.pipeline.tables.rows import Row, commit, frame, log_record, sample

SEED = 20
PARTITIONS, GROUPS = 12, 3
START_MS, LENGTH_MS = 1_700_000_000_000 // MINUTE_MS * MINUTE_MS, 40 * MINUTE_MS


@dataclass
class Truth:
    appends: dict[tuple[str, int], Appends]
    samples: dict[tuple[str, int], list[Sampled]]
    lag: list[Row]
    history: list[Row]
    group_lag: list[Row]


@pytest.fixture(scope="module")
def truth() -> Truth:
    """Cluster `sampled` asks a broker now and then, cluster `segments` reads every batch from the files."""
    print(f"seed {SEED}")
    random = Random(SEED)
    appends: dict[tuple[str, int], Appends] = {}
    samples: dict[tuple[str, int], list[Sampled]] = {}
    leo_rows: list[Row] = []
    commit_rows: list[Row] = []
    for number in range(PARTITIONS):
        known = bursty_appends(random, START_MS, LENGTH_MS)
        seen = sampled(random, known, START_MS, LENGTH_MS)
        exact = [
            Sampled(offset + 1, at_ms, at_ms, at_ms)
            for offset, at_ms in enumerate(known.times)
            if at_ms < seen[-1].end_ms
        ]
        of_groups = [commits(random, known, START_MS, seen[-1].begin_ms - START_MS) for _ in range(GROUPS)]
        for cluster, samples_here in (("sampled", seen), ("segments", exact)):
            appends[cluster, number], samples[cluster, number] = known, samples_here
            sampler = "segment" if cluster == "segments" else "list_offsets"
            leo_rows += [
                sample(s.leo, s.begin_ms, s.end_ms, cluster=cluster, partition=number, sampler=sampler)
                for s in samples_here
            ]
            for group, made in enumerate(of_groups):
                place = {"cluster": cluster, "partition": number, "group_id": f"g{group}"}
                commit_rows += [commit(0, offset, at_ms, **place) for offset, at_ms in made]
    for log_offset, row in enumerate(commit_rows):
        row["log_offset"] = log_offset
    now_ms = START_MS + LENGTH_MS
    rows = {
        "s_offset_commit": frame("s_offset_commit", commit_rows, decoded=True),
        "b_leo_sample": frame("b_leo_sample", leo_rows),
        "b_log_record": frame(
            "b_log_record", [log_record(row["log_offset"], cluster=row["cluster"]) for row in commit_rows]
        ),
    }
    silver = finish_silver(rows)
    gold = build_gold({**rows, **silver}, GoldSettings(now_ms=now_ms))
    found = [gold[name].to_dicts() for name in ("g_lag", "g_lag_history", "g_group_lag")]
    return Truth(appends, samples, *found)


def assert_inside(lo: int | None, hi: int | None, actual: int, where: Row) -> None:
    assert lo is not None, where
    assert lo <= actual, f"the truth {actual} lies below the bracket of {where}"
    assert hi is None or actual <= hi, f"the truth {actual} lies above the bracket of {where}"


def test_truth_lies_inside_every_bracket_of_now(truth: Truth) -> None:
    assert len(truth.lag) == 2 * PARTITIONS * GROUPS
    for row in truth.lag:
        known, last = (
            truth.appends[row["cluster"], row["partition"]],
            truth.samples[row["cluster"], row["partition"]][-1],
        )
        assert (row["end"], row["at_ms"]) == (last.leo, last.end_ms)
        assert (
            row["lag_raw"] == last.leo - row["committed"]
        )  # signed: a commit may be younger than the sample (trap 20)
        assert row["lag"] == max(0, row["lag_raw"])
        actual = known.time_lag(row["committed"], last.moment_ms)
        assert_inside(row["time_lag_lo_ms"], row["time_lag_hi_ms"], actual, row)
        assert row["time_lag_lo_ms"] <= row["time_lag_est_ms"] <= (row["time_lag_hi_ms"] or row["time_lag_est_ms"])
    assert {row["method"] for row in truth.lag} >= {"bracket", "caught_up"}


def test_truth_lies_inside_every_bracket_of_the_commit(truth: Truth) -> None:
    """How late the group was when it committed: another question than how late it is now."""
    for row in truth.lag:
        known = truth.appends[row["cluster"], row["partition"]]
        actual = known.time_lag(row["committed"], row["commit_ms"])
        assert_inside(row["lag_at_commit_lo_ms"], row["lag_at_commit_hi_ms"], actual, row)


def test_truth_lies_inside_every_minute_of_the_history(truth: Truth) -> None:
    """And a silent consumer's lag goes on growing while the topic is written."""
    assert len(truth.history) > 500
    widths, errors = [], []
    for row in truth.history:
        known = truth.appends[row["cluster"], row["partition"]]
        moment_ms = min(row["minute_ms"] + MINUTE_MS, START_MS + LENGTH_MS)
        actual = known.time_lag(row["committed"], moment_ms)
        assert_inside(row["time_lag_lo_ms"], row["time_lag_hi_ms"], actual, row)
        if row["cluster"] == "sampled" and row["method"] == "bracket":
            errors.append(abs(row["time_lag_est_ms"] - actual))
            widths.append(row["time_lag_hi_ms"] - row["time_lag_lo_ms"])
    errors.sort(), widths.sort()
    middle, high = len(errors) // 2, len(errors) * 99 // 100
    print(
        f"samples about every 30 s, {len(errors)} brackets: error of the estimate p50 {errors[middle]} ms, p99 {errors[high]} ms;"
    )
    print(f"width of the bracket p50 {widths[middle]} ms, p99 {widths[high]} ms")


def test_segment_files_give_the_time_itself(truth: Truth) -> None:
    """Every batch is known there: the bracket is a point."""
    rows = [row for row in truth.lag if row["cluster"] == "segments"]
    assert rows
    for row in rows:
        actual = truth.appends["segments", row["partition"]].time_lag(row["committed"], row["at_ms"])
        assert row["time_lag_lo_ms"] == row["time_lag_hi_ms"] == row["time_lag_est_ms"] == actual


def test_lag_below_the_first_sample_is_at_least_and_nothing_more(truth: Truth) -> None:
    """Never an extrapolation: hi is null, and at least nothing is no estimate."""
    rows = [row for row in truth.history if row["method"] == "left_bound"]
    assert rows
    for row in rows:
        assert row["time_lag_hi_ms"] is None
        assert row["time_lag_est_ms"] == (row["time_lag_lo_ms"] or None)


@pytest.mark.parametrize(
    ("estimates", "longest", "open_ones"),
    [((0, None), None, 1), ((5_000, None), 5_000, 1), ((0, 0), 0, 0), ((5_000, 0), 5_000, 0), ((None, None), None, 2)],
    ids=["0 and one that is behind", "5 s and one that is behind", "caught up", "all known", "nothing known"],
)
def test_a_partition_of_unknown_time_lag_never_makes_its_group_look_caught_up(
    estimates: tuple[int | None, int | None], longest: int | None, open_ones: int
) -> None:
    rows = [
        {
            "cluster": "c",
            "group_id": "g",
            "at_ms": 1,
            "method": "left_bound" if estimate is None else "bracket",
            "lag": 0 if estimate == 0 else 70,
            "stable_lag": None,
            "time_lag_est_ms": estimate,
            "time_lag_lo_ms": estimate or 0,
            "time_lag_hi_ms": estimate,
        }
        for estimate in estimates
    ]
    numbers = ("time_lag_est_ms", "time_lag_hi_ms", "stable_lag")
    found = group_lag(pl.DataFrame(rows, schema_overrides=dict.fromkeys(numbers, pl.Int64)))
    assert found.select("time_lag_max_ms", "n_time_open").rows() == [(longest, open_ones)]


def test_group_lag_sums_its_partitions(truth: Truth) -> None:
    for row in truth.group_lag:
        lags = [
            one["lag"] for one in truth.lag if (one["cluster"], one["group_id"]) == (row["cluster"], row["group_id"])
        ]
        assert (row["lag_sum"], row["lag_max"], row["n_partitions"]) == (sum(lags), max(lags), PARTITIONS)
        assert row["n_no_position"] == 0
        assert row["skew"] == pytest.approx(max(lags) / (sum(lags) / len(lags)))
