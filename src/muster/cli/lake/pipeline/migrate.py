"""`muster pipeline migrate`: what becomes of a lake of an older layout, and the command that makes a new one.

It reads the old lake's bookkeeping and prints; nothing is converted or written.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_argument, run_on_lake

if TYPE_CHECKING:
    from muster.pipeline.lake.location import Location


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_argument(parser, "the lake of an older layout")
    parser.add_argument(
        "--to",
        metavar="URL",
        required=True,
        help="where the new lake is to be: only for the commands that are printed, nothing is written there",
    )


def run(arguments: argparse.Namespace) -> int:
    return run_on_lake("pipeline migrate", lambda: _migrate(arguments))


def _migrate(arguments: argparse.Namespace) -> int:
    from muster.pipeline.lake.location import Location

    location = Location.parse(arguments.lake)
    Location.parse(arguments.to)
    said = _before_delta(location, arguments.to) or _of_another_version(location, arguments.to)
    if said is None:
        print(f"{location} has the present layout: nothing to migrate")
        return DONE
    print(f"muster pipeline migrate: {said}", file=sys.stderr)
    return FAILED


def _before_delta(location: Location, to: str) -> str | None:
    from muster.pipeline.lake.old_layout import read_old_lake

    old = read_old_lake(location)
    if old is None:
        return None
    return (
        f"{location} is a lake of the layout before Delta"
        f" ({_clusters(old.clusters)}; {old.log_partitions:,} log partitions read)."
        + _made_anew(to, "the muster that wrote it")
    )


def _of_another_version(location: Location, to: str) -> str | None:
    from muster.pipeline.lake.errors import OtherVersionError
    from muster.pipeline.lake.reader import Lake
    from muster.pipeline.lake.rounds import LAKE_VERSION

    try:
        Lake.open(location)
    except OtherVersionError as other:
        wrote = f"muster {other.muster_version}, which wrote it" if other.muster_version else "the muster that wrote it"
        if other.version > LAKE_VERSION:
            return (
                f"{location} is a lake of version {other.version}; this muster knows versions up to {LAKE_VERSION}."
                f" Nothing is to be migrated: use {wrote}, or a later one"
            )
        return (
            f"{location} is a lake of version {other.version}, this muster reads and writes {LAKE_VERSION}"
            f" ({_clusters(other.clusters)}; {words.plural(other.records, 'record')} read)." + _made_anew(to, wrote)
        )
    return None


def _clusters(names: tuple[str, ...]) -> str:
    return f"clusters {', '.join(map(words.name, names)) or 'unknown'}"


def _made_anew(to: str, wrote: str) -> str:
    return (
        " Its tables cannot be carried over: they have to be made anew from the log, with\n"
        f"  muster pipeline run --from DIR --lake {to}\n"
        f"  muster pipeline run --bootstrap HOST:PORT --lake {to}\n"
        "from the same directory or broker as before. What the log no longer holds is not in the new lake: older rebalances,"
        " members and commits, and how late a group was while nobody noted the ends of its topics. It stays readable in the"
        f" old one, with {wrote}."
    )
