"""The parser of the `muster` command: argparse, with a suggestion where something was misspelt."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final, NoReturn

from muster.cli.exit_codes import USAGE

_CHOICE: Final = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")
_VARIABLE: Final = re.compile(r"default: ([A-Z_]+)")
"""In the help of a flag: an environment variable that stands for it."""
_UNKNOWN: Final = re.compile(r"unrecognized arguments: (--[\w-]+)")


class UsageParser(argparse.ArgumentParser):
    """Parsers of commands and actions below it are of this class too."""

    def error(self, message: str) -> NoReturn:
        """What was wrong, not the long list of what would be right: that is for --help."""
        self.exit(USAGE, f"{self.prog}: {message}{self._suggestion(message)}\nSee {self.prog} --help\n")

    def _suggestion(self, message: str) -> str:
        if choice := _CHOICE.search(message):
            return did_you_mean(choice[1], re.findall(r"[\w.-]+", choice[2]))
        if unknown := _UNKNOWN.search(message):
            # Without the dashes, which all flags share: --since is not like --version.
            near = nearest(unknown[1][2:], [flag[2:] for flag in self._flags() if flag.startswith("--")])
            if near == unknown[1][2:]:
                return "; other actions have it, this one does not"
            return f"; did you mean --{near}?" if near else ""
        if "required" in message:
            return "".join(f"; {name} can also be set as {variable}" for name, variable in self._variables(message))
        return ""

    def _variables(self, message: str) -> list[tuple[str, str]]:
        """The flags that a message names, each with the environment variable that stands for it."""
        missing = set(re.findall(r"--[\w-]+", message))
        found = ((action.option_strings, _VARIABLE.search(action.help or "")) for action in self._actions)
        return [(name, known[1]) for names, known in found if known for name in names if name in missing]

    def _flags(self) -> list[str]:
        """Of this parser and those below that have been filled in: whoever is asked does not know who was meant."""
        found: list[str] = []
        for action in self._actions:
            found += action.option_strings
            if isinstance(action, argparse._SubParsersAction):
                for below in action.choices.values():
                    found += below._flags()
        return found


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """`; did you mean orders?`, or nothing if nothing is near."""
    near = nearest(given, known)
    return f"; did you mean {near}?" if near else ""


def nearest(given: str, known: Iterable[str]) -> str | None:
    near = get_close_matches(given, list(dict.fromkeys(known)), n=1)
    return near[0] if near else None
