"""The history of the lag that a first read of files makes: minutes of days ago, whose steps have been thinned out meanwhile."""

from __future__ import annotations

import polars as pl

from muster.core.time_units import DAY_MS, MINUTE_MS
from muster.pipeline.ends.schema import ENDS
from muster.pipeline.ends.steps import folded
from muster.pipeline.now.history import HISTORY, Sampled, history_of, stretches_now
from muster.pipeline.now.schema import MINUTE
from muster.pipeline.now.topic_ends import TopicEnds
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.tables.rows import arrow, sample

RECORDS_A_MINUTE = 6_000
NEWEST_MS = 3 * DAY_MS
BEHIND = 90 * RECORDS_A_MINUTE


def test_groups_that_were_behind_for_days_have_the_lag_that_they_had() -> None:
    minutes = NEWEST_MS // MINUTE_MS
    batches = [sample(RECORDS_A_MINUTE * n, MINUTE_MS * n, sampler="segment") for n in range(minutes + 1)]
    ends = TopicEnds.of(folded(ENDS.empty_table(), arrow("b_leo_sample", batches)))
    commits = [minutes - 20 - 311 * n for n in range(13)]
    current = pl.DataFrame(
        {
            "cluster": "c",
            "topic": "t",
            "log_partition": 0,
            "partition": 0,
            "group_id": [f"g{minute}" for minute in commits],
            "log_offset": commits,
            "commit_ms": [MINUTE_MS * minute + 500 for minute in commits],
            "committed_offset": [RECORDS_A_MINUTE * minute - BEHIND for minute in commits],
        },
        schema_overrides={"log_partition": pl.Int32, "partition": pl.Int32},
    )
    sampled = Sampled(NEWEST_MS, NEWEST_MS)
    stretches = stretches_now(pl.DataFrame(pl.from_arrow(MINUTE.empty_table())), current, sampled)
    made = history_of(ends, stretches, GoldSettings(now_ms=NEWEST_MS), sampled)
    rows = [row for (table, _), part in made.items() if table == HISTORY for row in part.to_pylist()]
    lags = {row["group_id"]: row["lag"] for row in rows if row["group_id"] == f"g{row['minute_ms'] // MINUTE_MS}"}
    assert len(lags) == len(commits)
    assert all(abs(lag - BEHIND) <= 2 * RECORDS_A_MINUTE for lag in lags.values()), lags
