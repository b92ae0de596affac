"""`muster groups watch [GROUP ...]`: groups live, until Ctrl-C. A table that is drawn anew on a terminal; lines elsewhere.

Piped, a group gets a line when something about it has changed. Exit codes: 0 ended by Ctrl-C or --times, 1 the cluster did not
answer at the first look (later it is asked again), 2 a flag that makes no sense.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, Protocol, TextIO

from muster.cli.exit_codes import DONE
from muster.cli.support.cluster_command import note, run_and_report
from muster.cli.support.connection_flags import add_connection_arguments, cluster_of
from muster.cli.support.numbers import int64, seconds
from muster.cli.support.usage_error import UsageError
from muster.cli.support.usage_parser import did_you_mean

if TYPE_CHECKING:
    from rich.table import Table

    from muster.explain.watch import Glance

_COMMAND: Final = "groups watch"


class View(Protocol):
    def show(self, glances: list[Glance]) -> None: ...

    def trouble(self, text: str) -> None: ...

    def close(self) -> None: ...


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("groups", metavar="GROUP", nargs="*", help="these groups (default: all)")
    parser.add_argument("--every", metavar="SECONDS", type=seconds, default=2.0, help="how often to look (default: 2)")
    parser.add_argument("--times", metavar="N", type=int64, help="look so often, then end")
    parser.add_argument("--json", action="store_true", help="a JSON object a line and group, when something changed")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    def work() -> int:
        if arguments.every <= 0 or (arguments.times is not None and arguments.times < 1):
            raise UsageError("--every and --times must be more than 0")
        asyncio.run(_watch(arguments, _view(as_json=arguments.json)))
        return DONE

    return run_and_report(_COMMAND, work)


async def _watch(arguments: argparse.Namespace, view: View) -> None:
    from muster.client.failure import ClientError
    from muster.explain.watch import Watch
    from muster.explain.words import plain

    looks = 0
    try:
        async with cluster_of(arguments) as cluster:
            watch = Watch(cluster, arguments.groups)
            while True:
                try:
                    glances = await watch.look()
                    view.show(glances)
                    if looks == 0:
                        for group, known in (await watch.unknown(glances)).items():
                            view.trouble(plain(f"there is no group {group} now{did_you_mean(group, known)}"))
                except ClientError as error:
                    if looks == 0:
                        raise
                    view.trouble(str(error))
                looks += 1
                if arguments.times is not None and looks >= arguments.times:
                    return
                await asyncio.sleep(arguments.every)
    finally:
        view.close()


def _view(*, as_json: bool) -> View:
    if as_json:
        return _Lines(sys.stdout, lambda glance: json.dumps(asdict(glance), ensure_ascii=False))
    if sys.stdout.isatty():
        try:
            return _Live()
        except ImportError:  # rich comes with an extra; lines say the same
            pass
    return _Lines(sys.stdout, _sentence)


def _sentence(glance: Glance) -> str:
    from muster.explain.words import duration, moment, plain, plural

    lag = f", lag {lag_words(glance)}" if glance.lag is not None or glance.uncommitted or glance.without_end else ""
    generation = "" if glance.generation is None else f", generation {glance.generation}"
    if glance.target_epoch is not None:
        generation = f", epoch {glance.generation}, target epoch {glance.target_epoch}"
    last = ""
    if glance.last_ms is not None:
        took = (
            " (not over yet)"
            if glance.is_running
            else ""
            if glance.took_ms is None
            else f" ({duration(glance.took_ms)})"
        )
        last = f"; last rebalance {moment(glance.last_ms)[:-4]} UTC{took}: {glance.why}"
    state = f"{plain(glance.group)}: {glance.state}, {plural(glance.members, 'member')}"
    return f"{state}{generation}{lag}{held_words(glance, int(time.time() * 1000))}{last}"


def lag_words(glance: Glance) -> str:
    """What is not in the lag is said: a partition without a commit or an end has an unknown lag, not none."""
    from muster.explain.words import plural

    missing = ((glance.uncommitted, "a commit"), (glance.without_end, "a known end"))
    said = ", ".join(f"{plural(number, 'partition')} without {what}" for number, what in missing if number)
    return ("-" if glance.lag is None else f"{glance.lag:,}") + (f" ({said})" if said else "")


def held_words(glance: Glance, now_ms: int) -> str:
    """Who holds a consumer group back: the first of them, and how many more."""
    from muster.explain.holding_back import tell_holding

    if not glance.held_by:
        return ""
    more = f" (and {len(glance.held_by) - 1} more)" if len(glance.held_by) > 1 else ""
    return f"; held back: {tell_holding(glance.held_by[0], now_ms)}{more}"


class _Lines:
    def __init__(self, out: TextIO, words: Any) -> None:
        self._out = out
        self._words = words
        self._shown: dict[str, Glance] = {}

    def show(self, glances: list[Glance]) -> None:
        for glance in glances:
            if self._shown.get(glance.group) != glance:
                self._shown[glance.group] = glance
                self._out.write(f"{self._words(glance)}\n")
        self._out.flush()

    def trouble(self, text: str) -> None:
        note(_COMMAND, text)

    def close(self) -> None:
        self._out.flush()


class _Live:
    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self._live = Live(console=Console(highlight=False, markup=False), auto_refresh=False)
        self._live.start()

    def show(self, glances: list[Glance]) -> None:
        self._live.update(_table(glances, int(time.time() * 1000)), refresh=True)

    def trouble(self, text: str) -> None:
        self._live.console.print(text, style="red")

    def close(self) -> None:
        self._live.stop()


def _table(glances: list[Glance], now_ms: int) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from muster.explain.words import duration, plain

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading in ("group", "state"):
        table.add_column(heading)
    for heading in ("members", "gen", "lag", "rebalanced", "took"):
        table.add_column(heading, justify="right")
    table.add_column("why", overflow="fold", ratio=1)
    colours = {"Stable": "green", "Empty": "dim", "Dead": "red"}
    for glance in glances:
        ago = "-" if glance.last_ms is None else f"{duration(max(now_ms - glance.last_ms, 0))} ago"
        took = "running" if glance.is_running else "-" if glance.took_ms is None else duration(glance.took_ms)
        table.add_row(
            Text(plain(glance.group)),
            Text(glance.state, style=colours.get(glance.state, "yellow")),
            Text(str(glance.members)),
            Text("-" if glance.generation is None else str(glance.generation)),
            Text(lag_words(glance)),
            Text(ago),
            Text(took),
            Text(f"{glance.why}{held_words(glance, now_ms)}"),
        )
    if not glances:
        table.caption = "no groups"
    return table
