"""`g_member_churn`: how many came and went a day.

Static restarts are not churn (trap 32). Who left by itself and who expired is known from the journal; without one `expiries` is
null, not zero (trap 33). Counts of a day can be added up piece by piece.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, Column, Frame, conform, utc_date

_DAY = (*GROUP, "dt")
DAY_COUNTS = ("joins", "gone", "rebalances", "restarts", "told_left", "told_expelled", "told_joined")
"""What happened in a group on a day: by the log, and by the journal."""


def rebalance_days(rebalances: Frame) -> Frame:
    return rebalances.group_by(*GROUP, dt=utc_date(pl.col("ended_ms"))).agg(
        joins=pl.col("joined").list.len().cast(pl.Int32).sum(),
        gone=pl.col("gone").list.len().cast(pl.Int32).sum(),
        rebalances=pl.len().cast(pl.Int32),
    )


def restart_days(generations: Frame) -> Frame:
    rows = generations.filter(pl.col("kind") == "static_replace")
    return rows.group_by(*GROUP, dt=utc_date(pl.col("record_ms"))).agg(restarts=pl.len().cast(pl.Int32))


def told_days(journal: Frame) -> Frame:
    """Days of which the journal has anything to say: what it does not mention did not happen."""

    def times(kind: str) -> Column:
        return (pl.col("kind") == kind).sum().cast(pl.Int32)

    return journal.group_by(*GROUP, dt=utc_date(pl.col("at_ms"))).agg(
        told_left=times("member_left"), told_expelled=times("member_expelled"), told_joined=times("member_joined")
    )


def added_days(days: list[Frame]) -> Frame:
    """Counts of the same group and day put together; `told_*` are null where the journal said nothing."""
    empty = pl.DataFrame(schema={**dict.fromkeys(_DAY, pl.String), **dict.fromkeys(DAY_COUNTS, pl.Int32)})
    rows = pl.concat([empty, *days], how="diagonal_relaxed")
    said = {name: pl.when(pl.col(name).is_not_null().any()).then(pl.col(name).sum()) for name in DAY_COUNTS}
    return rows.group_by(_DAY, maintain_order=True).agg(**said)


def finished_days(days: Frame) -> Frame:
    with_journal = pl.col("told_left").is_not_null()
    return conform(
        days.with_columns(
            # The journal also sees members that came and went between two generations.
            joins=pl.when(with_journal).then("told_joined").otherwise(pl.col("joins").fill_null(0)),
            leaves=pl.when(with_journal).then("told_left").otherwise(pl.col("gone").fill_null(0)),
            expiries=pl.col("told_expelled"),
            static_restarts=pl.col("restarts").fill_null(0),
            rebalances=pl.col("rebalances").fill_null(0),
        ),
        "g_member_churn",
    )
