"""`g_lag` and `g_group_lag`: where each group stands in each partition now, in records and in time, and how fast it goes.

Expressions over the rows of `standing`, which has looked up what the ends say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muster.pipeline.now.one_pass import Selected
from muster.pipeline.tables.settings import GoldSettings

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

LAG: Final = Selected("g_lag", "is_position", {"end": "leo", "at_ms": "end_ms", "commit_ms": "positioned_ms"})
GROUP_LAG: Final = Selected("g_group_lag", "is_group_lag", {"at_ms": "group_at_ms"})
CURRENT: Final = Selected("s_current_offset", "is_current")
_TIMES: Final = ("time_lag_lo_ms", "time_lag_hi_ms", "time_lag_est_ms")
_LATE: Final = ("lag_at_commit_lo_ms", "lag_at_commit_hi_ms")


def with_lag(rows: DataFrame, settings: GoldSettings) -> DataFrame:
    """Rows of `STANDING` with the columns of `g_lag`."""
    from pyspark.sql import functions as F

    positioned = F.col("committed_offset") >= 0
    rows = rows.withColumns(
        {
            "is_position": F.lit(True),
            "is_current": F.col("log_offset").isNotNull(),
            "committed": F.when(positioned, F.col("committed_offset")),
            # -1 is no position: nothing was said at that time that could become old.
            "positioned_ms": F.when(positioned, F.col("commit_ms")),
        }
    )
    rows = rows.withColumns({"lag_raw": F.col("leo") - F.col("committed"), "method": _method(settings.clock_skew_ms)})
    unread = F.col("leo") - F.greatest("committed", "log_start")
    rows = rows.withColumn("lag", F.when(F.col("lag_raw").isNotNull(), F.greatest(unread, F.lit(0))))
    return _finished(rows, settings)


def _method(skew_ms: int) -> Column:
    from pyspark.sql import functions as F

    # A commit that is younger than the sample may lie behind it rightly: only an older one is ahead of the end (trap 20), and
    # only if no difference of the two clocks explains it (trap 19).
    ahead = (F.col("leo") < F.col("committed")) & (
        F.col("begin_ms") > F.try_add(F.col("positioned_ms"), F.lit(skew_ms))
    )
    return (
        F.when(F.col("committed").isNull(), F.lit("no_position"))
        .when(F.col("leo").isNull(), F.lit("no_end"))
        .when(ahead, F.lit("ahead"))
        .otherwise(F.col("time_lag_method"))
    )


def _finished(rows: DataFrame, settings: GoldSettings) -> DataFrame:
    from pyspark.sql import functions as F

    positioned = F.col("committed").isNotNull() & F.col("leo").isNotNull()
    there = positioned & (F.col("method") != "ahead")
    # What was unread at that commit is no longer there: how old it was is not known any more, which is not that it was young.
    deleted = F.coalesce(F.col("committed") < F.col("log_start"), F.lit(False))
    faster = F.col("consume_rate") - F.coalesce(F.col("produce_rate"), F.lit(0.0))
    eta = F.when(F.col("lag") == 0, F.lit(0.0)).when(faster > 0, F.try_divide(F.col("lag") * 1000.0, faster))
    since = F.try_subtract(F.coalesce(F.col("end_ms"), F.lit(settings.now_ms)), F.col("faithful_ms"))
    age = F.try_subtract(F.lit(settings.now_ms), F.col("positioned_ms"))
    return rows.withColumns(
        {name: F.when(there, F.col(name)) for name in _TIMES}
        | {name: F.when(positioned & ~deleted, F.col(name)) for name in _LATE}
        | {
            "consume_rate": F.when(F.col("committed").isNotNull(), F.col("consume_rate")),
            "commit_age_ms": F.when(age.isNotNull(), F.greatest(age, F.lit(0))),
            "eta_ms": F.when(positioned, eta.try_cast("bigint")),
            "coverage": F.when(
                F.col("faithful_ms").isNotNull(),
                F.least(F.greatest(since / F.lit(float(settings.rate_window_ms)), F.lit(0.0)), F.lit(1.0)),
            ),
            "provisional": F.lit(settings.provisional),
        }
    )


def group_sums() -> dict[str, Column]:
    """Aggregates over all rows of a group. Partitions without a position are counted, never summed (trap 18)."""
    from pyspark.sql import functions as F

    lag, is_position = F.col("lag"), F.col("is_position")
    return {
        "group_at_ms": F.max(F.when(is_position, F.col("end_ms"))),
        "n_partitions": F.count(F.when(is_position, 1)),
        "n_no_position": F.count(F.when(F.col("method") == "no_position", 1)),
        "n_no_end": F.count(F.when(F.col("method") == "no_end", 1)),
        "lag_sum": F.try_sum(lag),
        "lag_max": F.max(lag),
        "lag_mean": F.avg(lag),
        "time_lag_max_ms": F.max(F.coalesce("time_lag_est_ms", "time_lag_lo_ms")),
    }


def with_group_lag(rows: DataFrame) -> DataFrame:
    """Skew is the largest lag over the mean."""
    from pyspark.sql import functions as F

    skew = F.when(F.col("lag_mean") > 0, F.col("lag_max") / F.col("lag_mean"))
    return rows.withColumns({"skew": skew, "is_group_lag": F.col("is_group") & (F.col("n_partitions") > 0)})
