"""The coordinator's log as a map: one cell a log partition, coloured by how many times its even share it carries.

A group lives in the log partition that its name hashes to, so one busy group makes one cell hot and slows its neighbours there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

import pyarrow.compute as pc

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.report.marks import PLOT_WIDTH, box, drawing, legend, words_at
from muster.pipeline.report.markup import Html, tag, together, visible
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.tabs import tabbed

_CELL, _LINE, _IN_LINE = 32, 26, 25
_HEADING = "Load of the coordinator's log"
_STEPS: Final = (0.5, 2.0, 5.0, 10.0)
CLASSES: Final = ("less than half", "half to twice", "2 to 5 times", "5 to 10 times", "over 10 times its even share")
MEASURES: Final = (("records", "Records"), ("bytes", "Bytes of commits"), ("groups", "Groups"))


@dataclass(slots=True)
class Cell:
    cluster: str
    number: int
    records: int = 0
    bytes: int = 0
    groups: int = 0
    commits: int = 0
    hottest: str | None = None
    hottest_commits: int = 0

    def measured(self, measure: str) -> int:
        return {"records": self.records, "bytes": self.bytes, "groups": self.groups}[measure]


def load_map(facts: Facts) -> Html:
    cells = _cells(facts)
    if not cells:
        return nothing(_HEADING, f"Nothing was read of {CONSUMER_OFFSETS}.")
    hottest = sorted(cells, key=lambda cell: (-cell.records, -cell.bytes, cell.cluster, cell.number))
    shown = sorted(hottest[: limits.LOAD_CELLS], key=lambda cell: (cell.cluster, cell.number))
    views = [(word, _map(facts, cells, shown, measure, word)) for measure, word in MEASURES]
    reads = (
        f"One cell a partition of {CONSUMER_OFFSETS}, with its number; its even share is the mean of those that were read."
        f" Records are those in the lake; bytes and groups are of the commits of up to {limits.REBALANCE_DAYS} days, in hours of"
        " whole history."
    )
    look_for = (
        "Look for orange cells: every group in there shares one busy log partition. Point at it to see who fills it."
    )
    hidden = left_out(len(cells) - len(shown), "log partitions are", "they hold fewer records.")
    colours = legend(
        [(f"load{i}", word) for i, word in enumerate(CLASSES)], "Colours: load over the mean of all log partitions"
    )
    return figure(_HEADING, look_for, reads, colours, tabbed(views, "load-", "What is counted"), left_out=hidden)


def _cells(facts: Facts) -> list[Cell]:
    found: dict[tuple[str, int], Cell] = {}

    def cell(cluster: str | None, number: int) -> Cell:
        return found.setdefault((cluster or "", number), Cell(cluster or "", number))

    quality = facts.table("g_data_quality")
    read = quality.filter(
        pc.and_(pc.equal(quality["log_topic"], CONSUMER_OFFSETS), pc.is_valid(quality["log_partition"]))
    )
    for row in read.select(["cluster", "log_partition", "records"]).to_pylist():
        cell(row["cluster"], row["log_partition"]).records += row["records"] or 0
    commits = facts.table("g_hot_committers")
    placed = Grouped(commits.filter(pc.is_valid(commits["log_partition"])), ["cluster", "log_partition", "group_id"])
    for (cluster, number, group), total, size in zip(
        placed.keys, placed.totals("commits"), placed.totals("bytes"), strict=True
    ):
        own = cell(cluster, number)
        own.groups += 1
        own.bytes += size
        own.commits += total
        if (total, group or "") > (own.hottest_commits, own.hottest or ""):
            own.hottest, own.hottest_commits = group or "", total
    return list(found.values())


def _map(facts: Facts, cells: list[Cell], shown: list[Cell], measure: str, word: str) -> Html:
    means = _means(cells, measure)
    by_cluster: dict[str, list[Cell]] = defaultdict(list)
    for cell in shown:
        by_cluster[cell.cluster].append(cell)
    strips = []
    for cluster, own in by_cluster.items():
        drawn = together(_drawn(cell, i, measure, means[cluster]) for i, cell in enumerate(own))
        title = f"{_HEADING}: {word}" + (f", {visible(cluster)}" if len(facts.clusters) > 1 else "")
        lines = (len(own) - 1) // _IN_LINE + 1
        head = tag("h4", visible(cluster)) if len(facts.clusters) > 1 else None
        strips += [head, drawing(drawn, PLOT_WIDTH, lines * _LINE, title)]
    return together(strips)


def _means(cells: list[Cell], measure: str) -> dict[str, float]:
    sums: dict[str, list[int]] = defaultdict(list)
    for cell in cells:
        sums[cell.cluster].append(cell.measured(measure))
    return {cluster: sum(values) / len(values) for cluster, values in sums.items()}


def load_class(value: float, mean: float) -> int:
    return bisect_right(_STEPS, value / mean) if mean > 0 else 0


def _drawn(cell: Cell, place: int, measure: str, mean: float) -> Html:
    x, y = place % _IN_LINE * _CELL, place // _IN_LINE * _LINE
    value = cell.measured(measure)
    times = f" ({words.ratio(value / mean, 1)} times its even share)" if mean > 0 else ""
    busiest = (
        f"; most commits by {visible(cell.hottest)} ({words.share(cell.hottest_commits / cell.commits)})"
        if cell.hottest is not None and cell.commits
        else ""
    )
    counted = {"records": "record", "bytes": "byte", "groups": "group"}[measure]
    tip = f"log partition {cell.number}: {words.many(value, counted)}{times}{busiest}"
    return together(
        (
            box(x, y, _CELL - 2, _LINE - 2, class_=f"load{load_class(value, mean)}", data_tip=tip),
            words_at(x + (_CELL - 2) / 2, y + 16, str(cell.number), class_="cell-words", text_anchor="middle"),
        )
    )
