"""`muster quotas list | set | remove`: how much clients may do in how much time, at Muster or any Kafka."""

from __future__ import annotations

import argparse
from typing import Final

from muster.cli.support.actions import add_actions, run_action

ACTIONS: Final = {
    "list": ("muster.cli.quotas.list", "which quotas are set, and for whom"),
    "set": ("muster.cli.quotas.set", "set quotas of a user, a client id, both, or an address"),
    "remove": ("muster.cli.quotas.remove", "remove quotas: then the next more general one counts"),
}
"""name -> (module, one line for --help)."""

_EXAMPLES = """\
examples:
  muster quotas set producer_byte_rate=1048576 consumer_byte_rate=2097152 --for-user alice
  muster quotas set request_percentage=50 --for-any-user --for-any-client-id
  muster quotas set connection_creation_rate=10 muster_request_rate=500 --for-ip 10.0.0.7
  muster quotas list --for-user alice
  muster quotas remove consumer_byte_rate --for-user alice
quotas: producer_byte_rate, consumer_byte_rate (bytes/s), request_percentage (of one processor), controller_mutation_rate
  (partitions/s), muster_request_rate (requests/s, Muster only); for addresses: connection_creation_rate, muster_request_rate
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    add_actions(parser, ACTIONS)


def run(arguments: argparse.Namespace) -> int:
    return run_action(arguments, ACTIONS)
