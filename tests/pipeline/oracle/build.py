"""Gold from finished silver: every table of `schemas.GOLD`, wired together, or those about groups and their members alone."""

from __future__ import annotations

from collections.abc import Mapping

from muster.pipeline.tables.abandoned import abandoned_groups
from muster.pipeline.tables.balance import assignment_balance
from muster.pipeline.tables.columns import Frame
from muster.pipeline.tables.expiry import offset_expiry
from muster.pipeline.tables.group_lag import group_lag
from muster.pipeline.tables.group_state import group_states
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.oracle.columns import no_rows
from tests.pipeline.oracle.commit_digest import current_offsets, positions_in_transactions, progress_of
from tests.pipeline.oracle.commit_pauses import commit_gaps
from tests.pipeline.oracle.data_quality import data_quality
from tests.pipeline.oracle.episodes import rebalance_episodes
from tests.pipeline.oracle.hot_committers import hot_committers, hours_of
from tests.pipeline.oracle.known_ends import known_ends
from tests.pipeline.oracle.lag import lag_now
from tests.pipeline.oracle.lag_history import lag_history
from tests.pipeline.oracle.log_extent import log_extent
from tests.pipeline.oracle.member_churn import member_churn
from tests.pipeline.oracle.members import members_seen
from tests.pipeline.oracle.rebalance_pauses import rebalance_pauses
from tests.pipeline.oracle.rebalances import group_changes, rebalances
from tests.pipeline.oracle.recent_commits import recent_commits, recent_of
from tests.pipeline.oracle.status import statuses

__all__ = ["GoldSettings", "build_gold", "build_group_tables"]


def build_gold(silver: Mapping[str, Frame], settings: GoldSettings) -> dict[str, Frame]:
    """All of gold from all of silver, with `b_log_record`, `b_journal_event`, `b_leo_sample` and `b_quarantine` of bronze, and
    `unknown_type` of the decoder. What is missing counts as empty.
    """
    given = _Given(silver)
    extent = log_extent(given["b_log_record"])
    commits = given["s_offset_commit"]
    current, states = current_offsets(commits), _states(given)
    ends = known_ends(given["s_leo"], given["b_leo_sample"], settings)
    recent = recent_commits(recent_of(commits, settings.burrow_intervals), given["s_leo"])
    lag = lag_now(current, ends, recent, states, given["s_assignment"], extent, settings)
    return {
        "g_lag": lag,
        "g_group_lag": group_lag(lag),
        "g_lag_history": lag_history(commits, ends, settings),
        "g_status": statuses(lag, recent, states, given["b_leo_sample"], settings),
        **_group_tables(given, extent, states, settings),
        "g_expiry": offset_expiry(current, states, positions_in_transactions(commits), lag, settings),
        "g_abandoned": abandoned_groups(current, states, progress_of(commits), lag, settings),
        "g_hot_committers": hot_committers(hours_of(commits)),
        "g_data_quality": data_quality(extent, given["b_quarantine"], given["unknown_type"]),
    }


def build_group_tables(silver: Mapping[str, Frame], settings: GoldSettings) -> dict[str, Frame]:
    """The tables of gold that tell of rebalances and members: those that the fold of groups makes."""
    given = _Given(silver)
    return _group_tables(given, log_extent(given["b_log_record"]), _states(given), settings)


class _Given:
    """The tables that were given; the others are empty."""

    def __init__(self, silver: Mapping[str, Frame]) -> None:
        self._silver = silver

    def __getitem__(self, name: str) -> Frame:
        return self._silver[name] if name in self._silver else no_rows(name)


def _group_tables(given: _Given, extent: Frame, states: Frame, settings: GoldSettings) -> dict[str, Frame]:
    generations, members, assignments = given["s_group_generation"], given["s_member"], given["s_assignment"]
    epochs, member_epochs, journal = given["s_group_epoch"], given["s_member_epoch"], given["b_journal_event"]
    changes = group_changes(generations, members, assignments, epochs, member_epochs, journal, settings)
    gaps = commit_gaps(changes, given["s_offset_commit"], extent)
    rebalanced = rebalances(changes, gaps)
    return {
        "g_rebalance": rebalanced,
        "g_rebalance_pause": rebalance_pauses(changes, gaps, assignments),
        "g_rebalance_episode": rebalance_episodes(rebalanced, settings),
        "g_member": members_seen(generations, members, assignments, member_epochs, journal, rebalanced, states),
        "g_member_churn": member_churn(rebalanced, generations, journal),
        "g_assignment_balance": assignment_balance(generations, members, assignments),
    }


def _states(given: _Given) -> Frame:
    names = ("s_group_generation", "s_member", "s_group_epoch", "s_member_epoch", "b_journal_event")
    return group_states(*(given[name] for name in names))
