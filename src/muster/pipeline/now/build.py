"""The tables of now, wired together: one wide DataFrame from the state and the ends.

    state, ends -> positions beside their ends -> kernel `standing` -> lag          \
                                  + facts of groups -> status, expiry, abandoned     > rows of all tables, written at once
    minutes, ends -> kernel `history` -> lag by minute                              /

Each part can be had alone: `standings` is a DataFrame that every table of positions and groups is a `select` of.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from muster.pipeline.fold.kernel import FACTS
from muster.pipeline.now.abandoned import ABANDONED, group_commits, with_abandoned
from muster.pipeline.now.expiry import EXPIRY, with_expiry
from muster.pipeline.now.history import HISTORY, lag_history
from muster.pipeline.now.lag import CURRENT, GROUP_LAG, LAG, group_sums, with_group_lag, with_lag
from muster.pipeline.now.one_pass import select_all
from muster.pipeline.now.positions import of_kind, positions_and_ends
from muster.pipeline.now.quality import data_quality
from muster.pipeline.now.standing import STANDING, standing_kernel
from muster.pipeline.now.status import STATUS, with_status
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.wide import PART, TABLE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NOW: Final = "now"
OF_POSITIONS: Final = (LAG, STATUS, EXPIRY, CURRENT, GROUP_LAG, ABANDONED)
"""Tables that are made of `standings`."""
NOW_TABLES: Final = (
    *(each.table for each in OF_POSITIONS),
    HISTORY,
    "g_data_quality",
    *(name for name in FACTS if name.startswith("g_")),
)
"""Tables that have a part `now`, which each making of them replaces."""
_OF_GROUP: Final = ("type", "state", "protocol_type", "n_members", "empty_since_ms", "topics", "moved")


def standings(state: DataFrame, ends: DataFrame, settings: GoldSettings) -> DataFrame:
    """Every position of every group with all that is known of it, its group and its ends; and a row for each group itself.

    `one_pass.select` takes a table out of it: `select(standings(...), LAG)` is `g_lag`.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F
    from pyspark.sql.pandas.types import from_arrow_schema

    looked_up = positions_and_ends(state, ends).mapInArrow(standing_kernel(settings), from_arrow_schema(STANDING))
    groups = of_kind(state, "group").select("cluster", "group_id", F.struct(*_OF_GROUP).alias("group"))
    rows = with_lag(looked_up, settings).unionByName(groups, allowMissingColumns=True)
    # A group's facts and sums stand in each of its rows; the row of the group itself, or else its first, is the group's.
    of_group = Window.partitionBy("cluster", "group_id")
    place = F.struct("topic", "partition")
    shared = {name: sums.over(of_group) for name, sums in (group_sums() | group_commits()).items()}
    rows = rows.withColumns({name: F.coalesce(name, F.lit(False)) for name in ("is_position", "is_current")})
    rows = rows.withColumns(
        {
            "group": F.first("group", ignorenulls=True).over(of_group),
            "is_group": place == F.min(place).over(of_group),
            **shared,
        }
    )
    rows = with_abandoned(with_expiry(with_group_lag(rows), settings), settings)
    return with_status(rows, settings)


def tables_of_positions(state: DataFrame, ends: DataFrame, settings: GoldSettings) -> DataFrame:
    return select_all(standings(state, ends, settings), OF_POSITIONS, NOW)


def tables_of_now(
    state: DataFrame,
    ends: DataFrame,
    minutes: DataFrame,
    open_rows: DataFrame | None,
    settings: GoldSettings,
    sampled_ms: int,
) -> DataFrame:
    """Rows of all tables of now, and of `minute`, as one wide DataFrame.

    `state`, `ends` and `minutes` are the rows of those tables, `open_rows` rows of appended tables that may still change, with the
    name of their table in `of_table`. `sampled_ms` is up to when the ends of topics were sampled.
    """
    from pyspark.sql import functions as F

    quality = data_quality(state).select(F.lit("g_data_quality").alias(TABLE), F.lit(NOW).alias(PART), "*")
    parts = [
        tables_of_positions(state, ends, settings),
        lag_history(state, ends, minutes, settings, sampled_ms),
        quality,
    ]
    if open_rows is not None:
        still_open = open_rows.withColumnRenamed("of_table", TABLE)
        parts.append(still_open.withColumn(PART, F.lit(NOW)))
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)
