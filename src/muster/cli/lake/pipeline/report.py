"""`muster pipeline report`: one HTML page about a lake, written without Java."""

from __future__ import annotations

import argparse

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.lake.answers import add_lake_argument, run_on_lake
from muster.cli.support.cluster_command import note


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_argument(parser)
    parser.add_argument("--out", metavar="FILE", default="muster-report.html", help="the page (muster-report.html)")


def run(arguments: argparse.Namespace) -> int:
    return run_on_lake("pipeline report", lambda: _write(arguments.lake, arguments.out))


def _write(lake: str, out: str) -> int:
    from muster.pipeline.lake.reader import Lake
    from muster.pipeline.query import require_gold
    from muster.pipeline.report import write_report

    require_gold(Lake.open(lake))
    try:
        write_report(lake, out)
    except OSError as error:
        note("pipeline report", f"{out} cannot be written: {error.strerror}")
        return FAILED
    print(out)
    return DONE
