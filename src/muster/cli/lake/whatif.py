"""`muster whatif`: what would have happened to groups with other settings, by replaying their journal on Spark."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.lake import words
from muster.cli.lake.answers import NotFound, add_form_arguments, add_lake_argument, print_below, print_rows
from muster.cli.lake.with_spark import add_spark_arguments, run_on_spark
from muster.cli.support.cluster_command import note, run_and_report
from muster.cli.support.tables import Column, Row
from muster.cli.support.usage_error import UsageError
from muster.explain.words import plural

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake
    from muster.whatif.variants import Grid

_EXAMPLES = """\
examples:
  muster whatif --lake lake --group billing --set session.timeout.ms=10000
  muster whatif --lake lake --set static --set group.initial.rebalance.delay.ms=0        both together
  muster whatif --lake lake --grid session.timeout.ms=6000,10000,30000 --grid static     every combination
  muster whatif --lake lake --grid group.protocol=consumer --grid members=+1,-1 --page whatif.html
settings: session.timeout.ms, max.poll.interval.ms, group.initial.rebalance.delay.ms, partition.assignment.strategy (range,
  roundrobin, sticky, cooperative-sticky, uniform), group.protocol (consumer), group.remote.assignor (uniform, range), members
  (+1, -1), partitions (x2), static (members that come back under the same client id get it as group.instance.id)
"""


def _change(row: Row, name: str, render: Any) -> str:
    before, after = row[f"recorded_{name}"], row[f"replayed_{name}"]
    return "" if before is None and after is None else f"{render(before)} > {render(after)}"


def _reproduced(row: Row) -> str:
    return "" if row["reproduced"] is None else f"{row['reproduced']} of {row['recorded_rebalances']}"


_COLUMNS = (
    Column("group", "group_id", render=words.name),
    Column("settings", "variant", render=words.name),
    Column("rebalances", lambda row: _change(row, "rebalances", words.count), right=True),
    Column("moved", lambda row: _change(row, "moved", words.count), right=True),
    Column("without owner", lambda row: _change(row, "unowned_ms", words.duration), right=True),
    Column("of one partition", lambda row: _change(row, "longest_unowned_ms", words.duration), right=True),
    Column("records waited", lambda row: _change(row, "waited", words.count), right=True),
    Column("death noticed after", lambda row: _change(row, "detection_ms", words.duration), right=True),
    Column("reproduced", _reproduced, right=True),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_lake_argument(parser)
    parser.add_argument("--group", metavar="NAME", help="only this group; * stands for anything")
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], help="another setting; repeatable")
    parser.add_argument("--grid", metavar="NAME=A,B", action="append", default=[], help="all combinations; repeatable")
    parser.add_argument("--page", metavar="FILE", type=Path, help="also write a page with a picture of each group")
    add_form_arguments(parser)
    add_spark_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    return run_and_report("whatif", lambda: _run(arguments, _grid(arguments)))


def _run(arguments: argparse.Namespace, grid: Grid) -> int:
    def work(spark: Any, lake: Lake) -> int:
        from muster.pipeline.lake.spark_reader import SparkLake
        from muster.whatif.job import what_if_in_order

        log = SparkLake(spark, lake).table("log")
        with what_if_in_order(spark, log, grid.variants, arguments.group) as found:
            # Ten thousand groups need not fit in here at once.
            rows = (row.asDict(recursive=True) for row in found.toLocalIterator())
            answers = Answers(rows, for_page=arguments.page is not None)
            _show(arguments, answers, grid)
        return DONE if arguments.page is None else _write_page(arguments.page, answers)

    return run_on_spark("whatif", arguments, work)


def _nothing_of(group: str | None) -> str:
    what = "the lake has neither a journal nor generations of"
    return f"{what} any group yet" if group is None else f"{what} {group}: `muster status` shows its groups"


def _write_page(path: Path, answers: Answers) -> int:
    from muster.whatif.page import render

    try:
        path.write_text(render(answers.page_rows, time.time_ns() // 1_000_000, answers.groups), encoding="utf-8")
    except OSError as error:
        note("whatif", f"{path} cannot be written: {error.strerror}")
        return FAILED
    note("whatif", f"{path} is written")
    return DONE


def _grid(arguments: argparse.Namespace) -> Grid:
    from muster.whatif.variants import Grid, VariantError, parse_grid, parse_variant

    if bool(arguments.set) == bool(arguments.grid):
        raise UsageError("say what is to be changed: --set for one other way, --grid for all combinations")
    try:
        return Grid([parse_variant(arguments.set)], {}) if arguments.set else parse_grid(arguments.grid)
    except VariantError as error:
        raise UsageError(str(error)) from None


def _show(arguments: argparse.Namespace, answers: Answers, grid: Grid) -> None:
    from muster.whatif.job import GIVES
    from muster.whatif.variants import refused_by_default

    rows = answers.rows()
    first = next(rows, None)
    if first is None:
        raise NotFound(_nothing_of(arguments.group))
    print_rows(arguments, _COLUMNS, (*GIVES.names, "advice"), chain([first], rows))
    for reason, count in grid.left_out.items():
        print_below(arguments, f"{plural(count, 'combination')} left out: {reason}")
    for refused in dict.fromkeys(filter(None, map(refused_by_default, grid.variants))):
        print_below(arguments, refused)
    if arguments.json or arguments.csv:
        return
    for said in answers.notes:
        print_below(arguments, said)
    for said in answers.advice:
        print(f"\n{said}")


class Answers:
    """The rows of all groups, one group after the other, and what is said below them. Holds one group, and what the page shows."""

    def __init__(self, found: Iterable[dict[str, Any]], *, for_page: bool) -> None:
        """`found`: sorted by cluster and group."""
        self._found = found
        self._for_page = for_page
        self.groups = 0
        self.notes: list[str] = []
        self.advice: list[str] = []
        self.page_rows: list[dict[str, Any]] = []

    def rows(self) -> Iterator[dict[str, Any]]:
        """With the advice about the best row of each group. What is said of a group is known when its last row is."""
        from muster.whatif.advice import advise, best_of, why_none
        from muster.whatif.page import MOST_GROUPS

        for _, together in groupby(self._found, key=lambda row: (row["cluster"], row["group_id"])):
            own = list(together)
            best, advice = best_of(own), advise(own)
            for row in own:
                row["advice"] = advice if row is best else None
            self.notes += _notes(own)
            self.advice.append(words.name(advice or f"{own[0]['group_id']}: {why_none(own)}"))
            if self._for_page and self.groups < MOST_GROUPS:
                self.page_rows += own
            self.groups += 1
            yield from own


def _notes(rows: list[dict[str, Any]]) -> list[str]:
    """Of one group: what its recording does not say, and which settings it cannot be under."""
    group = words.name(rows[0]["group_id"])
    refused: dict[str, list[str]] = {}
    for row in rows:
        if row["problem"]:
            refused.setdefault(row["problem"], []).append(row["variant"])
    assumed = next((row["assumed"] for row in rows if row["assumed"]), None)
    found = [] if assumed is None else [f"{group}, assumed: {assumed}"]
    for problem, variants in refused.items():
        whom = group if len(variants) == len(rows) else f"{group} with {', '.join(variants)}"
        found.append(f"{whom} cannot be replayed: {problem}")
    return found
