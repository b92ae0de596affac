"""`g_status`: Burrow's word and ours for every partition of every group. The rules are in `burrow` and `status_rules`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from muster.pipeline.schemas import TABLES, spark_schema
from muster.pipeline.tables.burrow import Commit, burrow_status
from muster.pipeline.tables.columns import GROUP, POSITION, TOPIC_PARTITION, conform
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.status_rules import Standing, verdict

_NEEDED = (
    *POSITION,
    "at_ms",
    "committed",
    "end",
    "log_start",
    "lag",
    "method",
    "owner",
    "consume_rate",
    "produce_rate",
    "eta_ms",
    "state",
    "n_members",
    "empty_since_ms",
    "subscribed",
    "assignment_known",
    "ends",
    "offsets",
    "times",
    "lags",
)


def statuses(
    lag: DataFrame, recent: DataFrame, states: DataFrame, samples: DataFrame, settings: GoldSettings
) -> DataFrame:
    """`samples` are raw: Burrow's ring holds every poll, flat ones too."""
    group = states.select(*GROUP, "state", "n_members", "topics", "empty_since_ms", "type", "protocol_type")
    rows = (
        lag.join(recent, list(POSITION), "left")
        .join(group, list(GROUP), "left")
        .join(_last_ends(samples, settings.burrow_intervals), list(TOPIC_PARTITION), "left")
        .withColumn("subscribed", F.array_contains("topics", F.col("topic")))
        # Only the consumer protocol's assignments can be read (trap 14), and KIP-848 ones are not kept by partition.
        .withColumn("assignment_known", (F.col("type") == "classic") & (F.col("protocol_type") == "consumer"))
        .withColumn("offsets", F.col("recent.committed"))
        .withColumn("times", F.col("recent.commit_ms"))
        .withColumn("lags", F.col("recent.lag"))
    )
    return conform(rows.select(*_NEEDED).mapInArrow(_judge(settings), spark_schema("g_status")), "g_status")


def _last_ends(samples: DataFrame, intervals: int) -> DataFrame:
    newest_first = Window.partitionBy(*TOPIC_PARTITION).orderBy(F.col("end_ms").desc(), F.col("leo").desc())
    ring = samples.withColumn("_rank", F.row_number().over(newest_first)).where(F.col("_rank") <= intervals)
    return ring.groupBy(*TOPIC_PARTITION).agg(F.collect_list("leo").alias("ends"))


def _judge(settings: GoldSettings) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def judge(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            columns = (column.to_pylist() for column in batch.columns)
            rows = [judged(dict(zip(_NEEDED, row, strict=True)), settings) for row in zip(*columns, strict=True)]
            yield pa.RecordBatch.from_pylist(rows, schema=TABLES["g_status"])

    return judge


def judged(row: dict[str, Any], settings: GoldSettings) -> dict[str, Any]:
    """One row of `g_status`. Without a position or an end Burrow has nothing to say."""
    window = list(map(Commit, row["offsets"] or (), row["times"] or (), row["lags"] or ()))
    status, evidence = verdict(_standing(row, window, settings), settings.allowed_lag, settings.stop_after_ms)
    return {
        **{name: row[name] for name in POSITION},
        "at_ms": row["at_ms"],
        "burrow_status": _burrow(row, window, settings),
        "status": status,
        "evidence": evidence,
    }


def _burrow(row: dict[str, Any], window: list[Commit], settings: GoldSettings) -> str | None:
    if row["committed"] is None or row["end"] is None:
        return None
    expired_ms = settings.now_ms - settings.burrow_expire_group_ms
    fresh = [commit for commit in window if commit.commit_ms >= expired_ms]
    if not fresh:
        return None  # Burrow has purged it and answers 404
    return burrow_status(
        fresh,
        row["ends"] or (),
        max(0, row["end"] - fresh[-1].offset),
        settings.now_ms,
        allowed_lag=settings.allowed_lag,
        complete=len(fresh) / settings.burrow_intervals,
        minimum_complete=settings.burrow_minimum_complete,
    )


def _standing(row: dict[str, Any], window: list[Commit], settings: GoldSettings) -> Standing:
    return Standing(
        committed=row["committed"],
        end=row["end"],
        log_start=row["log_start"],
        lag=row["lag"],
        method=row["method"],
        window=window,
        at_ms=settings.now_ms,
        group_state=row["state"],
        n_members=row["n_members"],
        subscribed=row["subscribed"],
        owner=row["owner"],
        assignment_known=bool(row["assignment_known"]),
        empty_since_ms=row["empty_since_ms"],
        consume_rate=row["consume_rate"],
        produce_rate=row["produce_rate"],
        eta_ms=row["eta_ms"],
    )
