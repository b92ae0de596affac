"""Which tests have to go to one worker of xdist: those that share what a fixture of their module has started."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def shared() -> str:
    return "started once"


def groups_of(request: pytest.FixtureRequest) -> list[str]:
    return [mark.args[0] for mark in request.node.iter_markers("xdist_group")]


@pytest.mark.parametrize("number", range(2))
def test_tests_that_share_a_fixture_of_their_module_are_one_group(
    shared: str, request: pytest.FixtureRequest, number: int
) -> None:
    assert groups_of(request) == ["tests/house/test_shared_fixtures.py"]


def test_test_that_shares_nothing_may_go_anywhere(request: pytest.FixtureRequest) -> None:
    assert groups_of(request) == []


@pytest.mark.xdist_group("chosen")
def test_group_that_was_chosen_stays(shared: str, request: pytest.FixtureRequest) -> None:
    assert groups_of(request) == ["chosen"]
