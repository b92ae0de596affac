"""`muster groups ACTION`: what happens to consumer groups, of Muster and of any Kafka cluster. One action a file.

An action is a module with `add_arguments(parser)` and `run(arguments) -> exit code`, imported when it is asked for.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Final

ACTIONS: Final = {
    "explain": ("muster.cli.groups_explain", "why a group rebalanced, who was waited for, what moved, what to change"),
    "watch": ("muster.cli.groups_watch", "groups live: state, members, lag, the last rebalance"),
}
"""name -> (module, one line for --help)."""

_EXAMPLES = """\
examples:
  muster groups explain billing --since 1h            what happened in the last hour, and what could be changed
  muster groups explain billing --rebalance 42        the rebalance that led to generation 42
  muster groups explain billing --from muster-data    from a data directory, also while its server runs
  muster groups watch billing shipping                two groups, live
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    for name, (module, summary) in ACTIONS.items():
        action = actions.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        import_module(module).add_arguments(action)


def run(arguments: argparse.Namespace) -> int:
    module, _ = ACTIONS[arguments.action]
    code: int = import_module(module).run(arguments)
    return code
