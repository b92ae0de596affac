"""docs/testing.md and examples/testing: the example passes, and the lists are those of the code.

The page's blocks are run by tests/house/test_docs_blocks.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.testing.control_routes import ControlRoutes
from muster.testing.faults import ERROR_APIS
from muster.testing.kit import Kit

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")

pytest_plugins = ("pytester",)


def test_the_example_passes(pytester: pytest.Pytester) -> None:
    pytester.makepyfile((ROOT / "examples" / "testing" / "test_billing_consumer.py").read_text(encoding="utf-8"))
    pytester.runpytest_inprocess().assert_outcomes(passed=3)


def test_the_page_names_every_api_that_can_fail_and_every_control_page() -> None:
    assert [api for api in ERROR_APIS if api not in PAGE] == []
    ends = {pattern.rpartition("/")[2] for pattern in ControlRoutes(Kit()).pages}
    assert [end for end in ends if end not in PAGE] == []
