"""A lake that was made before the last stable offset was known: it is read, goes on, and learns it with the next run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from muster.pipeline.lake.reader import Lake
from tests.pipeline.stream.lakes import COMPARED, LakeRun, rows_in, source_of

NEW = ("lso", "readable_end", "stable_end", "stable_lag", "stable_lag_sum", "n_time_open")
NEW_OF_ROUNDS = ("queries", "readers", "ends", "journals")


def as_it_was(root: Path) -> None:
    """The files without the columns that came since."""
    for table in ("ends", "g_lag", "g_group_lag", "b_leo_sample", "rounds"):
        new = NEW_OF_ROUNDS if table == "rounds" else NEW
        for file in root.glob(f"table={table}/**/*.parquet"):
            rows = pq.read_table(file, partitioning=None)
            pq.write_table(rows.drop_columns([name for name in new if name in rows.column_names]), file)


def test_older_lake_knows_the_last_stable_offset_after_the_next_run(
    spark: Any, data: Path, whole: Lake, lake_of_one_run: Path
) -> None:
    as_it_was(lake_of_one_run)
    before = Lake.open(lake_of_one_run).arrow("g_lag", ["lag", "stable_lag"])
    assert before["lag"].null_count < before.num_rows == before["stable_lag"].null_count
    found = LakeRun(spark, lake_of_one_run, source_of(data)).run()
    assert [table for table in COMPARED if rows_in(found, table) != rows_in(whole, table)] == []
    assert found.arrow("g_lag", ["stable_lag"])["stable_lag"].null_count < before.num_rows
