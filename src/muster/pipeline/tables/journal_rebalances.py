"""What the journal knows of each rebalance: from the first event that shook a group to the moment it was stable or empty again.

One row a rebalance that ended. Rounds that were cut short on the way belong to it: its cause and its trigger are those of the first
round, its phases those of the last. Joined to the log's generations by group, generation and time; either may lack the other's row.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.explain.causes import ARRIVAL_LIMIT_MS
from muster.pipeline.tables.columns import GROUP, Column, Frame, is_true

_NUMBERS = ("started_ms", "join_phase_ms", "sync_phase_ms", "waited_ms", "members")
_TEXTS = ("result", "started_by", "waited_for", "protocol")
EPOCH: Final = "epoch"
"""In place of a result: the row is about an epoch of a consumer group."""
BEGUN = ("has_start", "start_ms", "cause", "trigger", "reason", "cut_short")
"""What is kept of a rebalance that has not ended: what its first event said, and how many rounds were cut short."""


def told_rounds(journal: Frame, begun: Frame | None = None) -> tuple[Frame, Frame]:
    """Rebalances that ended, in the journal's order, and what is known of those that did not.

    `begun` is what came back of the events before these: a row a group with the columns of `BEGUN`.
    """
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
        has_start=start.any(),
        start_ms=first("at_ms"),
        cause=first("cause"),
        trigger=first("member_id"),
        reason=first("reason"),
        cut_short=(is_end & ~end).sum().cast(pl.Int64),
        j_generation=last("generation"),
        d_started_ms=last("d_started_ms"),
        j_ended_ms=last("at_ms"),
        d_started_by=last("d_started_by"),
        j_result=last("d_result"),
        j_join_ms=last("d_join_phase_ms"),
        j_sync_ms=last("d_sync_phase_ms"),
        j_waited_for=last("d_waited_for"),
        j_waited_ms=last("d_waited_ms"),
        j_members=last("d_members").cast(pl.Int32, strict=False),
        j_protocol=last("d_protocol"),
        j_log_offset=last("log_offset"),
    )
    told = _gone_on(told, begun)
    over_rows = told.filter("_ended").select(
        *GROUP,
        "^j_.*$",
        # A coordinator that took over in the middle told no start; the end still says what began it.
        j_started_ms=pl.coalesce("start_ms", "d_started_ms"),
        j_cause=pl.coalesce("cause", "d_started_by"),
        j_trigger="trigger",
        j_reason="reason",
        j_cut_short="cut_short",
    )
    return over_rows, told.filter(~pl.col("_ended")).select(*GROUP, *BEGUN)


def told_epochs(journal: Frame) -> Frame:
    """A row an epoch of a consumer group (KIP-848) that the journal saw raised, with the columns of `told_rounds`.

    It ended when its last member arrived, which the log tells; `j_ended_ms` is when nobody can arrive any more.
    """
    raised = journal.filter(pl.col("kind") == "epoch_raised").sort(*GROUP, "log_offset")
    return raised.select(
        *GROUP,
        j_generation="generation",
        j_started_ms="at_ms",
        j_ended_ms=pl.col("at_ms") + ARRIVAL_LIMIT_MS,
        j_cause="cause",
        j_trigger="member_id",
        j_result=pl.lit(EPOCH),
        j_log_offset="log_offset",
        **{name: pl.lit(None, pl.String) for name in ("j_reason", "j_waited_for", "j_protocol")},
        **{name: pl.lit(None, pl.Int64) for name in ("j_join_ms", "j_sync_ms", "j_waited_ms", "j_cut_short")},
        j_members=pl.lit(None, pl.Int32),
    )


def is_epoch() -> Column:
    """Whether a row is one of `told_epochs`."""
    return is_true(pl.col("j_result") == EPOCH)


def _gone_on(told: Frame, begun: Frame | None) -> Frame:
    """The first rebalance of a group continues what was begun; a group without new events keeps it."""
    if begun is None or begun.is_empty():
        return told
    held = begun.rename({name: f"_{name}" for name in BEGUN}).with_columns(_nth=pl.lit(0, pl.Int64))
    rows = told.join(held, on=[*GROUP, "_nth"], how="full", coalesce=True, maintain_order="left_right")
    had_start = is_true(pl.col("_has_start"))
    firsts = {name: pl.when(had_start).then(f"_{name}").otherwise(name) for name in BEGUN[1:-1]}
    return rows.with_columns(
        _ended=is_true(pl.col("_ended")),
        has_start=had_start | is_true(pl.col("has_start")),
        **firsts,
        cut_short=pl.col("cut_short").fill_null(0) + pl.col("_cut_short").fill_null(0),
    )


def _details() -> dict[str, Column]:
    """Fields of the whole event; what is not there, or not of its type, is null."""
    fields = {name: pl.col("payload").str.json_path_match(f"$.{name}") for name in (*_TEXTS, *_NUMBERS)}
    numbers = {f"d_{name}": fields[name].cast(pl.Int64, strict=False) for name in _NUMBERS}
    return numbers | {f"d_{name}": fields[name] for name in _TEXTS}
