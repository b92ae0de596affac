"""The tables of now, wired together: wide DataFrames from the state and the ends.

    state, ends --> positions beside their ends --> kernel `standing` --\
    groups and extents of the state ---------------------------------------> kernel `groups` --> lag, status, expiry ...
    minutes, state, ends --> stretches beside their ends --> kernel `history` --> lag by minute

Joins, filters and unions are Spark's; a kernel gets rows that are already together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from muster.pipeline.arrow_map import map_arrow
from muster.pipeline.ends.whole_keys import together
from muster.pipeline.fold.kernel import FACTS, OF_TABLE
from muster.pipeline.fold.state import KINDS
from muster.pipeline.now.groups import NOW, OF_GROUPS, PLACE, WIDE, groups_kernel
from muster.pipeline.now.history import HISTORY, lag_history
from muster.pipeline.now.positions import POSITIONS, WAITING, positions_and_ends, waiting_positions
from muster.pipeline.now.schema import TABLE as MINUTES
from muster.pipeline.now.standing import STANDING, standing_kernel
from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.wide import PART, TABLE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NOW_STEPS: Final = {
    "groups": OF_GROUPS,
    "history": (HISTORY, MINUTES),
    "open": tuple(name for name in FACTS if name.startswith("g_")),
}
"""The tables that are made together. In steps, since a row has all columns of its step: as one they cost twice as much."""
NOW_TABLES: Final = tuple(name for tables in NOW_STEPS.values() for name in tables if name != MINUTES)
"""Tables that have a part `now`, which each making of them replaces."""
_OF_GROUP: Final = ("group", "extent")
_STANDING_AND_GROUPS: Final = pa.schema(
    [*STANDING, *(pa.field(kind, KINDS[kind]) for kind in _OF_GROUP), pa.field("waiting", pa.list_(WAITING))]
)


def tables_of_now(
    state: DataFrame,
    ends: DataFrame,
    minutes: DataFrame,
    open_rows: DataFrame,
    settings: GoldSettings,
    sampled_ms: int,
) -> dict[str, DataFrame]:
    """Rows of all tables of now, and of `minute`, as wide DataFrames by step.

    `state`, `ends` and `minutes` are the rows of those tables, `open_rows` rows of appended tables that may still change, with the
    name of their table in `of_table`. `sampled_ms` is up to when the ends of topics were sampled.
    """
    from pyspark.sql import functions as F

    return {
        "groups": tables_of_groups(state, ends, settings),
        "history": lag_history(state, ends, minutes, settings, sampled_ms),
        "open": open_rows.withColumnRenamed(OF_TABLE, TABLE).withColumn(PART, F.lit(NOW)),
    }


def tables_of_groups(state: DataFrame, ends: DataFrame, settings: GoldSettings) -> DataFrame:
    """Wide rows of the tables in `OF_GROUPS`."""
    from pyspark.sql import functions as F

    positions = map_arrow(positions_and_ends(state, ends), standing_kernel(settings), POSITIONS, STANDING)
    others = state.where(F.col("kind").isin(*_OF_GROUP)).select(*PLACE, *_OF_GROUP)
    others = others.unionByName(waiting_positions(state), allowMissingColumns=True)
    rows = together(positions.unionByName(others, allowMissingColumns=True), PLACE)
    return map_arrow(rows, groups_kernel(settings), _STANDING_AND_GROUPS, WIDE)


def table_of_now(name: str, state: DataFrame, ends: DataFrame, settings: GoldSettings) -> DataFrame:
    """One of the tables in `OF_GROUPS` alone, with exactly its documented columns: `table_of_now("g_lag", ...)`."""
    from pyspark.sql import functions as F

    return tables_of_groups(state, ends, settings).where(F.col(TABLE) == name).select(*TABLES[name].names)
