"""`g_status`: Burrow's word and ours for every partition of every group. The rules are in `burrow` and `status_rules`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import polars as pl
import pyarrow as pa

from muster.pipeline.now.one_pass import Selected
from muster.pipeline.tables.burrow import Window, burrow_status
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.status_rules import Standing, verdict

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

STATUS: Final = Selected(
    "g_status",
    "is_position",
    {
        "at_ms": "end_ms",
        "burrow_status": "judged.burrow_status",
        "status": "judged.status",
        "evidence": "judged.evidence",
    },
)
_FACTS: Final = (
    *("committed", "leo", "log_start", "lag", "method", "owner", "consume_rate", "produce_rate", "eta_ms"),
    *("state", "n_members", "empty_since_ms", "is_subscribed", "assignment_known"),
    *("ring", "offsets", "times", "lags"),
)
_JUDGED: Final = pa.struct([("burrow_status", pa.string()), ("status", pa.string()), ("evidence", pa.string())])
_TYPE: Final = "struct<burrow_status:string,status:string,evidence:string>"


def with_status(rows: DataFrame, settings: GoldSettings) -> DataFrame:
    """Adds `judged` to the rows of positions, which have their group's facts in `group`."""
    from pyspark.sql import functions as F

    judge = F.arrow_udf(_judge_all(settings), _TYPE)
    of_group = [F.col(f"group.{name}").alias(name) for name in ("state", "n_members", "empty_since_ms")]
    # Only the consumer protocol's assignments can be read (trap 14), and KIP-848 ones are not kept by partition.
    readable = (F.col("group.type") == "classic") & (F.col("group.protocol_type") == "consumer")
    known: list[Column] = [
        *(F.col(name) for name in _FACTS[:9]),
        *of_group,
        F.array_contains("group.topics", F.col("topic")).alias("is_subscribed"),
        readable.alias("assignment_known"),
        *(F.col(name) for name in _FACTS[-4:]),
    ]
    facts = F.when(F.col("is_position"), F.struct(*known))
    return rows.withColumn("judged", judge(facts))


def _judge_all(settings: GoldSettings) -> Callable[[pa.Array], pa.Array]:
    def judge_all(facts: pa.Array) -> pa.Array:
        return _judged(facts, settings)

    return judge_all


def _judged(facts: pa.Array, settings: GoldSettings) -> pa.Array:
    is_position = facts.is_valid()
    rows = pl.DataFrame(pl.from_arrow(pa.Table.from_struct_array(facts.filter(is_position)))).select(_FACTS)
    words = pa.array([_judge(row, settings) for row in rows.iter_rows()], _JUDGED)
    places = pa.compute.cumulative_sum(is_position.cast(pa.int64()))
    index = pa.compute.if_else(is_position, pa.compute.subtract(places, 1), pa.scalar(None, pa.int64()))
    return words.take(index)


def _judge(row: tuple[Any, ...], settings: GoldSettings) -> dict[str, str | None]:
    """Burrow's word, ours and its evidence. Without a position or an end Burrow has nothing to say."""
    ring, offsets, times, lags = row[-4:]
    facts: tuple[Any, ...] = (*row[:-4], Window(offsets or (), times or (), lags or ()), settings.now_ms)
    known = Standing(*facts)
    status, evidence = verdict(known, settings.allowed_lag, settings.stop_after_ms)
    return {"burrow_status": _burrow(known, ring or [], settings), "status": status, "evidence": evidence}


def _burrow(known: Standing, ring: list[int], settings: GoldSettings) -> str | None:
    if known.committed is None or known.end is None:
        return None
    expired_ms = settings.now_ms - settings.burrow_expire_group_ms
    window = known.window
    if window.times and min(window.times) < expired_ms:
        fresh = [row for row in zip(*window, strict=True) if row[1] >= expired_ms]
        window = Window(*(zip(*fresh, strict=True) if fresh else ((), (), ())))
    if not window.offsets:
        return None  # Burrow has purged it and answers 404
    return burrow_status(
        window,
        ring,
        max(0, known.end - window.offsets[-1]),
        settings.now_ms,
        allowed_lag=settings.allowed_lag,
        complete=len(window.offsets) / settings.burrow_intervals,
        minimum_complete=settings.burrow_minimum_complete,
    )
