"""Tables of finished facts by a function of DataFrames: those that a lake has of the same log."""

from __future__ import annotations

from typing import Any

import pytest

from muster.pipeline import open_lake
from muster.pipeline.fold.facts import table_of_facts
from muster.pipeline.fold.partition import FoldSettings
from muster.pipeline.lake.reader import Lake
from muster.pipeline.now.kernel import NOW
from muster.pipeline.schemas import TABLES
from muster.pipeline.wide import APPENDED
from tests.pipeline.stream.lakes import SETTINGS, comparable, rows_in


@pytest.mark.parametrize(("table", "part"), [("g_rebalance", NOW), ("s_member_epoch", APPENDED)])
def test_table_is_that_of_the_lake(spark: Any, whole: Lake, table: str, part: str) -> None:
    """What may still change is there as it stands, and what is finished too."""
    lake = open_lake(spark, str(whole.location))
    nothing = lake.table("state").limit(0)
    made = table_of_facts(table, lake.table("log"), nothing, FoldSettings(SETTINGS))
    rows = made.toArrow().cast(TABLES[table])
    assert comparable(rows) == rows_in(whole, table) != []
    assert {file.part for file in whole.table_files(table)} == {part}


def test_a_table_of_now_is_none_of_facts(spark: Any) -> None:
    nothing = spark.range(0)
    with pytest.raises(ValueError, match="g_lag is none of s_group_generation, "):
        table_of_facts("g_lag", nothing, nothing, FoldSettings(SETTINGS))
