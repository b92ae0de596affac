"""Gold from finished silver: every table of `schemas.GOLD`, wired together.

`GoldBuild` is for commits that come in parts, as the publishing job has them; `build_gold` for frames that hold everything.
"""

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
from tests.pipeline.oracle.commit_digest import CommitDigest
from tests.pipeline.oracle.data_quality import data_quality
from tests.pipeline.oracle.episodes import rebalance_episodes
from tests.pipeline.oracle.known_ends import known_ends
from tests.pipeline.oracle.lag import lag_now
from tests.pipeline.oracle.lag_history import lag_history
from tests.pipeline.oracle.log_extent import log_extent
from tests.pipeline.oracle.member_churn import member_churn
from tests.pipeline.oracle.members import members_seen
from tests.pipeline.oracle.rebalance_pauses import rebalance_pauses
from tests.pipeline.oracle.rebalances import group_changes, rebalances
from tests.pipeline.oracle.recent_commits import recent_commits
from tests.pipeline.oracle.status import statuses

__all__ = ["GoldBuild", "GoldSettings", "build_gold"]


class GoldBuild:
    """First everything but the commits, then the commits part by part, then the tables."""

    def __init__(self, facts: Mapping[str, Frame], extent: Frame, settings: GoldSettings) -> None:
        """`facts`: silver without commits, and of bronze `b_journal_event`, `b_leo_sample` and `b_quarantine`, of the decoder
        `unknown_type`. What is missing counts as empty. `extent` comes from `log_extent`.
        """
        self._facts = facts
        self._extent = extent
        self._settings = settings
        self._leo = self._given("s_leo")
        self._ends = known_ends(self._leo, self._given("b_leo_sample"), settings)
        self._changes = group_changes(
            self._given("s_group_generation"),
            self._given("s_member"),
            self._given("s_assignment"),
            self._given("s_group_epoch"),
            self._given("s_member_epoch"),
            self._given("b_journal_event"),
            settings,
        )
        self._digest = CommitDigest(self._changes, extent, settings.burrow_intervals)

    def add_commits(self, commits: Frame) -> Frame:
        """A part of `s_offset_commit`; its part of `g_lag_history` comes back."""
        self._digest.add(commits)
        return lag_history(commits, self._ends, self._settings)

    def settle(self) -> None:
        """All commits of all keys that were added so far have been: what is held of each can go."""
        self._digest.settle()

    def current_offsets(self) -> Frame:
        return self._digest.current()

    def tables(self) -> dict[str, Frame]:
        """Gold but for `g_lag_history`."""
        settings, given, current = self._settings, self._given, self._digest.current()
        generations, members, assignments = map(given, ("s_group_generation", "s_member", "s_assignment"))
        journal, samples = given("b_journal_event"), given("b_leo_sample")
        states = group_states(generations, members, given("s_group_epoch"), given("s_member_epoch"), journal)
        recent = recent_commits(self._digest.recent(), self._leo)
        lag = lag_now(current, self._ends, recent, states, assignments, self._extent, settings)
        gaps = self._digest.gaps()
        rebalanced = rebalances(self._changes, gaps)
        return {
            "g_lag": lag,
            "g_group_lag": group_lag(lag),
            "g_status": statuses(lag, recent, states, samples, settings),
            "g_rebalance": rebalanced,
            "g_rebalance_pause": rebalance_pauses(self._changes, gaps, assignments),
            "g_rebalance_episode": rebalance_episodes(rebalanced, settings),
            "g_member": members_seen(
                generations, members, assignments, given("s_member_epoch"), journal, rebalanced, states
            ),
            "g_member_churn": member_churn(rebalanced, generations, journal),
            "g_assignment_balance": assignment_balance(generations, members, assignments),
            "g_expiry": offset_expiry(current, states, self._digest.pending(), lag, settings),
            "g_abandoned": abandoned_groups(current, states, self._digest.progress(), lag, settings),
            "g_hot_committers": self._digest.hot_committers(),
            "g_data_quality": data_quality(self._extent, given("b_quarantine"), given("unknown_type")),
        }

    def _given(self, name: str) -> Frame:
        return self._facts.get(name, no_rows(name))


def build_gold(silver: Mapping[str, Frame], settings: GoldSettings) -> dict[str, Frame]:
    """All of gold from all of silver, with `b_log_record` and what else `GoldBuild` wants of bronze."""
    build = GoldBuild(silver, log_extent(silver.get("b_log_record", no_rows("b_log_record"))), settings)
    history = build.add_commits(silver.get("s_offset_commit", no_rows("s_offset_commit")))
    return {**build.tables(), "g_lag_history": history}
