"""docs/supported.md says what is served, and every deviation that the code admits."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from muster.server import handlers
from muster.server.handlers.table import HANDLERS, SERVED, advertised_range
from muster.wire.apis import APIS
from tests.server.supported_page import GAPS, KAFKA_RANGES, PAGE, build, deviations

HANDLER_FILES = Path(handlers.__file__).parent


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == build(), (
        "docs/supported.md is out of date: run `python -m tests.server.supported_page`"
    )


@pytest.mark.parametrize("key", sorted(HANDLERS))
def test_every_api_in_the_table_has_a_handler_with_its_version_range_in_the_docstring(key: int) -> None:
    assert callable(import_module(HANDLERS[key]).handle)
    source = HANDLER_FILES / f"{HANDLERS[key].rsplit('.')[-1]}.py"  # a compiled module has no docstring
    docstring = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8")))
    assert docstring is not None
    assert docstring.startswith(APIS[key].name)


@pytest.mark.parametrize("key", sorted(HANDLERS))
def test_no_version_is_advertised_that_kafka_does_not_have(key: int) -> None:
    low, high = advertised_range(APIS[key])
    theirs = KAFKA_RANGES[key]
    assert theirs[0] <= low <= high <= theirs[1]


def test_gaps_are_noted_for_served_apis_only() -> None:
    assert set(GAPS) <= set(SERVED)


def test_remarks_are_found_in_comments_and_docstrings() -> None:
    source = '''
    # Deviates: one thing,
    # on two lines.
    x = 1
    """Deviates: another."""
    """What it is.

    Deviates: a third,
    longer one.
    Deviates: a fourth.

    And more that is none.
    """
    '''
    assert list(deviations(source)) == ["one thing, on two lines.", "another.", "a third, longer one.", "a fourth."]
