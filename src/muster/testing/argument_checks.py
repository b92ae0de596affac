"""Whether a test's arguments make sense: a TypeError names the argument, what it is and what was expected."""

from __future__ import annotations

from collections.abc import Mapping

__tracebackhide__ = True  # in pytest's output, see broker.py


def checked_settings(called: str, given: object, example: str) -> dict[str, str]:
    """Settings by Kafka's names, as texts; none if nothing was given."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"{called} is {given!r}: give a dict of Kafka's names and values, like {example}")
    for name, value in given.items():
        if not isinstance(name, str):
            raise TypeError(f"{called} has the name {name!r}: names are str, like {example}")
        if not isinstance(value, str | int | float):
            raise TypeError(f"{called} has {value!r} for {name}: give a str, a number or a bool, like {example}")
    return {name: _text(value) for name, value in given.items()}


def check_whole(called: str, given: object, example: int, *, or_none: bool = False) -> None:
    if (given is None and or_none) or (isinstance(given, int) and not isinstance(given, bool)):
        return
    raise TypeError(f"{called} is {given!r}: give an int, like {example}{', or None' if or_none else ''}")


def check_number(called: str, given: object, example: str) -> None:
    if not isinstance(given, int | float) or isinstance(given, bool):
        raise TypeError(f"{called} is {given!r}: give a number, like {example}")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
