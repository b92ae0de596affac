"""Commands with actions below them: `muster groups list`. An action is a module, imported when its command is asked for.

It has `add_arguments(parser)` and `run(arguments) -> exit code`, as commands have.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from importlib import import_module


def add_actions(parser: argparse.ArgumentParser, table: Mapping[str, tuple[str, str]]) -> None:
    """`table`: name -> (module, one line for --help)."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    for name, (module, summary) in table.items():
        action = actions.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        import_module(module).add_arguments(action)


def run_action(arguments: argparse.Namespace, table: Mapping[str, tuple[str, str]]) -> int:
    module, _ = table[arguments.action]
    code: int = import_module(module).run(arguments)
    return code
