"""`muster groups explain GROUP`: why it rebalanced, in plain words or as JSON.

Exit codes: 0 explained (also if there was nothing to explain in the period), 1 the cluster did not answer, or there is no such
group or generation, 2 a flag that makes no sense, or a directory that is no data directory.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from typing import TYPE_CHECKING, Final

from muster.cli.exit_codes import DONE
from muster.cli.support.cluster_command import note, run_and_report
from muster.cli.support.connection_flags import add_connection_arguments, cluster_of
from muster.cli.support.numbers import int32, int64
from muster.cli.support.time_spans import now_ms, parse_moment
from muster.cli.support.usage_error import UsageError
from muster.cli.support.usage_parser import did_you_mean

if TYPE_CHECKING:
    from muster.explain.explanation import Explanation
    from muster.explain.from_files import Found

_COMMAND: Final = "groups explain"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("group", metavar="GROUP")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--last", metavar="N", type=int64, help="the last N rebalances")
    which.add_argument("--rebalance", metavar="GENERATION", type=int32, help="the one that led to this generation")
    parser.add_argument("--since", metavar="WHEN", help="1h, 7d or a UTC time like 2026-11-15T03:12")
    parser.add_argument("--json", action="store_true", help="one JSON object with all facts; times in milliseconds")
    parser.add_argument("--from", metavar="DIR", dest="directory", help="a data directory instead of a running cluster")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    from muster.explain.failure import NothingToExplain

    def work() -> int:
        explanation, notes = _explain(arguments)
        for text in notes:
            note(_COMMAND, text)
        _print(explanation, as_json=arguments.json)
        return DONE

    return run_and_report(_COMMAND, work, also=(NothingToExplain,))


def _explain(arguments: argparse.Namespace) -> tuple[Explanation, list[str]]:
    from muster.explain.explanation import explain
    from muster.explain.failure import NothingToExplain
    from muster.explain.from_files import history_of

    if arguments.last is not None and arguments.last < 1:
        raise UsageError(f"--last must be 1 or more, not {arguments.last}")
    since_ms = parse_moment(arguments.since, "--since", now_ms()) if arguments.since else None
    found = _found(arguments, since_ms)
    try:
        history = history_of(found, arguments.group)
    except NothingToExplain as error:
        raise NothingToExplain(f"{error}{did_you_mean(arguments.group, found.groups)}") from None
    explanation = explain(history, since_ms=since_ms, last=arguments.last, generation=arguments.rebalance)
    if arguments.rebalance is not None and not explanation.shown:
        known = [each.generation for each in history.rebalances]
        kept = f"known are {known[0]} to {known[-1]}" if known else "none is known"
        raise NothingToExplain(f"no rebalance led to generation {arguments.rebalance}: {kept}")
    return explanation, found.notes


def _found(arguments: argparse.Namespace, since_ms: int | None) -> Found:
    if arguments.directory is not None:
        if arguments.bootstrap is not None:
            raise UsageError("--from and --bootstrap do not go together: one reads files, the other asks a cluster")
        from muster.explain.failure import NothingToExplain
        from muster.explain.from_files import read_directory

        try:
            return read_directory(arguments.directory, arguments.group)
        except NothingToExplain as error:
            raise UsageError(str(error)) from None
    from muster.explain.from_cluster import read_cluster

    async def ask() -> Found:
        async with cluster_of(arguments) as cluster:
            return await read_cluster(cluster, arguments.group, since_ms)

    return asyncio.run(ask())


def _print(explanation: Explanation, *, as_json: bool) -> None:
    if as_json:
        from muster.explain.machine import to_json

        print(json.dumps(to_json(explanation), ensure_ascii=False), flush=True)
        return
    from muster.cli.groups.explain_page import print_page
    from muster.explain.page import page

    print_page(page(explanation), sys.stdout)
