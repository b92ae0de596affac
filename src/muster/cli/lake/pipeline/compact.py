"""`muster pipeline compact`: fewer files, and no older rows than wanted. Once a day is enough; needs no Java.

A run with `--follow` does it by itself.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict

from muster.cli.exit_codes import DONE
from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_argument, run_on_lake
from muster.cli.support.numbers import days, moment_ms
from muster.cli.support.tables import print_json_lines
from muster.cli.support.usage_error import UsageError

LAYERS = (("bronze", 14), ("silver", 90), ("gold", 400))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_argument(parser)
    for layer, most in LAYERS:
        parser.add_argument(
            f"--{layer}-days", metavar="N", type=days, default=most, help=f"keep {layer} so long ({most})"
        )
    parser.add_argument(
        "--at", metavar="MS", type=moment_ms, help="count ages back from there (the newest time in the lake)"
    )
    parser.add_argument("--json", action="store_true", help="a JSON object with what was done")


def run(arguments: argparse.Namespace) -> int:
    return run_on_lake("pipeline compact", lambda: _compact(arguments))


def _compact(arguments: argparse.Namespace) -> int:
    from muster.pipeline.lake.compact import compact
    from muster.pipeline.lake.location import Location
    from muster.pipeline.lake.reader import Lake
    from muster.pipeline.lake.retention import Retention
    from muster.pipeline.lake.writer_lock import only_writer

    retention = Retention(arguments.bronze_days, arguments.silver_days, arguments.gold_days)
    if not 0 < retention.bronze_days <= retention.silver_days <= retention.gold_days:
        raise UsageError("days must rise from --bronze-days to --silver-days to --gold-days, from above 0")
    location = Location.parse(arguments.lake)
    Lake.open(location)  # a place without a lake is refused before anything is locked there
    with only_writer(location):
        done = compact(location, retention, arguments.at)
    if arguments.json:
        print_json_lines([{name: value for name, value in asdict(done).items() if name != "changed"}])
    else:
        print(words.compaction(done))
    return DONE
