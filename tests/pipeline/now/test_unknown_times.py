"""Which places a round asks for first."""

from __future__ import annotations

import pytest

from muster.pipeline.now.unknown_times import turned
from muster.pipeline.sources.record_times import RecordPlace


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 100, 2_000])
def test_every_place_is_among_the_first_in_its_turn(count: int) -> None:
    """A round stops when its bytes are spent: large batches that tell nothing must not take them from the same others each time."""
    places = [RecordPlace("orders", number, 5) for number in range(count)]
    assert turned(places, 0) == places
    few = -(-count // 8) + 1
    seen: set[RecordPlace] = set()
    for turn in range(count if count < 9 else 9):
        found = turned(places, turn)
        assert sorted(found) == places
        seen |= set(found[:few])
    assert seen == set(places)
