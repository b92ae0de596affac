"""The tables of now, wired together: wide DataFrames from the state and the ends.

    state, ends, minutes --> rows of whole log partitions, with the ends of their topics --> kernel --> lag, status, expiry ...
    open rows ------------------------------------------------------------------------------------> as they are

Bringing rows together is Spark's; the kernel gets everything of its log partitions at once, and no row passes Java twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from muster.pipeline.fold.kernel import FACTS, OF_TABLE, STATE_PARTS
from muster.pipeline.now.groups import OF_GROUPS
from muster.pipeline.now.history import HISTORY, Sampled
from muster.pipeline.now.input import INPUT, now_input
from muster.pipeline.now.kernel import NOW, WIDE, now_kernel
from muster.pipeline.now.schema import TABLE as MINUTES
from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.wide import BATCH, PART, TABLE, map_wide

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NOW_STEPS: Final = {
    "now": (*OF_GROUPS, HISTORY, MINUTES),
    "open": tuple(name for name in FACTS if name.startswith("g_")),
}
"""The tables that are made together. In two steps, since a row has all columns of its step and those of `open` are a hundred."""
TASK_BYTES: Final = 8_000_000
"""Of the state's files, some 100,000 positions, for which Spark is asked to run one more task."""
MOST_TASKS: Final = 64
_NO_BATCHES: Final = dict.fromkeys(NOW_STEPS, "")
NOW_TABLES: Final = tuple(name for tables in NOW_STEPS.values() for name in tables if name != MINUTES)
"""Tables that have a part `now`, which each making of them replaces."""


def tables_of_now(
    state: DataFrame,
    ends: DataFrame,
    minutes: DataFrame,
    open_rows: DataFrame,
    settings: GoldSettings,
    sampled: Sampled,
    tasks: int = STATE_PARTS,
    batches: Mapping[str, str] = _NO_BATCHES,
) -> dict[str, DataFrame]:
    """Rows of all tables of now, and of `minute`, as wide DataFrames by step.

    `state`, `ends` and `minutes` are the rows of those tables, `open_rows` rows of appended tables that may still change, with the
    name of their table in `of_table`. `tasks`: how many of Spark's; `batches`: the batch that each step writes.
    """
    from pyspark.sql import functions as F

    rows = now_input(state, ends, minutes, tasks)
    return {
        "now": map_wide(rows, now_kernel(settings, sampled), INPUT, WIDE, batches["now"]),
        "open": open_rows.withColumnRenamed(OF_TABLE, TABLE).withColumns(
            {PART: F.lit(NOW), BATCH: F.lit(batches["open"])}
        ),
    }


def tasks_for(state_bytes: int) -> int:
    """How many tasks: each holds the positions of its log partitions as a whole."""
    return max(1, min(MOST_TASKS, -(-state_bytes // TASK_BYTES)))


def tables_of_groups(state: DataFrame, ends: DataFrame, settings: GoldSettings, tasks: int = STATE_PARTS) -> DataFrame:
    """Wide rows of the tables in `OF_GROUPS`."""
    return map_wide(now_input(state, ends, None, tasks), now_kernel(settings, None), INPUT, WIDE, "")


def table_of_now(name: str, state: DataFrame, ends: DataFrame, settings: GoldSettings) -> DataFrame:
    """One of the tables in `OF_GROUPS` alone, with exactly its documented columns: `table_of_now("g_lag", ...)`."""
    from pyspark.sql import functions as F

    return tables_of_groups(state, ends, settings).where(F.col(TABLE) == name).select(*TABLES[name].names)
