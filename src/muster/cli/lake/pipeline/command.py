"""`muster pipeline`: run, report, sql, compact, migrate and package.

Each has flags of its own; what they do is in `muster.pipeline`.
"""

from __future__ import annotations

import argparse
import sys

from muster.cli.exit_codes import USAGE
from muster.cli.support.actions import add_actions, run_action

_STEPS = {
    "run": ("muster.cli.lake.pipeline.run", "read a log into a lake and make its tables"),
    "report": ("muster.cli.lake.pipeline.report", "write one HTML page about a lake"),
    "sql": ("muster.cli.lake.pipeline.sql", "run an SQL statement over the tables of a lake"),
    "compact": ("muster.cli.lake.pipeline.compact", "merge small files and drop what is older than its retention"),
    "migrate": ("muster.cli.lake.pipeline.migrate", "say what to do with a lake of an older layout; converts nothing"),
    "package": ("muster.cli.lake.pipeline.package", "write our code as files for spark-submit"),
}

_EXAMPLES = """\
examples:
  muster pipeline run --from muster-data --lake lake         the log of a data directory, Muster's or Kafka's
  muster pipeline run --bootstrap broker:9092 --lake lake --follow
  muster lag --lake lake --top 20
  muster pipeline report --lake lake --out report.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_actions(parser, _STEPS, called="step", required=False)


def run(arguments: argparse.Namespace) -> int:
    if arguments.step is None:
        print(f"muster pipeline: say which step: {', '.join(_STEPS)} (--help explains them)", file=sys.stderr)
        return USAGE
    return run_action(arguments, _STEPS, called="step")
