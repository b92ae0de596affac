"""`g_abandoned`: groups that nobody seems to use, with a score from 0 to 1 and what speaks for it (analytics 2.9).

Only groups without members are candidates. A reader decides; nothing is deleted here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muster.pipeline.now.one_pass import Selected
from muster.pipeline.tables.settings import GoldSettings

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ABANDONED: Final = Selected(
    "g_abandoned",
    "is_abandoned",
    {"lag": "lag_sum", "evidence": "abandoned_evidence", "empty_since_ms": "group_empty_since_ms"},
)
_LONG: Final = 7
"""So many times `abandoned_after_ms` give full weight."""
_GENERATED: Final = r"^(console-consumer-\d+|.*[-_.]?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|.*[-_.][0-9a-f]{16,})\z"
_HOUR_MS: Final = 3_600_000


def group_commits() -> dict[str, Column]:
    """Aggregates over all rows of a group that this table needs, beside those of `lag.group_sums`."""
    from pyspark.sql import functions as F

    return {
        "last_commit_ms": F.max(F.when(F.col("is_current"), F.col("commit_ms"))),
        "n_current": F.count(F.when(F.col("is_current"), 1)),
        "is_growing": F.max(F.col("produce_rate") > 0),
    }


def with_abandoned(rows: DataFrame, settings: GoldSettings) -> DataFrame:
    from pyspark.sql import functions as F

    after = settings.abandoned_after_ms
    empty_ms = F.try_subtract(F.lit(settings.now_ms), F.col("group.empty_since_ms"))
    silent_ms = F.try_subtract(F.lit(settings.now_ms), F.col("last_commit_ms"))
    growing = F.coalesce(F.col("is_growing"), F.lit(False))
    gone = (F.col("n_no_end") == F.col("n_current")) & F.col("is_growing").isNotNull()
    weights = {
        "_empty": _share(empty_ms, after, 0.3),
        "_silent": _share(silent_ms, after, 0.3),
        "_lagging": _if(F.col("lag_sum") > 0, F.when(growing, F.lit(0.15)).otherwise(F.lit(0.05))),
        "_named": _if(F.col("group_id").rlike(_GENERATED), F.lit(0.15)),
        "_topicless": _if(gone, F.lit(0.15)),
        "_still": _if(~F.coalesce(F.col("group.moved"), F.lit(False)), F.lit(0.1)),
    }
    words = {
        "_empty": F.concat(F.lit("empty for "), _hours(empty_ms)),
        "_silent": F.concat(F.lit("no commit for "), _hours(silent_ms)),
        "_lagging": F.concat(
            F.lit("lag "), F.col("lag_sum").cast("string"), F.when(growing, F.lit(" and growing")).otherwise(F.lit(""))
        ),
        "_named": F.lit("its name looks generated"),
        "_topicless": F.lit("no end offset is known of any of its topics"),
        "_still": F.lit("never moved on"),
    }
    rows = rows.withColumns(weights)
    total = sum((F.col(name) for name in weights), F.lit(0.0))
    is_known = (F.col("n_current") > 0) | F.col("group.type").isNotNull()
    nobody = F.coalesce(F.col("group.n_members"), F.lit(0)) == 0
    quiet = (F.col("_silent") > 0) | (F.col("_empty") > 0)
    said = F.concat_ws("; ", *(F.when(F.col(name) > 0, text) for name, text in words.items()))
    return rows.withColumns(
        {
            "score": F.least(F.bround(total, 3), F.lit(1.0)),
            "abandoned_evidence": said,
            "group_empty_since_ms": F.col("group.empty_since_ms"),
            "is_abandoned": F.col("is_group") & is_known & nobody & quiet,
        }
    ).drop(*weights)


def _if(condition: Column, weight: Column) -> Column:
    from pyspark.sql import functions as F

    return F.when(condition, weight).otherwise(F.lit(0.0))


def _share(ms: Column, after_ms: int, weight: float) -> Column:
    """Nothing before `after_ms`, half the weight then, all of it after seven times as long."""
    from pyspark.sql import functions as F

    grown = F.least(F.lit(0.5) + (ms - after_ms) / F.lit(2.0 * (_LONG - 1) * after_ms), F.lit(1.0))
    return _if(ms >= after_ms, grown * weight)


def _hours(ms: Column) -> Column:
    from pyspark.sql import functions as F

    return F.concat(F.bround(ms / F.lit(float(_HOUR_MS)), 1).cast("string"), F.lit(" h"))
