"""What can stand where on the command line, read from the parsers themselves: the stuff that completion scripts are made of."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Final, Literal, TypeAlias

Names: TypeAlias = Literal["", "groups", "topics", "files"]

_BY_METAVAR: Final[dict[str, Names]] = {"GROUP": "groups", "TOPIC": "topics", "T[:0,1]": "topics", "FILE": "files"}
_FILES: Final = ("DIR", "PATH")


@dataclass(frozen=True, slots=True)
class Flag:
    name: str
    summary: str
    takes_value: bool
    choices: tuple[str, ...] = ()
    names: Names = ""


@dataclass(frozen=True, slots=True)
class CommandPath:
    """A command or an action of one."""

    path: tuple[str, ...]
    summary: str
    below: tuple[tuple[str, str], ...] = ()
    """Names and summaries of its actions."""
    flags: tuple[Flag, ...] = ()
    words: tuple[str, ...] = ()
    """Choices of its arguments."""
    names: Names = ""
    """Of what its arguments are names."""


@dataclass(slots=True)
class _Found:
    below: list[tuple[str, str]] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    names: Names = ""


def places(commands: Mapping[str, tuple[str, str]]) -> Iterator[CommandPath]:
    """Every command and action, a command before its actions. Imports all commands."""
    for name, (module, summary) in commands.items():
        parser = argparse.ArgumentParser(prog=name, allow_abbrev=False)
        import_module(module).add_arguments(parser)
        yield from _places_of(parser, (name,), summary)


def _places_of(parser: argparse.ArgumentParser, path: tuple[str, ...], summary: str) -> Iterator[CommandPath]:
    found = _Found()
    below: list[tuple[str, argparse.ArgumentParser, str]] = []
    for action in parser._actions:  # argparse has no other way to ask
        if isinstance(action, argparse._SubParsersAction):
            summaries = {choice.dest: choice.help or "" for choice in action._choices_actions}
            below += [(name, each, summaries.get(name, "")) for name, each in action.choices.items()]
        elif action.option_strings:
            found.flags.append(_flag(action))
        else:
            found.words += map(str, action.choices or ())
            found.names = found.names or _names(action)
    found.below = [(name, text) for name, _, text in below]
    words = tuple(found.words)
    yield CommandPath(path, summary, tuple(found.below), tuple(found.flags), words, found.names)
    for name, each, text in below:
        yield from _places_of(each, (*path, name), text)


def _flag(action: argparse.Action) -> Flag:
    long = next((text for text in action.option_strings if text.startswith("--")), action.option_strings[0])
    summary = (action.help or "").replace("%%", "%") if action.help is not argparse.SUPPRESS else ""
    choices = tuple(map(str, action.choices or ()))
    return Flag(long, summary, action.nargs != 0, choices, _names(action))


def _names(action: argparse.Action) -> Names:
    """By what the help calls it."""
    if action.option_strings == ["--group"]:
        return "groups"
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    return "files" if metavar in _FILES else _BY_METAVAR.get(metavar, "")
