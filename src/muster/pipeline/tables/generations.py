"""`s_group_generation`, finished: which life of the group, what kind of change, how many generations since the last record.

| generation against the record before | kind |
|---|---|
| a tombstone | deleted; what follows is another life (trap 31) |
| no members and generation 0 | created (trap 15) |
| no members, but generations before | empty |
| the same generation, members | static_replace: a static member came back, no rebalance (trap 32) |
| higher, or first of a group whose generation is 1 | rebalance |
| nothing before it, generation above 1 | unknown_prev: its predecessor was compacted away or lies before what was read |
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, Frame, is_true

_FIRST = 1


def compared_generations(rows: Frame) -> Frame:
    """Each record against the one before it in the same group. `rows` have a `run`: which stretch of the log without holes.

    A record of an earlier batch may stand first in its group: it has a `group_life` already, from which counting goes on.
    A row is faithful if nothing is missing between it and its predecessor; the first one of a group if nothing is before it.
    """
    rows = (
        rows.sort(*GROUP, "log_offset")
        .with_columns(_gone=is_true(pl.col("kind") == "deleted"))
        .with_columns(
            _gone_before=is_true(pl.col("_gone").shift().over(GROUP)),
            _before=pl.col("generation").shift().over(GROUP),
            _run_before=pl.col("run").shift().over(GROUP).fill_null(0),
            _life_before=pl.col("group_life").first().over(GROUP).fill_null(0),
        )
    )
    restarted = is_true(pl.col("generation") < pl.col("_before")) | pl.col("_gone_before")
    rows = rows.with_columns(_new_life=restarted).with_columns(
        group_life=pl.col("_life_before") + pl.col("_new_life").cast(pl.Int32).cum_sum().over(GROUP)
    )
    known_before = pl.col("_before").is_not_null() & ~pl.col("_new_life")
    # A group begins at generation 0, so what precedes its first generation is known although no record says it.
    step = (
        pl.when(known_before)
        .then(pl.col("generation") - pl.col("_before"))
        .when(pl.col("generation") <= _FIRST)
        .then(pl.col("generation"))
    )
    rows = rows.with_columns(d_generation=pl.when(~pl.col("_gone")).then(step))
    kind = (
        pl.when("_gone")
        .then(pl.lit("deleted"))
        .when((pl.col("n_members") == 0) & (pl.col("generation") == 0))
        .then(pl.lit("created"))
        .when(pl.col("n_members") == 0)
        .then(pl.lit("empty"))
        .when(pl.col("d_generation").is_null())
        .then(pl.lit("unknown_prev"))
        .when(pl.col("d_generation") == 0)
        .then(pl.lit("static_replace"))
        .otherwise(pl.lit("rebalance"))
    )
    # Written on entry to CompletingRebalance, so the record's age of state is the sync phase. -1 is unknown.
    timed = (pl.col("state_ms") >= 0) & (pl.col("n_members") > 0) & (pl.col("d_generation").fill_null(1) != 0)
    synced = pl.when(timed).then(pl.col("record_ms") - pl.col("state_ms"))
    return rows.with_columns(kind=kind, sync_ms=synced, faithful=is_true(pl.col("run") == pl.col("_run_before")))
