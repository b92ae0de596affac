"""Positions with lag of which nobody knows how late they are: what to ask the source for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muster.pipeline.sources.record_times import MOST_RECORDS, RecordPlace
from muster.pipeline.wide import TABLE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

LAG: Final = "g_lag"
_TURNS: Final = 8
"""After about so many turns every place was among the first."""


def has_unknown_time(cluster: str) -> Column:
    """Whether a row of `g_lag` is such a position: what it has yet to read was there before the first sample (analytics 2.2)."""
    from pyspark.sql import functions as F

    return (F.col("cluster") == cluster) & (F.col("method") == "left_bound") & (F.col("lag") > 0)


def count_unknown(cluster: str) -> Column:
    """How many there are among wide rows."""
    from pyspark.sql import functions as F

    return F.count(F.when((F.col(TABLE) == LAG) & has_unknown_time(cluster), 1))


def places_to_ask(lag: DataFrame, cluster: str, unknown: int, turn: int) -> list[RecordPlace]:
    """A portion of the first unread records of the `unknown` positions, longest lag first; portions take turns, from 0 on."""
    from pyspark.sql import functions as F

    portion = turn % -(-unknown // MOST_RECORDS)
    first_unread = F.greatest("committed", "log_start").alias("offset")
    rows = lag.where(has_unknown_time(cluster)).select("topic", "partition", first_unread, "lag")
    rows = rows.groupBy("topic", "partition", "offset").agg(F.max("lag").alias("lag"))
    rows = rows.orderBy(F.desc("lag"), "topic", "partition", "offset").offset(portion * MOST_RECORDS)
    return turned([RecordPlace(*row[:3]) for row in rows.limit(MOST_RECORDS).collect()], turn)


def turned(places: list[RecordPlace], turn: int) -> list[RecordPlace]:
    """The same, beginning at another place each turn: whoever asks may have to stop early, and some are never answered."""
    first = turn * (len(places) // _TURNS + 1) % max(len(places), 1)
    return places[first:] + places[:first]
