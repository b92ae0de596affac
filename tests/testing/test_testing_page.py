"""docs/testing.md and examples/testing: the example passes, and the lists are those of the code.

The page's blocks are run by tests/house/test_docs_blocks.py.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muster.testing.control_openapi import PAGES, openapi
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


def test_the_description_is_of_the_pages_that_there_are_and_the_file_is_up_to_date() -> None:
    """`make pages` writes it."""
    pages = ControlRoutes(Kit()).pages
    assert PAGES.keys() == pages.keys()
    assert json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8")) == openapi(pages)


def test_a_wait_in_vain_shows_the_line_of_the_test_and_none_of_the_kit(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import asyncio

        def test_waits(muster_broker):
            muster_broker.group("billing").wait("Stable", timeout=0)

        def test_waits_in_a_loop(muster_broker):
            asyncio.run(in_a_loop(muster_broker))

        async def in_a_loop(broker):
            await broker.group("billing").wait_async("Stable", timeout=0)
    """)
    failed = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    failed.assert_outcomes(failed=2)
    shown = failed.stdout.str()
    assert "did not reach" in shown
    assert "broker_group.py" not in shown
    assert "muster/testing" not in shown
