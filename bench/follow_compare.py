"""Whether a rebuild from the log table gives the tables that many rounds have left: `python -m bench.follow_compare ...`.

In a process of its own, with the session that `muster pipeline run --rebuild` would have. Both makings speak of one moment and
rest on the same ends of the topics, asked once of the server: so no column has to be left out because it is an age or a moment of
the run.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.follow_load import RESTLESS
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.tables import VIEWS
from muster.pipeline.round import RoundWriter
from muster.pipeline.round_settings import Gold, RoundSettings
from muster.pipeline.schemas import TABLES
from muster.pipeline.session import SessionSettings, open_session
from muster.pipeline.sources.run_source import BrokerSource, broker_source
from muster.pipeline.tables.settings import GoldSettings

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from muster.pipeline.sources.positions import Positions
    from muster.pipeline.sources.record_times import RecordPlace
    from muster.pipeline.sources.run_source import AskKnownEnds

NOT_REBUILT = ("b_leo_sample", *VIEWS)
"""Samples are appended by every making of the tables of now, and are not in the log. Views are made when they are read."""
COMPARED = tuple(table for table in TABLES if table not in NOT_REBUILT)
FILLED = (
    *("b_journal_event", "s_current_offset", "s_group_generation", "s_member", "s_assignment"),
    *("g_lag", "g_group_lag", "g_lag_history", "g_status", "g_expiry", "g_rebalance", "g_rebalance_episode"),
    *("g_member", "g_member_churn", "g_assignment_balance", "g_hot_committers", "g_data_quality"),
)
"""Tables that this load puts rows into: comparing them says something."""


class SampledOnce:
    """A server whose topics end where they ended when it was first asked."""

    def __init__(self, source: BrokerSource) -> None:
        self._source = source
        self.cluster = source.cluster
        self.reader = source.reader
        self.is_live = True
        self._ends: pa.Table | None = None

    def ends(self) -> Positions:
        return self._source.ends()

    def journal_partitions(self) -> set[int]:
        return self._source.journal_partitions()

    def sample_ends(self, spark: SparkSession, known: AskKnownEnds, now_ms: int) -> DataFrame:
        if self._ends is None:
            self._ends = self._source.sample_ends(spark, known, now_ms).toArrow()
        return spark.createDataFrame(self._ends)

    def record_times(self, spark: SparkSession, places: Sequence[RecordPlace]) -> DataFrame:
        return self._source.record_times(spark, places)


def main(lake: str, bootstrap: str, cluster: str, arrivals: str) -> int:
    now_ms = time.time_ns() // 1_000_000
    source: Any = SampledOnce(broker_source(bootstrap, cluster))
    settings = RoundSettings(GoldSettings(now_ms=now_ms), speaks_of_ms=now_ms, clock=lambda: now_ms)
    writer = RoundWriter(Location.parse(lake), source, settings)
    with open_session(SessionSettings(pending_records=writer.last().records)) as spark:
        writer.make_gold(spark, Gold())
        before = _tables(Lake.open(lake))
        writer.rebuild(spark)
    found = [*_differences(before, _tables(Lake.open(lake)))]
    rows = sum(rows.total() for rows in before.values())
    print(f"{rows:,} rows of {len(COMPARED)} tables were compared with a rebuild")
    found += [f"{table} is empty: comparing it says nothing" for table in FILLED if not before[table]]
    found += _log_failures(Lake.open(lake))
    found += _rebalance_failures(Lake.open(lake), int(arrivals))
    for failure in found:
        print(f"FAILED: {failure}", flush=True)
    return 1 if found else 0


def _tables(lake: Lake) -> dict[str, Counter[str]]:
    return {table: Counter(map(repr, lake.arrow(table).to_pylist())) for table in COMPARED}


def _differences(before: dict[str, Counter[str]], after: dict[str, Counter[str]]) -> Iterator[str]:
    for table in COMPARED:
        gone, new = before[table] - after[table], after[table] - before[table]
        if gone or new:
            yield (
                f"a rebuild makes {table} differently: {gone.total()} of {before[table].total()} rows are not made"
                f" (the first: {min(gone, default=None)}), {new.total()} others are ({min(new, default=None)})"
            )


def _log_failures(lake: Lake) -> Iterator[str]:
    """What a rebuild is made of: every record of the server's log, once."""
    rows = lake.arrow("log", ["log_topic", "log_partition", "log_offset"])
    print(f"{rows.num_rows:,} records are in the log table")
    for part in rows.group_by(["log_topic", "log_partition"]).aggregate([("log_offset", "list")]).to_pylist():
        offsets = np.sort(np.asarray(part["log_offset_list"]))
        if not np.array_equal(offsets, np.arange(len(offsets))):
            yield f"{part['log_topic']}-{part['log_partition']} is not in the log table record by record, each once"


def _rebalance_failures(lake: Lake, arrivals: int) -> Iterator[str]:
    found = lake.arrow("g_rebalance", ["group_id"])["group_id"].to_pylist().count(RESTLESS)
    print(f"{found} rebalances of the group that somebody came into {arrivals} times")
    if not arrivals or found < arrivals:
        yield f"somebody came into the group {RESTLESS} {arrivals} times, and {found} rebalances are known"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
