"""Every table has exactly the contract's columns, of its types, also when there is nothing to say."""

from __future__ import annotations

import pytest

from muster.pipeline.schemas import GOLD
from muster.pipeline.tables.columns import schema_of
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.oracle.build import build_gold
from tests.pipeline.oracle.silver import SILVER, finish_silver


def test_nothing_read_gives_empty_silver_of_the_right_shape() -> None:
    tables = finish_silver({})
    assert set(tables) == set(SILVER)
    for name, frame in tables.items():
        assert frame.schema == schema_of(name), name
        assert frame.is_empty(), name


def test_nothing_read_gives_empty_gold_of_the_right_shape() -> None:
    tables = build_gold({}, GoldSettings(now_ms=1_000))
    assert set(tables) == set(GOLD)
    for name, frame in tables.items():
        assert frame.schema == schema_of(name), name
        assert frame.is_empty(), name


def test_settings_that_make_no_sense_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="episode_gap_ms must be above 0, not 0"):
        GoldSettings(now_ms=0, episode_gap_ms=0)
