"""The checks of `make chaos` on groups find what they are for."""

from __future__ import annotations

import pytest

from tests.cluster.group_checks import Description, commits_lost, gone_back, not_settled


@pytest.mark.parametrize(
    ("found", "complaints"),
    [
        (Description("consumer", "stable", [1, 0]), []),
        (Description("classic", "stable", [0, 1]), ["g is a classic group and should be a consumer one"]),
        (Description("consumer", "reconciling", [0, 1]), ["g is reconciling"]),
        (Description("consumer", "stable", [0]), ["g: partition 1 has 0 owners"]),
        (Description("consumer", "stable", [0, 1, 0]), ["g: partition 0 has 2 owners"]),
    ],
)
def test_a_group_that_is_not_stable_or_has_not_one_owner_for_each_partition_is_found(
    found: Description, complaints: list[str]
) -> None:
    assert not_settled({"g": found}, {"g": "consumer"}, 2) == complaints


def test_an_offset_that_goes_back_or_disappears_is_found() -> None:
    assert gone_back({0: 5, 1: 7}, {0: 5, 1: 9, 2: 1}) == []
    assert gone_back({0: 5, 1: 7}, {0: 4}) == ["partition 0 was at 5 and is at 4", "partition 1 was at 7 and is at -1"]


def test_an_acknowledged_commit_that_is_not_there_is_found() -> None:
    assert commits_lost({0: 5}, {0: 6}) == []
    assert commits_lost({0: 5}, {0: 4}) == ["5 of partition 0 was acknowledged, 4 is there"]
