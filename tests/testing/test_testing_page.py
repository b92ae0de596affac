"""docs/testing.md and examples/testing: every code block runs, and the lists are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from muster.testing.control_routes import ControlRoutes
from muster.testing.faults import ERROR_APIS
from muster.testing.kit import Kit

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
PROGRAMS = [block for block in BLOCKS if "def test_" not in block]
TESTS = [block for block in BLOCKS if "def test_" in block]

pytest_plugins = ("pytester",)


def test_the_page_has_programs_and_tests() -> None:
    assert (len(PROGRAMS), len(TESTS)) == (5, 1)


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_a_program_of_the_page_runs(program: str) -> None:
    exec(compile(program, "docs/testing.md", "exec"), {})


@pytest.mark.parametrize("text", TESTS, ids=range(len(TESTS)))
def test_a_test_of_the_page_passes(text: str, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(text)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_the_example_passes(pytester: pytest.Pytester) -> None:
    pytester.makepyfile((ROOT / "examples" / "testing" / "test_billing_consumer.py").read_text(encoding="utf-8"))
    pytester.runpytest_inprocess().assert_outcomes(passed=3)


def test_the_page_names_every_api_that_can_fail_and_every_control_page() -> None:
    assert [api for api in ERROR_APIS if api not in PAGE] == []
    ends = {pattern.rpartition("/")[2] for pattern in ControlRoutes(Kit()).pages}
    assert [end for end in ends if end not in PAGE] == []
