"""Positions with lag of which nobody knows how late they are: what to ask the source for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muster.pipeline.sources.record_times import MOST_RECORDS, RecordPlace
from muster.pipeline.wide import TABLE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

LAG: Final = "g_lag"
_GOLDEN_RATIO: Final = (5**0.5 - 1) / 2
"""The fractions of its multiples are spread evenly between 0 and 1, and so are those of every second multiple, or every third."""


def has_unknown_time(cluster: str) -> Column:
    """Whether a row of `g_lag` is such a position: what it has yet to read was there before the first sample (analytics 2.2)."""
    from pyspark.sql import functions as F

    return (F.col("cluster") == cluster) & (F.col("method") == "left_bound") & (F.col("lag") > 0)


def count_unknown(cluster: str) -> Column:
    """How many there are among wide rows."""
    from pyspark.sql import functions as F

    return F.count(F.when((F.col(TABLE) == LAG) & has_unknown_time(cluster), 1))


def places_to_ask(lag: DataFrame, cluster: str, unknown: int, turn: int) -> list[RecordPlace]:
    """A portion of the first unread records of the `unknown` positions, longest lag first, from any place of it on.

    `turn`: a number that grows from one time to the next, it does not matter by how much. See `portion_of`.
    """
    from pyspark.sql import functions as F

    portion, share = portion_of(turn, -(-unknown // MOST_RECORDS))
    first_unread = F.greatest("committed", "log_start").alias("offset")
    rows = lag.where(has_unknown_time(cluster)).select("topic", "partition", first_unread, "lag")
    rows = rows.groupBy("topic", "partition", "offset").agg(F.max("lag").alias("lag"))
    rows = rows.orderBy(F.desc("lag"), "topic", "partition", "offset").offset(portion * MOST_RECORDS)
    return from_share_on([RecordPlace(*row[:3]) for row in rows.limit(MOST_RECORDS).collect()], share)


def portion_of(turn: int, portions: int) -> tuple[int, float]:
    """Which portion it is in this turn, and from which share of it on: in turn 0 the first one, from its beginning on.

    Whoever asks may have to stop before the last place, and the source does not know the times of some. If each turn began with
    those, the others would never be asked for.
    """
    at = turn * _GOLDEN_RATIO % 1 * portions
    portion = min(int(at), portions - 1)
    return portion, at - portion


def from_share_on(places: list[RecordPlace], share: float) -> list[RecordPlace]:
    """The same places, beginning with another one. `share`: of the places that come last then, from 0 to 1."""
    first = int(share * len(places))
    return places[first:] + places[:first]
