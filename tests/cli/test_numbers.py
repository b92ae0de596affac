"""Numbers on the command line: every flag that takes one says which, whatever comes after it holds as many bits as it likes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module

import pytest

from muster.cli.main import COMMANDS, main
from muster.cli.support.topic_places import parse_partitions
from muster.cli.support.usage_error import UsageError

_HUGE = ("9" * 40, "-" + "9" * 40, "9" * 5_000, "1e400", "nan")


def _parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for name, (module, _) in COMMANDS.items():
        parser = argparse.ArgumentParser(prog=name)
        import_module(module).add_arguments(parser)
        yield from _with_those_below(name, parser)


def _with_those_below(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below, inner in action.choices.items():
                yield from _with_those_below(f"{name} {below}", inner)


def _numbers() -> list[tuple[str, argparse.ArgumentParser, argparse.Action]]:
    return [
        (f"{name} {action.option_strings or action.dest}", parser, action)
        for name, parser in _parsers()
        for action in parser._actions
        if action.type not in (None, str, str.upper) and action.metavar != "FILE"
    ]


@pytest.mark.parametrize(("parser", "action"), [pytest.param(p, a, id=name) for name, p, a in _numbers()])
def test_a_number_beyond_all_bounds_is_a_usage_error_that_names_them(
    parser: argparse.ArgumentParser, action: argparse.Action
) -> None:
    assert action.type not in (int, float), "see muster.cli.support.numbers"
    for text in _HUGE:
        with pytest.raises(argparse.ArgumentError, match=r"give a (whole )?number from|is not a number of"):
            parser._get_values(action, [text])


def test_many_commands_take_numbers() -> None:
    assert len(_numbers()) > 60
    assert any(name.startswith("groups reset-offsets") for name, _, _ in _numbers()), "those of actions too"


def test_what_people_read_is_one_line_with_the_flag(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["lag", "--lake", "nowhere", "--min-lag", "9" * 400])
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        f"muster lag: argument --min-lag: {'9' * 40}...: give a whole number from -9223372036854775808 to"
        " 9223372036854775807\nSee muster lag --help\n"
    )


@pytest.mark.parametrize("text", ["0-9999999999", "9" * 5_000, "5-" + "9" * 5_000])
def test_partitions_that_no_topic_has_are_refused_before_anybody_counts_them(text: str) -> None:
    with pytest.raises(UsageError, match="no topic has so many partitions; give numbers below a million"):
        parse_partitions(text, "--partition")
