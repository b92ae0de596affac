"""When a round writes all positions of the state anew."""

from __future__ import annotations

import pytest

from muster.pipeline.lake.files import DataFile
from muster.pipeline.rewriting import MOST_ROUNDS, POSITION_BYTES, writes_all_positions

_POSITIONS = 40_000
_WHOLE = _POSITIONS * POSITION_BYTES


def _held(*sizes: int) -> list[DataFile]:
    """Positions of one round each, in two files."""
    return [
        DataFile(f"batch={number:08d}-fold/part=positions/part-{half}.parquet", size // 2)
        for number, size in enumerate(sizes)
        for half in (0, 1)
    ]


@pytest.mark.parametrize(
    ("held", "records", "expected"),
    [
        ((), 2_000_000, False),  # nothing is there: what is new is all
        ((_WHOLE,), 100, False),
        ((_WHOLE,), _POSITIONS // 4, False),
        ((_WHOLE,), _POSITIONS // 2, True),
        ((_WHOLE,), 2_000_000, True),  # each round of a first read
        ((_WHOLE, _WHOLE // 4), 100, False),
        ((_WHOLE, _WHOLE // 4), _POSITIONS // 4, True),
        ((_WHOLE // 2, _WHOLE), 100, True),  # the older of the two has fewer: groups have come
        ((_WHOLE, *[800] * (MOST_ROUNDS - 2)), 100, False),
        ((_WHOLE, *[800] * (MOST_ROUNDS - 1)), 100, True),
    ],
)
def test_all_are_written_when_rows_of_later_rounds_become_half_as_many(
    held: tuple[int, ...], records: int, expected: bool
) -> None:
    assert writes_all_positions(_held(*held), records) is expected
