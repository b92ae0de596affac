"""Every table has exactly the contract's columns, of its types, also when there is nothing to say."""

from __future__ import annotations

from typing import Any

import pytest

from muster.pipeline.schemas import GOLD, SILVER, spark_schema
from muster.pipeline.tables.build import build_gold
from muster.pipeline.tables.columns import no_rows
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.silver import finish_silver


def _shape(frame: Any) -> list[tuple[str, str]]:
    return [(field.name, field.dataType.simpleString()) for field in frame.schema]


def _wanted(table: str) -> list[tuple[str, str]]:
    return [(field.name, field.dataType.simpleString()) for field in spark_schema(table)]


def test_nothing_read_gives_empty_silver_of_the_right_shape(spark: Any) -> None:
    tables = finish_silver({}, spark)
    assert set(tables) == set(SILVER)
    for name, frame in tables.items():
        assert _shape(frame) == _wanted(name), name
        assert frame.count() == 0, name


def test_nothing_read_gives_empty_gold_of_the_right_shape(spark: Any) -> None:
    tables = build_gold({name: no_rows(spark, name) for name in SILVER}, GoldSettings(now_ms=1_000))
    assert set(tables) == set(GOLD)
    for name, frame in tables.items():
        assert _shape(frame) == _wanted(name), name
        assert frame.count() == 0, name
    spark.catalog.clearCache()


def test_no_tables_at_all_are_refused_with_what_is_missing() -> None:
    with pytest.raises(ValueError, match="at least one table"):
        build_gold({}, GoldSettings(now_ms=0))


def test_settings_that_make_no_sense_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="episode_gap_ms must be above 0, not 0"):
        GoldSettings(now_ms=0, episode_gap_ms=0)
