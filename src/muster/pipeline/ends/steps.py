"""How samples change what is known of the ends of partitions, one sample after the other. Pure; called by `fold`.

The rules of `s_leo`, kept up incrementally: `folded(folded(e, a), b) == folded(e, a + b)` if no sample of b is older than one of a.

| sample | what becomes of the steps |
|---|---|
| the end rose | a step more |
| the end is the same | of a run of equal ends the first and the last stay, and those where the log's start moved |
| the end fell, the leader epoch rose | the tail was cut: earlier steps do not prove the age of what was written again (trap 23) |
| the end fell otherwise, or another topic id | the topic was made anew: a new topic epoch (trap 22) |
| older than the newest sample, end not higher | nothing: it says nothing new |
| none in a round that asked for all of the cluster | nothing, but the partition is marked as missed (`with_missed`) |

Samples of segment files are exact: they say when each batch was appended, by producers' clocks that may go back. A record was not
appended before the one in front of it, so their times are made to rise.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa

from muster.pipeline.ends.schema import (
    BATCH_BEGIN,
    BATCH_END,
    ENDS,
    MAX_STEPS,
    MISSED,
    MISSED_ONCE,
    RING,
    STEP,
    TOPIC_PARTITION,
)
from muster.pipeline.ends.thinning import thinned

_SAMPLE = ("topic_id", "leo", "lso", "readable_end", "log_start", "leader_epoch", "begin_ms", "end_ms", "sampler")
_SAME = ("at", "topic_id", "leo", "log_start", "begin_ms", "end_ms")
_TIME = ("end_ms", "leo", "log_start")
STEP_NAMES = tuple(field.name for field in STEP)
_NEWEST = (*_SAMPLE, "topic_epoch")
_SEGMENT = pl.col("sampler") == "segment"
_OF_SAMPLE = ~pl.col("sampler").is_in([BATCH_BEGIN, BATCH_END])


def folded(ends: pa.Table, samples: pa.Table, max_steps: int = MAX_STEPS) -> pa.Table:
    """Rows of `ENDS` from rows of `ENDS` and of `b_leo_sample`; a row for every partition of either."""
    known = pl.DataFrame(pl.from_arrow(ends.select(ENDS.names)))
    taken = pl.DataFrame(pl.from_arrow(samples.select([*TOPIC_PARTITION, *_SAMPLE])))
    taken = taken.filter(pl.col("leo") >= 0)
    if taken.is_empty():
        return ends.select(ENDS.names).cast(ENDS)
    parts = pl.concat([known.select(TOPIC_PARTITION), taken.select(TOPIC_PARTITION)]).unique(maintain_order=True)
    parts = parts.with_row_index("at")
    newest = parts.join(known.drop("steps"), on=TOPIC_PARTITION, how="left", maintain_order="left")
    fresh = _in_order(taken.join(parts, on=TOPIC_PARTITION).drop(TOPIC_PARTITION), newest)
    steps = parts.join(known.select(*TOPIC_PARTITION, "steps"), on=TOPIC_PARTITION).sort("at")
    steps = steps.select("at", "steps").explode("steps", empty_as_null=False, keep_nulls=False).unnest("steps")
    fresh = _with_epochs(fresh, newest)
    return _rows(newest, fresh, _with_samples(steps, fresh, len(parts), max_steps))


def _in_order(taken: pl.DataFrame, newest: pl.DataFrame) -> pl.DataFrame:
    """The samples that say something new, in the order in which they are folded."""
    known = newest.select(
        "at", _id="topic_id", _leo="leo", _lso="lso", _start="log_start", _end="end_ms", _begin="begin_ms"
    )
    rows = taken.unique(_SAME, keep="first", maintain_order=True).join(known, on="at", how="left")
    other_id = (pl.col("topic_id") != pl.col("_id")).fill_null(False)
    is_late = pl.col("end_ms") < pl.col("_end")
    is_same = pl.all_horizontal(
        pl.col(name).eq_missing(pl.col(f"_{before}"))
        for name, before in (
            *(("leo", "leo"), ("lso", "lso"), ("log_start", "start")),
            *(("begin_ms", "begin"), ("end_ms", "end")),
        )
    )
    says_nothing = ~other_id & ((is_late & (pl.col("leo") <= pl.col("_leo"))) | is_same)
    rows = rows.filter(~says_nothing.fill_null(False)).sort("at", "leo", "end_ms")
    # What comes behind the newest sample was not true before it, whatever a clock says that went back.
    risen = pl.max_horizontal(pl.col("end_ms").cum_max().over("at", "topic_id", "sampler"), "_end")
    rows = rows.with_columns(
        begin_ms=pl.when(_SEGMENT).then(risen).otherwise("begin_ms"),
        end_ms=pl.when(_SEGMENT).then(risen).otherwise(pl.max_horizontal("end_ms", "_end")),
    )
    return rows.select("at", *_SAMPLE).sort("at", *_TIME, maintain_order=True)


def _with_epochs(fresh: pl.DataFrame, newest: pl.DataFrame) -> pl.DataFrame:
    """Adds `topic_epoch` and whether the log's start moved, and the end fell, within the epoch."""
    before = newest.filter(pl.col("leo").is_not_null()).select("at", *_NEWEST, known=pl.lit(True))
    rows = pl.concat([before, fresh.with_columns(topic_epoch=pl.lit(None, pl.Int32), known=pl.lit(False))])
    rows = rows.sort("at", ~pl.col("known"), maintain_order=True)
    same = pl.col("at") == pl.col("at").shift()

    def earlier(name: str) -> pl.Expr:
        return pl.when(same).then(pl.col(name).shift())

    fell = _holds(pl.col("leo") < earlier("leo"))
    other_id = _holds(pl.col("topic_id") != earlier("topic_id"))
    # Only an election cuts a tail, and it raises the leader epoch; a topic made anew starts at epoch 0.
    elected = _holds(pl.col("leader_epoch") > earlier("leader_epoch"))
    below_start = _holds(pl.col("leo") < earlier("log_start"))
    anew = other_id | (fell & (~elected | below_start))
    counted = pl.when("known").then("topic_epoch").otherwise(anew.cast(pl.Int32))
    moved = _holds(pl.col("log_start") != earlier("log_start")) & ~anew
    rows = rows.with_columns(topic_epoch=counted.fill_null(0), start_moved=moved, cut=fell & ~anew)
    rows = rows.with_columns(topic_epoch=pl.col("topic_epoch").cum_sum().over("at").cast(pl.Int32))
    return rows.filter(~pl.col("known")).drop("known")


def _with_samples(steps: pl.DataFrame, fresh: pl.DataFrame, parts: int, max_steps: int) -> pl.DataFrame:
    block = pl.int_range(pl.len()).over("at") // (_BLOCK * max_steps)
    for some in fresh.with_columns(exact=_SEGMENT, block=block).partition_by("block", maintain_order=True):
        steps = _with_some_samples(steps, some, parts, max_steps)
    return steps


_BLOCK = 16
"""Samples of a partition that are looked at together, times the steps it may have: the files of a topic may have millions."""


def _with_some_samples(steps: pl.DataFrame, fresh: pl.DataFrame, parts: int, max_steps: int) -> pl.DataFrame:
    """Steps with as many samples at a time as have room: then it is as if they had come one after the other."""
    waiting = fresh.with_columns(number=pl.int_range(pl.len()).over("at"))
    done = np.zeros(parts, dtype=np.int64)
    finished: list[pl.DataFrame] = []
    while waiting.height:
        # Partitions that have nothing waiting any more are left alone.
        active = np.zeros(parts, dtype=bool)
        active[waiting["at"].to_numpy()] = True
        is_active = active[steps["at"].to_numpy()]
        finished.append(steps.filter(~is_active))
        steps = steps.filter(is_active)
        room = max_steps + 1 - np.bincount(steps["at"].to_numpy(), minlength=parts)
        limit = pl.Series(done + room)
        now = pl.col("number") < limit.gather(waiting["at"])
        chosen = waiting.filter(now)
        steps = thinned(_added(steps, chosen), parts, max_steps)
        done += np.bincount(chosen["at"].to_numpy(), minlength=parts)
        waiting = waiting.filter(~now)
    return pl.concat([*finished, steps.select("at", *STEP_NAMES)]).sort("at", maintain_order=True)


def _added(steps: pl.DataFrame, chosen: pl.DataFrame) -> pl.DataFrame:
    new = chosen.select("at", *STEP_NAMES, "cut")
    rows = pl.concat([steps.select("at", *STEP_NAMES, cut=pl.lit(False)), new]).sort("at", maintain_order=True)
    if rows["cut"].any():
        cut = rows.group_by("at", maintain_order=True).agg(pl.col("cut").any())["cut"]
        of_row = rows["at"].rle_id()
        is_cut = cut.gather(of_row)
        lowest = pl.col("leo").cum_min(reverse=True).over("at", "topic_epoch")
        rows = rows.with_columns(leo=pl.when(is_cut).then(lowest).otherwise("leo"))
    equal = (pl.col("at") == pl.col("at").shift()) & (pl.col("topic_epoch") == pl.col("topic_epoch").shift())
    equal = (equal & (pl.col("leo") == pl.col("leo").shift()) & _OF_SAMPLE.shift()).fill_null(False)
    rows = rows.with_columns(as_before=equal)
    is_middle = pl.col("as_before") & pl.col("as_before").shift(-1, fill_value=False)
    return rows.filter(~is_middle | pl.col("start_moved")).select("at", *STEP_NAMES)


def _rows(newest: pl.DataFrame, fresh: pl.DataFrame, steps: pl.DataFrame) -> pa.Table:
    last = fresh.group_by("at", maintain_order=True).agg(
        *(pl.col(name).last() for name in _NEWEST), taken=pl.lit(True).first(), sampled=pl.col("leo")
    )
    rows = newest.join(last, on="at", how="left", maintain_order="left", suffix="_new")
    was_taken = pl.col("taken").is_not_null()
    ring = pl.concat_list(
        pl.col("ring").fill_null(pl.lit([], pl.List(pl.Int64))),
        pl.col("sampled").fill_null(pl.lit([], pl.List(pl.Int64))),
    )
    rows = rows.with_columns(
        *(pl.when(was_taken).then(f"{name}_new").otherwise(name).alias(name) for name in _NEWEST),
        ring=ring.list.tail(RING),
    )
    table = rows.select(name for name in ENDS.names if name != "steps").to_arrow()
    return table.append_column("steps", step_lists(steps, rows.height)).cast(ENDS)


def with_missed(ends: pa.Table, samples: pa.Table, cluster: str, known_since_ms: int) -> pa.Table:
    """Rows of `ENDS` after a round that asked for all partitions of the cluster and was given these samples.

    A partition without a sample is `MISSED_ONCE`, and `MISSED` if the round before missed it too and its end is from before that
    moment. Whoever has a sample is there, whatever its clock says. Steps stay as they are: what is known of the past does not
    change, and the next sample goes on from there.
    """
    rows = pl.DataFrame(pl.from_arrow(ends.select([*TOPIC_PARTITION, "end_ms", "sampler"])))
    taken = pl.DataFrame(pl.from_arrow(samples.select([*TOPIC_PARTITION, "sampler"])))
    found = taken.group_by(TOPIC_PARTITION).agg(found=pl.col("sampler").last())
    rows = rows.join(found, on=TOPIC_PARTITION, how="left", maintain_order="left")
    was_missed = pl.col("sampler").is_in([MISSED_ONCE, MISSED])
    is_gone = (pl.col("sampler") == MISSED) | (was_missed & (pl.col("end_ms") < known_since_ms))
    sampler = (
        pl.when(pl.col("cluster") != cluster)
        .then("sampler")
        .when(pl.col("found").is_not_null())
        .then(pl.when(was_missed).then("found").otherwise("sampler"))
        .otherwise(pl.when(is_gone).then(pl.lit(MISSED)).otherwise(pl.lit(MISSED_ONCE)))
    )
    at = ENDS.get_field_index("sampler")
    return ends.set_column(at, ENDS.field(at), rows.select(sampler).to_series().to_arrow().cast(ENDS.field(at).type))


def step_lists(steps: pl.DataFrame, parts: int) -> pa.ListArray:
    """The column `steps` of so many rows; `steps` say in `at` which row they belong to, in order."""
    counts = np.bincount(steps["at"].to_numpy(), minlength=parts)
    offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
    values = steps.select(STEP_NAMES).to_arrow()
    columns = [values.column(field.name).combine_chunks().cast(field.type) for field in STEP]
    return pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays(columns, fields=list(STEP)))


def _holds(condition: pl.Expr) -> pl.Expr:
    """What is unknown does not hold."""
    return condition.fill_null(False)
