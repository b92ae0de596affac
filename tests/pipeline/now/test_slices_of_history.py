"""The history of the lag is made of some positions at a time: each position whole, none twice."""

from __future__ import annotations

import polars as pl
import pytest

from muster.pipeline.now import kernel

NAMES = ("group_id", "topic", "partition")


def frame_of(numbers: range, **columns: pl.Series) -> pl.DataFrame:
    positions = [(f"group-{n % 3}", "orders", n) for n in numbers]
    return pl.DataFrame(positions, schema=list(NAMES), orient="row").with_columns(**columns)


@pytest.fixture
def waiting() -> pl.DataFrame:
    """Two rounds left stretches of the same positions."""
    rounds = [frame_of(range(20), stretches=pl.Series([list(range(count))] * 20)) for count in (3, 2)]
    return pl.concat(rounds)


def test_a_slice_has_all_stretches_of_its_positions(waiting: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "STRETCHES_AT_ONCE", 30)
    current = frame_of(range(10, 40))
    slices = list(kernel.slices_of_history(waiting, current))
    assert len(slices) == 5  # 100 stretches wait, 30 have not ended
    places = [set(pl.concat([each.select(NAMES) for each in both]).rows()) for both in slices]
    assert sum(map(len, places)) == len(set().union(*places)) == 40
    for found, whole in (
        (pl.concat(part), whole) for part, whole in zip(zip(*slices, strict=True), (waiting, current), strict=True)
    ):
        assert sorted(found.rows(), key=str) == sorted(whole.rows(), key=str)


def test_few_stretches_are_one_slice(waiting: pl.DataFrame) -> None:
    ((first, second),) = kernel.slices_of_history(waiting.clear(), frame_of(range(3)))
    assert (first.height, second.height) == (0, 3)
