"""`muster topics ACTION`: topics of Muster and of any Kafka cluster. One action a file."""

from __future__ import annotations

import argparse
from typing import Final

from muster.cli.support.actions import add_actions, run_action

ACTIONS: Final = {
    "list": ("muster.cli.topics.list", "which topics there are"),
    "create": ("muster.cli.topics.create", "make a topic"),
    "describe": ("muster.cli.topics.describe", "partitions, leaders, extents and settings of topics"),
    "alter": ("muster.cli.topics.alter", "add partitions to a topic, change its settings"),
    "delete": ("muster.cli.topics.delete", "delete topics, with all that is in them"),
}
"""name -> (module, one line for --help)."""

_EXAMPLES = """\
examples:
  muster topics list 'orders*'
  muster topics create orders --partitions 3 --config retention.ms=86400000
  muster topics describe orders
  muster topics alter orders --partitions 6 --config retention.ms=3600000 --delete-config max.message.bytes
  muster topics delete orders --if-exists
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_actions(parser, ACTIONS)


def run(arguments: argparse.Namespace) -> int:
    return run_action(arguments, ACTIONS)
