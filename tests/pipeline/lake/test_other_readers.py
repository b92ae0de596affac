"""Readers of Delta that know nothing of us read the same rows from wide files, structs and days that are directories.

From small tables that this test has written, before and after they are compacted, and from every table of a lake that Spark has.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import duckdb_extension_delta  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from deltalake import DeltaTable

from muster.pipeline.lake.compact import compact
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.retention import Retention
from muster.pipeline.lake.tables import schema_of
from tests.pipeline.lake.delta_lakes import AT_MS, publish, rows_of

TABLES = ("log", "state", "s_member", "g_lag", "g_rebalance")


def wide(rows: pa.Table) -> pa.Table:
    """As a round writes it: with the columns of other tables, all null."""
    others = [field for field in schema_of("state") if field.name not in rows.column_names]
    for field in others:
        rows = rows.append_column(field, pa.nulls(rows.num_rows, field.type))
    return rows


@pytest.fixture
def root(tmp_path: Path) -> Path:
    lake = tmp_path / "lake"
    extent = {"log_topic": "__consumer_offsets", "records": 7}
    for n in range(3):
        member = {"cluster": "c", "group_id": "g", "topics": ["a", "b"], "log_offset": n, "record_ms": AT_MS}
        generation = {"generation": n, "members": [{"member_id": "m", "topics": ["t"]}]}
        rebalance = {"cluster": "c", "group_id": "g", "generation": n, "joined": ["m"], "ended_ms": AT_MS}
        publish(
            lake,
            appended={
                "log": rows_of("log", [{"log_offset": n, "generation": generation, "dt": f"2027-01-1{n // 2}"}]),
                "s_member": wide(rows_of("s_member", [member])),
                "g_rebalance": wide(rows_of("g_rebalance", [rebalance])),
            },
            newest_ms=AT_MS,
        )
    now = {
        "g_lag": wide(rows_of("g_lag", [{"cluster": "c", "group_id": "g", "lag": 4, "coverage": 0.5}])),
        "g_rebalance": wide(rows_of("g_rebalance", [{"cluster": "c", "group_id": "open", "ended_ms": AT_MS}])),
    }
    publish(lake, replaced=now, gold_at_ms=AT_MS)
    publish(
        lake, replaced={"state": rows_of("state", [{"cluster": "c", "kind": "extent", "extent": extent}])}, part="3"
    )
    return lake


def by_duckdb(url: str) -> pa.Table:
    """With DuckDB's own extension, from its package: by itself DuckDB would download it."""
    (extension,) = Path(*duckdb_extension_delta.__path__).glob("extensions/*/delta.duckdb_extension")
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as database:
        database.execute(f"load '{extension}'")
        return database.execute("select * from delta_scan(?)", [url]).to_arrow_table()


def ordered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=repr)


@pytest.mark.parametrize("compacted", [False, True], ids=["as written", "compacted"])
@pytest.mark.parametrize("table", TABLES)
def test_polars_duckdb_and_delta_rs_read_what_we_read(root: Path, table: str, compacted: bool) -> None:
    if compacted:
        assert compact(Location.parse(root), Retention()).changed.keys() == {"log", "s_member", "g_rebalance"}
    lake = Lake.open(root)
    assert lake.arrow(table).num_rows
    assert_same_rows(lake, table)


def test_every_table_that_spark_wrote_is_read_alike(whole: Lake) -> None:
    for table in whole.tables:
        assert_same_rows(whole, table)
    filled = {table for table in whole.tables if whole.arrow(table).num_rows}
    assert filled >= {
        "log",
        "state",
        "ends",
        "s_current_offset",
        "s_group_generation",
        "g_lag",
        "g_lag_history",
        "g_status",
        "g_rebalance",
    }


def assert_same_rows(lake: Lake, table: str) -> None:
    ours = lake.arrow(table)
    url = lake.location.delta_table_url(table)
    by_delta = pa.table(DeltaTable(url).to_pyarrow_table())
    by_polars = pl.read_delta(url)
    assert set(by_delta.column_names) == set(by_polars.columns) == set(ours.column_names)
    expected = ordered(ours.to_pylist())
    assert ordered(by_delta.select(ours.column_names).to_pylist()) == expected
    assert ordered(by_polars.select(ours.column_names).to_dicts()) == expected
    assert ordered(by_duckdb(url).select(ours.column_names).to_pylist()) == expected
