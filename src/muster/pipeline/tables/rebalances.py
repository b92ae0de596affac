"""`g_rebalance`: every completed generation with its cause, who and what moved, how long it took and who paused.

The log gives the rows, the journal what the log does not hold (analytics 2.6: join phase, trigger, reason). Keyed by (group_life,
generation), as generations start again when a group does (trap 31). Static members that came back are not here (trap 32).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.columns import GROUP, LOG, conform, so_far
from muster.pipeline.tables.commit_pauses import with_pauses
from muster.pipeline.tables.consumer_epochs import epoch_rebalances
from muster.pipeline.tables.group_changes import rebalances_of
from muster.pipeline.tables.journal_rebalances import journal_rebalances
from muster.pipeline.tables.settings import GoldSettings

_SET_LATER: Final = ("episode", "pause_p50_ms", "pause_max_ms")
_PARTITIONS: Final = pa.list_(pa.struct([("topic", pa.string()), ("partition", pa.int32())]))
_CHANGES: Final = pa.schema(
    [
        *(field for field in TABLES["g_rebalance"] if field.name not in _SET_LATER),
        pa.field("gone_partitions", _PARTITIONS),
        pa.field("gone_session_ms", pa.int64()),
    ]
)
_ROWS_A_BATCH: Final = 1_000


def rebalances(changes: DataFrame, commits: DataFrame) -> DataFrame:
    """`g_rebalance` from `group_changes`, which is used several times: keep it if you can."""
    return conform(with_pauses(changes, commits), "g_rebalance")


def group_changes(
    generations: DataFrame,
    members: DataFrame,
    assignments: DataFrame,
    group_epochs: DataFrame,
    member_epochs: DataFrame,
    journal: DataFrame,
    settings: GoldSettings,
) -> DataFrame:
    """Everything of `g_rebalance` but the pauses."""
    from pyspark.sql.pandas.types import from_arrow_schema

    histories = _histories(generations, members, assignments, journal, settings)
    ordered = histories.repartition(*(F.col(name) for name in GROUP)).sortWithinPartitions(*GROUP, "log_offset")
    changes = ordered.mapInArrow(_walk, from_arrow_schema(_CHANGES))
    changes = changes.unionByName(epoch_rebalances(group_epochs, member_epochs), allowMissingColumns=True)
    return _with_episodes(changes, settings)


def _histories(
    generations: DataFrame, members: DataFrame, assignments: DataFrame, journal: DataFrame, settings: GoldSettings
) -> DataFrame:
    """A generation a row, its members and what they own inside, beside it what the journal says about it."""
    place = (*LOG, "log_offset")
    owned = assignments.groupBy(*place, "member_id").agg(
        F.collect_list(F.struct("topic", "partition")).alias("assigned")
    )
    member = F.struct("identity", "member_id", "client_id", "client_host", "session_timeout_ms", "topics", "assigned")
    seats = (
        members.join(owned, [*place, "member_id"], "left").groupBy(*place).agg(F.collect_list(member).alias("members"))
    )
    rows = generations.join(seats, list(place), "left")
    return _matched(rows, journal_rebalances(journal), settings)


def _matched(rows: DataFrame, told: DataFrame, settings: GoldSettings) -> DataFrame:
    """Same group, same generation, about the same time: a generation of an earlier life is not taken for this one's."""
    sides = rows.withColumnsRenamed({"cluster": "_c", "group_id": "_g"})
    joined = sides.join(
        told,
        (F.col("_c") == F.col("cluster"))
        & (F.col("_g") == F.col("group_id"))
        & (F.col("generation") == F.col("j_generation"))
        & (F.abs(F.col("record_ms") - F.col("j_ended_ms")) <= settings.journal_match_ms)
        & F.col("kind").isin("rebalance", "empty", "unknown_prev"),
        "full",
    )
    return joined.withColumn("cluster", F.coalesce("_c", "cluster")).withColumn(
        "group_id", F.coalesce("_g", "group_id")
    )


def _walk(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    found: list[dict[str, Any]] = []
    for row in rebalances_of(row for batch in batches for row in batch.to_pylist()):
        found.append(row)
        if len(found) == _ROWS_A_BATCH:
            yield pa.RecordBatch.from_pylist(found, schema=_CHANGES)
            found = []
    if found:
        yield pa.RecordBatch.from_pylist(found, schema=_CHANGES)


def _with_episodes(changes: DataFrame, settings: GoldSettings) -> DataFrame:
    """Numbered within the group; a new one after a quiet time."""
    order = Window.partitionBy(*GROUP).orderBy("ended_ms", "generation")
    quiet_ms = F.coalesce("started_ms", "ended_ms") - F.lag("ended_ms").over(order)
    marked = changes.withColumn("_new", F.coalesce(quiet_ms >= settings.episode_gap_ms, F.lit(False)).cast("int"))
    return marked.withColumn("episode", F.sum("_new").over(so_far(order)) + 1)
