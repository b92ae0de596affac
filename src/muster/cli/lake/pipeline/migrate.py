"""`muster pipeline migrate`: what becomes of a lake of an older layout, and the command that makes a new one."""

from __future__ import annotations

import argparse
import sys

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_argument, run_on_lake


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_argument(parser, "the lake of an older layout")
    parser.add_argument("--to", metavar="URL", required=True, help="where the new lake is to be")


def run(arguments: argparse.Namespace) -> int:
    return run_on_lake("pipeline migrate", lambda: _migrate(arguments))


def _migrate(arguments: argparse.Namespace) -> int:
    from muster.pipeline.lake.location import Location
    from muster.pipeline.lake.old_layout import read_old_lake
    from muster.pipeline.lake.reader import Lake

    location = Location.parse(arguments.lake)
    Location.parse(arguments.to)
    old = read_old_lake(location)
    if old is None:
        this = Lake.open(location).round
        print(f"{location} has the present layout (version {this.schema_version}): nothing to migrate")
        return DONE
    print(
        f"muster pipeline migrate: {location} is a lake of the layout before Delta"
        f" (clusters {', '.join(map(words.name, old.clusters)) or 'unknown'}; {old.log_partitions:,} log partitions read)."
        " Its tables cannot be carried over: they have to be made anew from the log, with\n"
        f"  muster pipeline run --from DIR --lake {arguments.to}\n"
        f"  muster pipeline run --bootstrap HOST:PORT --lake {arguments.to}\n"
        "from the same directory or broker as before. History that the log no longer holds stays readable in the old lake,"
        " with the muster that wrote it.",
        file=sys.stderr,
    )
    return FAILED
