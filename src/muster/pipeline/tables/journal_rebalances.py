"""What the journal knows of each rebalance: from the first event that shook a group to the moment it was stable or empty again.

One row a rebalance that ended. Rounds that were cut short on the way belong to it: its cause and its trigger are those of the first
round, its phases those of the last. Joined to the log's generations by group, generation and time; either may lack the other's row.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, Column, Frame, is_true

_NUMBERS = ("started_ms", "join_phase_ms", "sync_phase_ms", "waited_ms", "members")
_TEXTS = ("result", "started_by", "waited_for", "protocol")


def journal_rebalances(journal: Frame) -> Frame:
    rounds = journal.filter(pl.col("kind").is_in(["rebalance_started", "rebalance_ended"])).sort(*GROUP, "log_offset")
    is_end = pl.col("kind") == "rebalance_ended"
    rounds = rounds.with_columns(**_details()).with_columns(_over=is_end & is_true(pl.col("d_result") != "interrupted"))
    # Ends before this row: all rows of one rebalance count the same.
    over = pl.col("_over").cast(pl.Int64)
    rounds = rounds.with_columns(_nth=over.cum_sum().over(GROUP) - over)
    start, end = pl.col("kind") == "rebalance_started", pl.col("_over")

    def first(name: str) -> Column:
        return pl.col(name).filter(start).first()

    def last(name: str) -> Column:
        return pl.col(name).filter(end).last()

    told = rounds.group_by(*GROUP, "_nth", maintain_order=True).agg(
        _ended=end.any(),
        j_generation=last("generation"),
        # A coordinator that took over in the middle told no start; the end still says what began it.
        j_started_ms=pl.coalesce(first("at_ms"), last("d_started_ms")),
        j_ended_ms=last("at_ms"),
        j_cause=pl.coalesce(first("cause"), last("d_started_by")),
        j_trigger=first("member_id"),
        j_reason=first("reason"),
        j_result=last("d_result"),
        j_join_ms=last("d_join_phase_ms"),
        j_sync_ms=last("d_sync_phase_ms"),
        j_waited_for=last("d_waited_for"),
        j_waited_ms=last("d_waited_ms"),
        j_members=last("d_members").cast(pl.Int32, strict=False),
        j_protocol=last("d_protocol"),
        j_cut_short=(is_end & ~end).sum(),
    )
    return told.filter("_ended").drop("_ended", "_nth")


def _details() -> dict[str, Column]:
    """Fields of the whole event; what is not there, or not of its type, is null."""
    fields = {name: pl.col("payload").str.json_path_match(f"$.{name}") for name in (*_TEXTS, *_NUMBERS)}
    numbers = {f"d_{name}": fields[name].cast(pl.Int64, strict=False) for name in _NUMBERS}
    return numbers | {f"d_{name}": fields[name] for name in _TEXTS}
