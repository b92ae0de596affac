"""Writes docs/cli-reference.md from the parsers of the commands: `python -m tests.house.cli_reference_page`. A test compares.

Not from `--help`, whose layout differs between versions of Python and widths of terminals.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

from muster.cli.main import COMMANDS
from muster.cli.support.connection_flags import add_connection_arguments

PAGE: Final = Path(__file__).parents[2] / "docs" / "cli-reference.md"

_OPENING: Final = """\
# Command line reference

Written by `python -m tests.house.cli_reference_page` from the commands themselves; a test keeps it true. Every command
says the same with `--help`.

Exit codes of all of them: 0 done, 1 the cluster did not answer or refused, 2 the command line makes no sense, 130 ended
by Ctrl-C. Where a command has others, it says so. `muster serve` and `muster pipeline run` finish what they are doing at the
first Ctrl-C: that is 0, or 1 if a run has not made its tables yet. `eval "$(muster completion bash)"` completes commands,
flags, and names of groups and topics.
"""
_REACHING: Final = """\
Every command that talks to a server takes these, Muster's or any other Kafka's. Flags win over the properties of
`--command-config`. Secrets come from files, variables or the terminal, never from the command line, which others on the
machine can see.\
"""
_REACHED_BY: Final = (
    "| [connection flags](#reaching-a-cluster) | where the cluster is, who we are: `--bootstrap` and more |"
)


def _connection_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    add_connection_arguments(parser)
    return parser


_REACH: Final = _connection_parser()


def build() -> str:
    lines = [_OPENING, "| command | does |", "|---|---|"]
    lines += [f"| [`muster {name}`](#muster-{name}) | {_cell(summary)} |" for name, (_, summary) in COMMANDS.items()]
    lines += ["", "## Reaching a cluster", "", _REACHING, *_rows(_REACH, told_apart=False)]
    for name, (module, summary) in COMMANDS.items():
        parser = argparse.ArgumentParser(prog=f"muster {name}", description=_sentence(summary), add_help=False)
        import_module(module).add_arguments(parser)
        lines += ["", *_command(parser, level=2)]
    return "\n".join(lines) + "\n"


def _command(parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    yield f"{'#' * level} {parser.prog}"
    yield ""
    yield _cell(parser.description or "")
    yield from _rows(parser)
    if parser.epilog:
        yield from ("", "```text", parser.epilog.strip("\n") % {"prog": parser.prog}, "```")
    for action in parser._actions:  # argparse has no other way to ask
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from ("", *_command(below, level + 1))


def _rows(parser: argparse.ArgumentParser, *, told_apart: bool = True) -> Iterator[str]:
    shown = [action for action in parser._actions if _is_shown(action)]
    connects = told_apart and set(_REACH._option_string_actions) <= set(parser._option_string_actions)
    if connects:
        shown = [action for action in shown if not set(action.option_strings) & set(_REACH._option_string_actions)]
    if shown or connects:
        yield from ("", "| argument | does |", "|---|---|")
    for action in sorted(shown, key=lambda each: bool(each.option_strings)):
        yield f"| {_name(action)} | {_meaning(action, parser)} |"
    if connects:
        yield _REACHED_BY


def _is_shown(action: argparse.Action) -> bool:
    return action.help != argparse.SUPPRESS and not isinstance(
        action, argparse._SubParsersAction | argparse._HelpAction
    )


def _name(action: argparse.Action) -> str:
    if not action.option_strings:
        return _value(action)
    names = ", ".join(f"`{name}`" for name in action.option_strings)
    return names if action.nargs == 0 else f"{names} {_value(action)}"


def _value(action: argparse.Action) -> str:
    """Without a pipe: inside of tables Markdown's readers do not agree on it."""
    if isinstance(action.metavar, str):
        word = action.metavar
    else:
        word = "|".join(map(str, action.choices or ())) or action.dest.upper()
    if "|" in word:
        return " or ".join(f"`{each}`" for each in word.split("|"))
    return (
        "`" + {"*": f"[{word} ...]", "+": f"{word} [{word} ...]", "?": f"[{word}]"}.get(str(action.nargs), word) + "`"
    )


def _meaning(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    text = (action.help or "") % {**vars(action), "prog": parser.prog}
    required = " (must be given)" if action.option_strings and action.required else ""
    return _cell(text) + required


def _sentence(summary: str) -> str:
    return summary[0].upper() + summary[1:] + "."


def _cell(text: str) -> str:
    """What would be markup is shown as it is."""
    return re.sub(r"([|*<\[\]])", r"\\\1", text).replace("__", "\\_\\_")


def write() -> None:
    PAGE.write_text(build(), encoding="utf-8")


if __name__ == "__main__":
    write()
    print(f"{PAGE.name} written")
