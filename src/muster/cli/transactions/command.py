"""`muster transactions ACTION`: transactions of producers, of Muster and of any Kafka cluster. One action a file."""

from __future__ import annotations

import argparse
from typing import Final

from muster.cli.support.actions import add_actions, run_action

ACTIONS: Final = {
    "list": ("muster.cli.transactions.list", "which transactional ids there are, and in which state"),
    "describe": (
        "muster.cli.transactions.describe",
        "state, producer, age, partitions, and the groups whose offsets are held back",
    ),
    "find-hanging": (
        "muster.cli.transactions.find_hanging",
        "transactions that are open in a partition and known to no coordinator",
    ),
    "abort": ("muster.cli.transactions.abort", "abort a transaction; a dry run unless --execute"),
}
"""name -> (module, one line for --help)."""

_EXAMPLES = """\
examples:
  muster transactions list --state Ongoing --longer-than 1min
  muster transactions list --pattern 'billing-.*' --verbose
  muster transactions describe billing-7
  muster transactions abort billing-7                        what would happen
  muster transactions abort billing-7 --execute              and the producer that has the id is fenced
  muster transactions find-hanging --topic orders            open for more than 15 minutes, and nobody will end it
  muster transactions abort --topic orders:3 --start-offset 4711 --execute
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_actions(parser, ACTIONS)


def run(arguments: argparse.Namespace) -> int:
    return run_action(arguments, ACTIONS)
