"""A lake that nothing was read into yet, and one whose topics were never sampled."""

from __future__ import annotations

from typing import Any

import polars as pl

from muster.pipeline.ends.schema import ENDS
from muster.pipeline.fold.kernel import open_schema, state_schema
from muster.pipeline.now.build import table_of_now, tables_of_now
from muster.pipeline.now.history import Sampled
from muster.pipeline.now.schema import MINUTE
from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.now.oracle import all_rows, of_table
from tests.pipeline.now.state_of import state_of
from tests.pipeline.oracle.silver import finish_silver
from tests.pipeline.tables.rows import commit, frame, log_record

NOW = 1_700_000_000_000
SETTINGS = GoldSettings(now_ms=NOW)


def test_no_state_gives_no_rows(spark: Any) -> None:
    schemas = (state_schema(), ENDS, MINUTE, open_schema())
    state, ends, minutes, still_open = (spark.createDataFrame(schema.empty_table()) for schema in schemas)
    made = tables_of_now(state, ends, minutes, still_open, SETTINGS, Sampled(NOW, NOW))
    assert [rows.toArrow().num_rows for rows in made.values()] == [0, 0]


def test_positions_without_ends_and_open_rows_have_their_rows(spark: Any) -> None:
    decoded = frame("s_offset_commit", [commit(0, 5, NOW - 90_000)], decoded=True)
    rows = {"s_offset_commit": decoded, "b_log_record": frame("b_log_record", [log_record(0, NOW - 90_000)])}
    state = spark.createDataFrame(state_of(rows, finish_silver(rows)))
    ends, minutes = (spark.createDataFrame(schema.empty_table()) for schema in (ENDS, MINUTE))
    still_open = pl.DataFrame([{"of_table": "g_member", "cluster": "c", "identity": "m"}])
    made = tables_of_now(
        state, ends, minutes, spark.createDataFrame(still_open.to_arrow()), SETTINGS, Sampled(NOW, NOW)
    )
    found = all_rows(made)
    assert [row["method"] for row in of_table(found, "g_lag").to_dicts()] == ["no_end"]
    (minute,) = of_table(found, "g_lag_history", "now").to_dicts()
    assert (minute["minute_ms"], minute["committed"], minute["method"]) == (
        (NOW - 90_000) // 60_000 * 60_000,
        5,
        "no_end",
    )
    assert found.filter(pl.col("table") == "g_member")["part"].to_list() == ["now"]

    alone = table_of_now("g_expiry", state, ends, SETTINGS)
    assert alone.columns == TABLES["g_expiry"].names
