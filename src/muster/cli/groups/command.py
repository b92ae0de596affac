"""`muster groups ACTION`: consumer groups, of Muster and of any Kafka cluster. One action a file."""

from __future__ import annotations

import argparse
from typing import Final

from muster.cli.support.actions import add_actions, run_action

ACTIONS: Final = {
    "list": ("muster.cli.groups.list", "which groups there are, of which type, in which state"),
    "describe": ("muster.cli.groups.describe", "state, members and offsets of groups"),
    "members": ("muster.cli.groups.members", "who is in a group, and which partitions each has"),
    "offsets": ("muster.cli.groups.offsets", "what is committed, where the logs end, how far behind"),
    "explain": ("muster.cli.groups.explain", "why a group rebalanced, who was waited for, what moved, what to change"),
    "watch": ("muster.cli.groups.watch", "groups live: state, members, lag, the last rebalance"),
    "configs": ("muster.cli.groups.configs", "settings that a group has for itself: show or change them"),
    "reset-offsets": ("muster.cli.groups.reset_offsets", "set what a group has committed; a dry run unless --execute"),
    "delete": ("muster.cli.groups.delete", "delete groups that have no members, with their offsets"),
    "delete-offsets": ("muster.cli.groups.delete_offsets", "forget what a group has committed for topics"),
}
"""name -> (module, one line for --help)."""

_EXAMPLES = """\
examples:
  muster groups list --state Stable,Empty
  muster groups describe billing                      state, members, committed offsets and lag
  muster groups offsets --all-groups --json           a JSON object a group and partition
  muster groups reset-offsets billing --topic orders --to-earliest            what would happen
  muster groups reset-offsets billing --topic orders:0,1 --by-duration 2h --execute
  muster groups delete-offsets billing --topic orders
  muster groups configs billing --set consumer.session.timeout.ms=50000
  muster groups explain billing --since 1h            what happened in the last hour, and what could be changed
  muster groups explain billing --rebalance 42        the rebalance that led to generation 42
  muster groups explain billing --from muster-data    from a data directory, also while its server runs
  muster groups watch billing shipping                two groups, live
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_actions(parser, ACTIONS)


def run(arguments: argparse.Namespace) -> int:
    return run_action(arguments, ACTIONS)
