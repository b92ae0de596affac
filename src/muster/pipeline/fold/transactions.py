"""Commits inside transactions: the first marker of their producer behind them decides whether they are ever applied."""

from __future__ import annotations

import polars as pl

from muster.wire.special_values import COMMIT_MARKER


def decide(undecided: pl.DataFrame, markers: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(commits that are applied now, with the marker's offset as `arrival`; commits that go on waiting). Aborted ones are gone."""
    if undecided.is_empty():
        return undecided.with_columns(arrival="log_offset"), undecided
    ends = markers.filter(pl.col("control_type").is_not_null()).select(
        pl.col("producer_id").fill_null(-1), arrival="log_offset", _kind="control_type"
    )
    found = (
        undecided.with_columns(_producer=pl.col("producer_id").fill_null(-1))
        .sort("log_offset")
        .join_asof(
            ends.sort("arrival"),
            left_on="log_offset",
            right_on="arrival",
            by_left="_producer",
            by_right="producer_id",
            strategy="forward",
            allow_exact_matches=False,
            check_sortedness=False,
            coalesce=False,
        )
    )
    waiting = found.filter(pl.col("arrival").is_null()).select(undecided.columns)
    applied = found.filter(pl.col("_kind") == COMMIT_MARKER).select(*undecided.columns, "arrival")
    # A transaction that asks for a position again replaces what it wanted before.
    return applied.unique(["group_id", "topic", "partition", "arrival"], keep="last", maintain_order=True), waiting
