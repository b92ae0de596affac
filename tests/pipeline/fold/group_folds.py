"""Feeds a log to the fold batch by batch, as the kernel does, with a plain reference for the pairs of commits."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import polars as pl

from muster.pipeline.fold.groups import Clocks, GroupRows, fold_groups
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.fold.group_logs import GroupLog, Row, frame

WINDOW = 10
PAIR = {
    "group_id": pl.String,
    "topic": pl.String,
    "partition": pl.Int32,
    "log_offset": pl.Int64,
    "commit_ms": pl.Int64,
    "next_log_offset": pl.Int64,
    "next_ms": pl.Int64,
    "usual_ms": pl.Int64,
    "same_run": pl.Boolean,
}
Frames = dict[str, pl.DataFrame]


@dataclass
class Folding:
    """A log that is read in steps: how far, what is known, and what was finished on the way."""

    log: GroupLog
    settings: GoldSettings
    has_journal: bool = True
    records_read: int = 0
    events_read: int = 0
    state: Frames = field(default_factory=dict)
    finished: dict[str, list[pl.DataFrame]] = field(default_factory=dict)
    open: Frames = field(default_factory=dict)

    def read(self, records_to: int, events_to: int) -> None:
        """One batch: up to here in the offsets log, up to there in the journal."""
        runs = self.log.runs()
        new = self.log.records[self.records_read : records_to]
        told = self.log.events[self.events_read : events_to]
        rows = GroupRows(
            generations=_with_runs([row for row in new if row["record_type"] == 2], runs),
            epochs=_with_runs([row for row in new if row["record_type"] >= 3], runs),
            events=frame(told),
        )
        clocks = Clocks(
            offsets_ms=max((row["record_ms"] for row in self.log.records[:records_to]), default=None),
            journal_ms=max((row["record_ms"] for row in self.log.events[:events_to]), default=None),
            has_journal=self.has_journal,
        )
        pairs = completed_pairs(self.log.records[:records_to], self.records_read, runs)
        self.state, finished, self.open = fold_groups(self.state, rows, pairs, clocks, self.settings)
        for table, of_table in finished.items():
            self.finished.setdefault(table, []).append(of_table)
        self.records_read, self.events_read = records_to, events_to
        nothing = GroupRows(rows.generations.clear(), rows.epochs.clear(), rows.events.clear())
        _, finished, again = fold_groups(self.state, nothing, pairs.clear(), clocks, self.settings)
        assert not finished, "nothing new finishes nothing"
        for table, of_table in self.open.items():
            assert of_table.equals(again[table]) or _as_set(of_table) == _as_set(again[table]), table

    def so_far(self) -> GroupLog:
        return GroupLog(self.log.records[: self.records_read], self.log.events[: self.events_read])

    def rows(self, table: str) -> list[Row]:
        """Finished and open ones."""
        frames = [*self.finished.get(table, []), *([self.open[table]] if table in self.open else [])]
        return [row for of_table in frames for row in of_table.to_dicts()]


def _as_set(rows: pl.DataFrame) -> list[str]:
    return sorted(map(repr, rows.to_dicts()))


def _with_runs(rows: list[Row], runs: dict[int, int]) -> pl.DataFrame:
    numbers = [runs[row["log_offset"]] for row in rows]
    return frame(rows).with_columns(pl.Series("run", numbers, pl.Int32))


def completed_pairs(records: list[Row], read_before: int, runs: dict[int, int]) -> pl.DataFrame:
    """Pairs of neighbouring commits whose second one is new, and the last commit of each position."""
    positions: dict[tuple[str, str, int], list[tuple[int, Row]]] = {}
    for index, row in enumerate(records):
        if row["record_type"] in (0, 1):
            positions.setdefault((row["group_id"], row["topic"], row["partition"]), []).append((index, row))
    pairs = []
    for (group_id, topic, partition), commits in positions.items():
        for nth, (_, first) in enumerate(commits):
            following = commits[nth + 1] if nth + 1 < len(commits) else None
            if first["is_tombstone"] or (following is not None and following[0] < read_before):
                continue
            pair: Row = {"group_id": group_id, "topic": topic, "partition": partition}
            pair |= {"log_offset": first["log_offset"], "commit_ms": first["commit_ms"]}
            pair["usual_ms"] = _usual([row for _, row in commits[: nth + 1]], runs)
            pair["same_run"] = True
            if following is not None:
                second = following[1]
                pair["next_log_offset"] = second["log_offset"]
                pair["next_ms"] = second["record_ms"] if second["is_tombstone"] else second["commit_ms"]
                pair["same_run"] = runs[first["log_offset"]] == runs[second["log_offset"]]
            pairs.append(pair)
    return pl.DataFrame(pairs, schema=PAIR)


def _usual(commits: list[Row], runs: dict[int, int]) -> int | None:
    """The lower median of the intervals among the last commits that no tombstone and no hole lies between."""
    stretch: list[Row] = []
    for row in commits:
        if stretch and (row["is_tombstone"] or runs[row["log_offset"]] != runs[stretch[-1]["log_offset"]]):
            stretch = []
        if not row["is_tombstone"]:
            stretch.append(row)
    times = [row["commit_ms"] for row in stretch[-WINDOW:]]
    intervals = sorted(later - earlier for earlier, later in pairwise(times))
    return intervals[(len(intervals) - 1) // 2] if intervals else None
