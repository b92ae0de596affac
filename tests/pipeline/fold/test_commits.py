"""Commits folded in any cut against the rule told in plain loops, on random logs with transactions, tombstones, holes, rewinds."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from muster.core.time_units import HOUR_MS
from muster.pipeline.fold.commits import Applied, fold_commits
from muster.pipeline.fold.extent import Extent, Runs, fold_extent
from muster.pipeline.fold.hours import GRACE_MS, fold_hours, hot_committers
from muster.pipeline.fold.spans import spanning_pairs
from muster.pipeline.fold.state import KINDS, WINDOW
from muster.pipeline.log_schema import COMMIT_COLUMNS, LOG
from tests.pipeline.tables.rows import Row
from tests.pipeline.tables.test_commit_rows import random_log, told_in_loops

SEEDS = range(25)
OFFSETS = "__consumer_offsets"


def empty(kind: str) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(pa.schema(list(KINDS[kind])).empty_table()))


def log_frame(commits: list[Row], markers: list[Row], **stretch: int) -> pl.DataFrame:
    """Log rows in order, every one of them once; `stretch` multiplies times."""
    rows = [{**row, "record_type": 1, "is_control": False} for row in commits]
    rows += [{**row, "is_control": True, "is_transactional": True} for row in markers]
    known = set(LOG.names)
    rows = [{name: value for name, value in row.items() if name in known} for row in rows]
    rows.sort(key=lambda row: row["log_offset"])
    for row in rows:
        for name in ("record_ms", "commit_ms"):
            if row.get(name) is not None:
                row[name] *= stretch.get("times", 1)
    return pl.DataFrame(pl.from_arrow(pa.Table.from_pylist(rows, schema=LOG)))


class Folded:
    """The state after some batches, and what each of them gave."""

    def __init__(self) -> None:
        self.extent: Extent | None = None
        self.runs = Runs(0, np.empty(0, np.int64), np.empty(0, np.int64))
        self.positions = empty("position")
        self.hours = empty("hour")
        self.applied: list[Applied] = []
        self.closed_hours: list[pl.DataFrame] = []
        self.pairs: list[pl.DataFrame] = []

    def add(self, rows: pl.DataFrame, records: pl.DataFrame | None = None) -> None:
        self.extent, self.runs = fold_extent(self.extent, OFFSETS, rows)
        commits, markers = rows.filter(pl.col("record_type") == 1), rows.filter("is_control")
        applied = fold_commits(self.positions, commits, markers, self.runs)
        newest = self.extent["newest_ms"] or 0
        self.hours, closed = fold_hours(self.hours, commits, applied.rows, self.runs, newest)
        if records is not None:
            self.pairs.append(spanning_pairs(applied.rows, records))
        self.positions = applied.positions
        self.applied.append(applied)
        self.closed_hours.append(hot_committers(closed))

    @property
    def new_rows(self) -> dict[int, Row]:
        rows = [row for applied in self.applied for row in applied.rows.filter("is_new").iter_rows(named=True)]
        return {row["log_offset"]: row for row in rows}


def cut(rows: pl.DataFrame, random: Random, pieces: int) -> list[pl.DataFrame]:
    places = sorted(random.randint(0, len(rows)) for _ in range(pieces - 1))
    return [rows[begin:end] for begin, end in zip([0, *places], [*places, len(rows)], strict=True)]


def fold_all(parts: list[pl.DataFrame], records: pl.DataFrame | None = None) -> Folded:
    folded = Folded()
    for part in parts:
        behind = None if records is None or part.is_empty() else part["log_offset"].max()
        asked = None if records is None else records.filter(pl.col("log_offset") <= (behind or -1))
        folded.add(part, asked)
    return folded


def state_of(positions: pl.DataFrame) -> list[Any]:
    return sorted(positions.iter_rows(), key=repr)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pieces", [1, 2, 5, 40])
def test_each_commit_has_the_predecessor_that_the_rule_says_in_any_cut(seed: int, pieces: int) -> None:
    commits, markers = random_log(seed)
    expected = {r["log_offset"]: r for r in told_in_loops(commits, markers, 0) if r["is_effective"]}
    folded = fold_all(cut(log_frame(commits, markers), Random(seed * 7 + pieces), pieces))
    found = folded.new_rows
    assert found.keys() == expected.keys()
    for offset, row in found.items():
        assert row["prev_offset"] == expected[offset]["prev_offset"]
        assert row["prev_commit_ms"] == expected[offset]["prev_commit_ms"]


@pytest.mark.parametrize("seed", SEEDS)
def test_positions_hold_what_still_counts_in_any_cut(seed: int) -> None:
    commits, markers = random_log(seed)
    whole = log_frame(commits, markers)
    one = fold_all([whole])
    many = fold_all(cut(whole, Random(seed), 6))
    assert state_of(one.positions) == state_of(many.positions)
    expected: dict[tuple[Any, ...], list[tuple[int, int]]] = {}
    for row in told_in_loops(commits, markers, 0):
        if row["is_effective"] and row["newer"] is not None and row["newer"] < WINDOW and not row["is_tombstone"]:
            key = (row["group_id"], row["topic"], row["partition"])
            expected.setdefault(key, []).append((row["log_offset"], row["committed_offset"]))
    found = {
        (row["group_id"], row["topic"], row["partition"]): [
            (each["log_offset"], each["committed_offset"]) for each in row["window"]
        ]
        for row in one.positions.iter_rows(named=True)
        if row["window"]
    }
    assert found == {key: sorted(rows) for key, rows in expected.items()}
    pending = [each for row in one.positions.iter_rows(named=True) for each in row["pending"] or ()]
    assert {each["log_offset"] for each in pending} == _undecided(told_in_loops(commits, markers, 0))


def _undecided(rows: list[Row]) -> set[int]:
    """Commits of open transactions, unless a tombstone of their position came later."""
    key = ("group_id", "topic", "partition")
    erased = {
        tuple(row[name] for name in key): row["log_offset"]
        for row in rows
        if row["is_tombstone"] and row["is_effective"]
    }
    still_open = [row for row in rows if row["txn_state"] == "open"]
    return {r["log_offset"] for r in still_open if r["log_offset"] > erased.get(tuple(r[name] for name in key), -1)}


@pytest.mark.parametrize("seed", SEEDS)
def test_hours_in_any_cut_equal_the_sums_told_in_loops(seed: int) -> None:
    commits, markers = random_log(seed)
    whole = log_frame(commits, markers, times=20_000)  # hours pass
    one, many = fold_all([whole]), fold_all(cut(whole, Random(seed), 5))
    assert _hours(one) == _hours(many) == _hours_in_loops(whole, one)


def _hours(folded: Folded) -> dict[tuple[str, int], tuple[int, ...]]:
    names = ("commits", "useless", "progress", "steps")
    frames = [*folded.closed_hours, hot_committers(folded.hours)]
    found: dict[tuple[str, int], tuple[int, ...]] = {}
    for row in pl.concat([frame.select("group_id", "hour_ms", *names) for frame in frames]).iter_rows():
        before = found.get(row[:2], (0,) * len(names))
        found[row[:2]] = tuple(a + b for a, b in zip(before, row[2:], strict=True))
    return found


def _hours_in_loops(rows: pl.DataFrame, folded: Folded) -> dict[tuple[str, int], tuple[int, ...]]:
    holes = list(zip(folded.runs.starts.tolist(), folded.runs.start_times.tolist(), strict=True))
    applied = folded.new_rows
    found: dict[tuple[str, int], list[int]] = {}
    for row in rows.filter((pl.col("record_type") == 1) & ~pl.col("is_tombstone")).iter_rows(named=True):
        hour = row["record_ms"] // HOUR_MS * HOUR_MS
        behind = [at_ms for start, at_ms in holes if start > row["log_offset"]]
        if behind and behind[0] < hour + HOUR_MS + GRACE_MS:
            continue
        sums = found.setdefault((row["group_id"], hour), [0, 0, 0, 0])
        sums[0] += 1
        counted = applied.get(row["log_offset"])
        if counted is not None and counted["prev_offset"] is not None:
            moved = counted["committed_offset"] - counted["prev_offset"]
            sums[1] += moved == 0
            sums[2] += max(0, moved)
            sums[3] += 1
    return {key: tuple(sums) for key, sums in found.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_around_records_are_found_in_any_cut_with_their_usual_interval(seed: int) -> None:
    commits, markers = random_log(seed)
    whole = log_frame(commits, markers)
    random = Random(seed)
    last = max(whole["log_offset"].to_list(), default=0)
    records = pl.DataFrame(
        {"group_id": [random.choice("gh") for _ in range(6)], "log_offset": random.sample(range(1_000_000), 6)},
        schema={"group_id": pl.String, "log_offset": pl.Int64},
    ).with_columns(pl.col("log_offset") % (last + 1))
    one = fold_all([whole], records)
    found = set(one.pairs[0].iter_rows())
    assert found == _pairs_in_loops(one, records)
    many = fold_all(cut(whole, Random(seed + 1), 7), records)
    assert {row for pairs in many.pairs for row in pairs.iter_rows()} == found


def _pairs_in_loops(folded: Folded, records: pl.DataFrame) -> set[tuple[Any, ...]]:
    rows = folded.applied[0].rows.iter_rows(named=True)
    chains: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        chains.setdefault((row["group_id"], row["topic"], row["partition"]), []).append(row)
    found = set()
    for key, chain in chains.items():
        for index, row in enumerate(chain):
            if index + 1 == len(chain) or row["is_tombstone"]:
                continue
            after = chain[index + 1]
            if any(g == key[0] and row["log_offset"] < o < after["log_offset"] for g, o in records.iter_rows()):
                came = after["record_ms"] if after["commit_ms"] is None else after["commit_ms"]
                pair = (row["log_offset"], row["commit_ms"], after["log_offset"], came, _usual(chain, index))
                found.add((*key, *pair, row["run"] == after["run"]))
    return found


def _usual(chain: list[Row], index: int) -> int | None:
    intervals: list[int] = []
    while index > 0 and len(intervals) < WINDOW - 1:
        here, before = chain[index], chain[index - 1]
        if before["is_tombstone"] or here["run"] != before["run"]:
            break
        intervals.append(here["commit_ms"] - before["commit_ms"])
        index -= 1
    return sorted(intervals)[(len(intervals) - 1) // 2] if intervals else None


def test_extent_counts_holes_unknown_types_and_open_transactions() -> None:
    rows = [
        {"log_offset": 5, "record_ms": 10, "record_type": 1},
        {"log_offset": 6, "record_ms": 20, "record_type": 77},
        {"log_offset": 9, "record_ms": 30, "record_type": 1, "is_transactional": True, "producer_id": 3},
        {"log_offset": -1, "record_ms": 0, "problem": "checksum"},
    ]
    frame = pl.DataFrame(pl.from_arrow(pa.Table.from_pylist(rows, schema=LOG)))
    extent, runs = fold_extent(None, OFFSETS, frame)
    assert runs.current == 1
    assert runs.of(np.array([5, 6, 9])).tolist() == [0, 0, 1]
    expected = {"records": 3, "unknown_records": 1, "quarantined": 1, "gaps": 1, "first_offset": 5, "last_offset": 9}
    expected |= {"faithful_from": 9, "faithful_from_ms": 30, "newest_ms": 30}
    assert {name: extent[name] for name in expected} == expected
    assert extent["open_producers"] == [3]
    marker = [{"log_offset": 10, "record_ms": 40, "is_control": True, "control_type": 1, "producer_id": 3}]
    frame = pl.DataFrame(pl.from_arrow(pa.Table.from_pylist(marker, schema=LOG)))
    later, runs = fold_extent(extent, OFFSETS, frame)
    assert (later["open_producers"], later["gaps"], runs.current) == ([], 1, 1)


def test_commit_columns_are_columns_of_the_log() -> None:
    assert set(COMMIT_COLUMNS) <= set(LOG.names)
