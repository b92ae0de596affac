"""`muster console`: where its history comes from."""

from __future__ import annotations

import argparse
import sys

import pytest

from muster.cli import console
from muster.cli.support.usage_error import UsageError
from muster.console.settings import ConsoleSettings


def settings(*flags: str) -> ConsoleSettings:
    parser = argparse.ArgumentParser()
    console.add_arguments(parser)
    return console._settings(parser.parse_args(flags))


def test_the_lake_can_be_named_by_a_variable_and_the_flag_counts_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUSTER_LAKE", raising=False)
    assert settings().history is None
    monkeypatch.setenv("MUSTER_LAKE", "of-the-variable")
    assert vars(settings().history)["_lake"] == "of-the-variable"
    assert vars(settings("--lake", "of-the-flag").history)["_lake"] == "of-the-flag"


def test_without_the_extra_a_lake_that_was_asked_for_is_refused_and_one_of_the_variable_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The variable may be set for other commands: the console works without it, and says what is missing."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setenv("MUSTER_LAKE", "lake")
    assert settings().history is None
    assert "no history: MUSTER_LAKE is set, and a lake needs the extra pipeline" in capsys.readouterr().err
    with pytest.raises(UsageError, match="--lake needs the extra pipeline"):
        settings("--lake", "lake")
