"""Commands with actions below them, such as `muster groups list`. An action is a module, imported when its command is asked for.

It has `add_arguments(parser)` and `run(arguments) -> exit code`, as commands have.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from importlib import import_module
from typing import TypeVar

P = TypeVar("P", bound=argparse.ArgumentParser)


def add_actions(
    parser: argparse.ArgumentParser,
    table: Mapping[str, tuple[str, str]],
    *,
    called: str = "action",
    required: bool = True,
) -> None:
    """`table`: name -> (module, one line for --help). `called`: what the help and the parsed arguments call an action."""
    actions = parser.add_subparsers(title=f"{called}s", metavar=called.upper(), dest=called, required=required)
    for name, (module, summary) in table.items():
        import_module(module).add_arguments(add_described_parser(actions, name, summary))


def add_described_parser(parsers: argparse._SubParsersAction[P], name: str, summary: str) -> P:
    """A parser below another one, whose description is its summary as a sentence."""
    return parsers.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def run_action(arguments: argparse.Namespace, table: Mapping[str, tuple[str, str]], *, called: str = "action") -> int:
    module, _ = table[getattr(arguments, called)]
    code: int = import_module(module).run(arguments)
    return code
