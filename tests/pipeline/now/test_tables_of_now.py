"""Tables of now from state and ends are those that are made of all rows at once, in every situation that is easy to get wrong."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from muster.pipeline.now.build import tables_of_groups
from muster.pipeline.now.groups import OF_GROUPS
from muster.pipeline.tables.columns import GROUP, POSITION
from tests.pipeline.now.oracle import assert_same, of_table
from tests.pipeline.now.state_of import ends_of, state_of
from tests.pipeline.oracle.build import GoldSettings, build_gold
from tests.pipeline.oracle.silver import finish_silver
from tests.pipeline.tables.rows import Row, frame, log_record
from tests.pipeline.tables.test_gold_situations import NOW, SITUATIONS
from tests.pipeline.tables.test_transactional_situations import SITUATIONS as TRANSACTIONAL

KEYS = {
    "g_lag": POSITION,
    "g_status": POSITION,
    "g_expiry": POSITION,
    "s_current_offset": POSITION,
    "s_pending_offset": (*POSITION, "producer_id"),
    "g_group_lag": GROUP,
    "g_abandoned": GROUP,
}


def test_every_table_of_now_is_compared() -> None:
    """The situations say nothing of data quality; `test_lag_history` compares it."""
    assert KEYS.keys() == {*OF_GROUPS} - {"g_data_quality"}, (
        "say in KEYS which columns make a row of a new table unique"
    )


@pytest.fixture(scope="module", params=[1, 16], ids=["one task", "a task for some log partitions"])
def tables(request: pytest.FixtureRequest, spark: Any) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    names = (
        *("s_offset_commit", "b_leo_sample", "s_group_generation", "s_member", "s_assignment"),
        *("s_group_epoch", "s_member_epoch"),
    )
    situations = {**SITUATIONS, **TRANSACTIONAL}
    rows_of: dict[str, list[Row]] = {
        name: [{**row, "cluster": situation} for situation, rows in situations.items() for row in rows.get(name, ())]
        for name in names
    }
    records = [
        log_record(row["log_offset"], row["record_ms"], cluster=row["cluster"])
        for row in rows_of["s_offset_commit"] + rows_of["s_group_generation"]
    ]
    rows = {name: frame(name, of_name, decoded=True) for name, of_name in rows_of.items()}
    rows["b_log_record"] = frame("b_log_record", records)
    silver = finish_silver(rows)
    settings = GoldSettings(now_ms=NOW)
    expected = {**build_gold({**rows, **silver}, settings), **silver}
    state, ends = (spark.createDataFrame(table) for table in (state_of(rows, silver), ends_of(rows)))
    wide = tables_of_groups(state, ends, settings, tasks=request.param).toArrow()
    return pl.DataFrame(pl.from_arrow(wide)), expected


@pytest.mark.parametrize("table", KEYS)
def test_table_is_the_one_of_all_rows(tables: tuple[pl.DataFrame, dict[str, pl.DataFrame]], table: str) -> None:
    wide, expected = tables
    assert_same(of_table(wide, table, "now"), expected[table], KEYS[table])
