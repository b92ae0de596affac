"""Gold from finished silver: every table of `schemas.GOLD`, wired together. The publishing job calls `build_gold` and writes it.

Frames that several tables need are kept (`persist`); the job drops them when it has written (`spark.catalog.clearCache()`).
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from muster.pipeline.tables.abandoned import abandoned_groups
from muster.pipeline.tables.balance import assignment_balance
from muster.pipeline.tables.columns import no_rows
from muster.pipeline.tables.data_quality import data_quality
from muster.pipeline.tables.episodes import rebalance_episodes
from muster.pipeline.tables.expiry import offset_expiry
from muster.pipeline.tables.group_state import group_states
from muster.pipeline.tables.hot_committers import hot_committers
from muster.pipeline.tables.lag import ends_and_rates, lag_now
from muster.pipeline.tables.lag_history import group_lag, lag_history
from muster.pipeline.tables.log_extent import log_extent
from muster.pipeline.tables.members import member_churn, members_seen
from muster.pipeline.tables.rebalances import group_changes, rebalances
from muster.pipeline.tables.recent_commits import recent_commits
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.status import statuses
from muster.pipeline.tables.time_lag import steps_of

__all__ = ["GoldSettings", "build_gold"]


def build_gold(silver: Mapping[str, DataFrame], settings: GoldSettings) -> dict[str, DataFrame]:
    """`silver`: the tables of `schemas.SILVER`, and of bronze `b_journal_event`, `b_leo_sample`, `b_log_record` and
    `b_quarantine`, of the decoder `unknown_type`. What is missing counts as empty; one must be given.
    """
    if not silver:
        raise ValueError(
            "build_gold needs at least one table: an empty mapping does not say which Spark session to use"
        )
    spark: SparkSession = next(iter(silver.values())).sparkSession

    def given(name: str) -> DataFrame:
        return silver[name] if name in silver else no_rows(spark, name)

    commits, current, leo = given("s_offset_commit"), given("s_current_offset"), given("s_leo")
    generations, members, assignments = given("s_group_generation"), given("s_member"), given("s_assignment")
    group_epochs, member_epochs = given("s_group_epoch"), given("s_member_epoch")
    journal, log_records = given("b_journal_event"), given("b_log_record")
    samples = silver.get("b_leo_sample", leo)

    extent = log_extent(log_records).persist()
    states = group_states(generations, members, group_epochs, member_epochs, journal).persist()
    recent = recent_commits(commits, samples, settings.burrow_intervals).persist()
    ends, steps = ends_and_rates(leo, settings).persist(), steps_of(leo).persist()
    lag = lag_now(current, ends, steps, recent, states, assignments, extent, settings).persist()
    changes = group_changes(generations, members, assignments, group_epochs, member_epochs, journal, settings).persist()
    rebalanced = rebalances(changes, commits).persist()
    return {
        "g_lag": lag,
        "g_lag_history": lag_history(commits, leo, ends, steps, settings),
        "g_group_lag": group_lag(lag),
        "g_status": statuses(lag, recent, states, samples, settings),
        "g_rebalance": rebalanced,
        "g_rebalance_episode": rebalance_episodes(rebalanced, settings),
        "g_member": members_seen(generations, members, assignments, member_epochs, journal, rebalanced, states),
        "g_member_churn": member_churn(rebalanced, generations, journal),
        "g_assignment_balance": assignment_balance(generations, members, assignments),
        "g_expiry": offset_expiry(current, states, commits, lag, settings),
        "g_abandoned": abandoned_groups(current, states, commits, lag, settings),
        "g_hot_committers": hot_committers(commits),
        "g_data_quality": data_quality(extent, log_records, given("b_quarantine"), given("unknown_type")),
    }
