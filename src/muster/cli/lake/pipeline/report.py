"""`muster pipeline report`: one HTML page about a lake, written without Java."""

from __future__ import annotations

import argparse
import sys

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.lake.answers import add_lake_argument, refuse, refuse_missing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_argument(parser)
    parser.add_argument("--out", metavar="FILE", default="muster-report.html", help="the page (muster-report.html)")


def run(arguments: argparse.Namespace) -> int:
    try:
        from muster.pipeline.lake.errors import LakeError
        from muster.pipeline.lake.reader import Lake
        from muster.pipeline.query import require_gold
        from muster.pipeline.report import write_report
    except ImportError as error:
        return refuse_missing("pipeline report", error)
    try:
        require_gold(Lake.open(arguments.lake))
        write_report(arguments.lake, arguments.out)
    except LakeError as error:
        return refuse("pipeline report", str(error))
    except OSError as error:
        print(f"muster pipeline report: {arguments.out} cannot be written: {error.strerror}", file=sys.stderr)
        return FAILED
    print(arguments.out)
    return DONE
