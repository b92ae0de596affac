"""Which places a round asks for first."""

from __future__ import annotations

import pytest

from muster.pipeline.now.unknown_times import from_share_on, portion_of
from muster.pipeline.sources.record_times import RecordPlace

STRIDES = (1, 2, 3, 4, 6, 7, 8, 12)
"""The tables of now may be made every second round only, or every sixth."""


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 100, 2_000])
@pytest.mark.parametrize("stride", STRIDES)
def test_every_place_is_among_the_first_in_its_turn(count: int, stride: int) -> None:
    """A round stops when its bytes are spent: large batches that tell nothing must not take them from the same others each time."""
    places = [RecordPlace("orders", number, 5) for number in range(count)]
    assert from_share_on(places, portion_of(0, 1)[1]) == places
    few = -(-count // 8) + 1
    seen: set[RecordPlace] = set()
    for turn in range(0, (13 if stride == 1 else 34) * stride, stride):
        _, share = portion_of(turn, 1)
        found = from_share_on(places, share)
        assert sorted(found) == places
        seen |= set(found[:few])
    assert seen == set(places)


@pytest.mark.parametrize("portions", [1, 2, 3, 5])
@pytest.mark.parametrize("stride", STRIDES)
def test_every_portion_has_its_turn_and_begins_at_other_places_each_time(portions: int, stride: int) -> None:
    assert portion_of(0, portions) == (0, 0.0)
    shares: dict[int, list[float]] = {portion: [] for portion in range(portions)}
    for turn in range(0, 100 * stride, stride):
        portion, share = portion_of(turn, portions)
        assert 0 <= share < 1
        shares[portion].append(share)
    for each in shares.values():
        assert min(each) < 0.3
        assert max(each) > 0.7
