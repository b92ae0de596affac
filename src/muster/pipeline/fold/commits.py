"""Offset commits of one log partition: what each new one follows, and where every position stands afterwards.

A position is (group, topic, partition). Its commits count in the order in which the coordinator applied them: a plain one at
its own place in the log, one of a transaction when the COMMIT marker comes, and then only if nothing newer was applied
meanwhile (traps 5 to 7, analytics 2.4). What is concluded of a commit depends on its neighbours alone, so ten remembered
commits of each position are all the state that is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from muster.pipeline.fold.extent import Runs
from muster.pipeline.fold.state import WINDOW
from muster.pipeline.fold.transactions import decide
from muster.pipeline.log_schema import COMMIT_COLUMNS

KEY: Final = ("group_id", "topic", "partition")
DETAILS: Final = ("topic_id", "leader_epoch", "metadata", "expire_ms")
_PLACE: Final = ("log_offset", "record_ms", "commit_ms", "committed_offset")
_WINDOW_FIELDS: Final = (*_PLACE, "run")
_PENDING_FIELDS: Final = (*_WINDOW_FIELDS, *DETAILS, "value_version", "is_tombstone", "is_transactional", "producer_id")


@dataclass(frozen=True, slots=True)
class Applied:
    """The commits of all positions that this batch touches, each position's in the order in which they were applied.

    `rows` has those that were remembered (`is_new` false) and the new ones, sorted by position. `prev_*` and `next_*` are the
    neighbours of the same position; a tombstone has no committed offset, and whatever follows it has no predecessor.
    """

    rows: pl.DataFrame
    untouched: pl.DataFrame
    """The state rows of positions that are as they were."""
    changed: pl.DataFrame
    """Those of the others."""
    ended: pl.DataFrame
    """What is left to say of positions that are no longer there: their key, everything else is null."""

    @property
    def positions(self) -> pl.DataFrame:
        """The state rows of all positions that there are."""
        return pl.concat([self.untouched, self.changed])


def fold_commits(positions: pl.DataFrame, commits: pl.DataFrame, markers: pl.DataFrame, runs: Runs) -> Applied:
    """`positions` is the state, `commits` are new log rows with `COMMIT_COLUMNS` in log order, `markers` control rows."""
    commits = commits.select(COMMIT_COLUMNS).with_columns(
        pl.Series("run", runs.of(commits["log_offset"].to_numpy()), pl.Int32)
    )
    has_pending = pl.col("pending").list.len() > 0
    touched = positions.join(commits.select(KEY).unique(), on=KEY, how="semi")
    waiting = positions.filter(has_pending).join(touched, on=KEY, how="anti") if len(markers) else positions.clear()
    touched = pl.concat([touched, waiting])
    undecided = pl.concat([_pending_of(touched), commits.filter(pl.col("is_transactional").fill_null(False))])
    arrived, pending = decide(undecided, markers)
    plain = commits.filter(~pl.col("is_transactional").fill_null(False)).with_columns(arrival="log_offset")
    rows = _in_order(_remembered(touched), plain, arrived)
    changed = _positions_of(rows, _not_erased(pending, rows), positions.schema)
    ended = touched.join(changed, on=KEY, how="anti").select(KEY)
    return Applied(
        rows,
        untouched=positions.join(touched, on=KEY, how="anti"),
        changed=changed,
        ended=pl.concat([positions.clear(), ended], how="diagonal"),
    )


def newest_positions(rows: pl.DataFrame, place: Sequence[str] = ()) -> pl.DataFrame:
    """Of state rows that several rounds wrote those that count: the newest of each position, unless it has ended.

    `place`: columns that say whose positions they are, where there are rows of several log partitions.
    """
    written = pl.col("round")
    if rows["round"].n_unique() > 1:
        rows = rows.filter(written.eq_missing(written.max().over(*place, *KEY)))
    return rows.filter((pl.col("window").list.len() > 0) | (pl.col("pending").list.len() > 0))


def _remembered(touched: pl.DataFrame) -> pl.DataFrame:
    window = touched.select(*KEY, *DETAILS, _commit="window").explode("_commit").drop_nulls("_commit")
    return window.unnest("_commit").with_columns(arrival="log_offset", is_tombstone=False)


def _pending_of(touched: pl.DataFrame) -> pl.DataFrame:
    waiting = touched.filter(pl.col("pending").list.len() > 0).select(*KEY, _commit="pending")
    return waiting.explode("_commit").unnest("_commit").select(*COMMIT_COLUMNS, "run")


def _not_erased(pending: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """A tombstone takes what open transactions want to commit for its position, too."""
    if pending.is_empty():
        return pending
    erased = rows.filter("is_tombstone").group_by(KEY).agg(_erased=pl.col("log_offset").max())
    is_kept = (pl.col("log_offset") > pl.col("_erased")).fill_null(True)
    return pending.join(erased, on=KEY, how="left").filter(is_kept).drop("_erased")


def _in_order(remembered: pl.DataFrame, plain: pl.DataFrame, arrived: pl.DataFrame) -> pl.DataFrame:
    columns = (*KEY, *_WINDOW_FIELDS, *DETAILS, "is_tombstone", "arrival")
    new = plain.select(columns)
    if not arrived.is_empty():
        new = pl.concat([new, arrived.select(columns)]).sort("arrival", maintain_order=True)
    rows = pl.concat(
        [remembered.select(columns).with_columns(is_new=False), new.with_columns(is_new=True)]
    ).with_columns(_group=_code("group_id"), _topic=_code("topic"))
    # A stable sort keeps the order of each position: what was remembered first, then as it was applied.
    rows = rows.sort("_group", "_topic", "partition", maintain_order=True)
    if not arrived.is_empty():
        rows = _without_overtaken(rows)
    return _with_neighbours(rows)


def _code(name: str) -> pl.Expr:
    """Texts as numbers: sorting by them costs a tenth."""
    return pl.col(name).cast(pl.Categorical).to_physical()


def _same_position(other: int) -> pl.Expr:
    names = ("_group", "_topic", "partition")
    same = pl.all_horizontal(pl.col(name) == pl.col(name).shift(other) for name in names)
    return same.fill_null(False)


def _without_overtaken(rows: pl.DataFrame) -> pl.DataFrame:
    """A transaction's commit that lies before what was applied already never counts (the coordinator compares log offsets)."""
    newest = pl.col("log_offset").cum_max().over("_group", "_topic", "partition")
    return rows.filter(pl.col("log_offset") == newest)


def _with_neighbours(rows: pl.DataFrame) -> pl.DataFrame:
    follows = _same_position(1) & ~pl.col("is_tombstone").shift(1)
    # A tombstone has no commit time: it came when its record was written.
    came = pl.coalesce("commit_ms", "record_ms")
    precedes = _same_position(-1)
    return rows.with_columns(
        _follows=_same_position(1),
        prev_offset=pl.when(follows).then(pl.col("committed_offset").shift(1)),
        prev_commit_ms=pl.when(follows).then(pl.col("commit_ms").shift(1)),
        prev_run=pl.when(follows).then(pl.col("run").shift(1)),
        next_log_offset=pl.when(precedes).then(pl.col("log_offset").shift(-1)),
        next_ms=pl.when(precedes).then(came.shift(-1)),
        next_run=pl.when(precedes).then(pl.col("run").shift(-1)),
        next_is_new=precedes & pl.col("is_new").shift(-1).fill_null(False),
    )


def _positions_of(rows: pl.DataFrame, pending: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """The state of the touched positions: the last commits behind the last tombstone, and what is undecided."""
    position = pl.col("_position")
    numbered = rows.with_columns(_position=(~pl.col("_follows")).cum_sum())
    kept = numbered.filter(
        (pl.col("is_tombstone").cum_sum(reverse=True).over(position) == 0)
        & (pl.int_range(pl.len(), 0, -1).over(position) <= WINDOW)
    )
    windows = kept.group_by("_position", maintain_order=True).agg(
        pl.col(*KEY, *DETAILS).last(), window=pl.struct(_WINDOW_FIELDS)
    )
    waiting = pending.group_by(KEY, maintain_order=True).agg(pending=pl.struct(_PENDING_FIELDS))
    found = windows.join(waiting, on=KEY, how="full", coalesce=True)
    return found.select(
        (pl.col(name) if name in found.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in schema.items()
    )
