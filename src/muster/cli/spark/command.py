"""`muster spark ACTION`: streaming queries of Spark as groups, at Muster or any Kafka. One action a file."""

from __future__ import annotations

import argparse
from typing import Final

from muster.cli.support.actions import add_actions, run_action

ACTIONS: Final = {
    "backfill": ("muster.cli.spark.backfill", "commit what the checkpoint of a streaming query holds to a group"),
}
"""name -> (module, one line for --help)."""

_EXAMPLES = """\
examples:
  muster spark backfill --checkpoint /data/checkpoints/orders --group etl-orders
  muster spark backfill --checkpoint s3a://bucket/checkpoints/orders --group etl-orders --dry-run
While a query runs, `muster.spark.track` in its program commits for it.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_actions(parser, ACTIONS)


def run(arguments: argparse.Namespace) -> int:
    return run_action(arguments, ACTIONS)
