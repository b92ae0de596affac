"""Rebalances of histories that the real coordinator played: each comes out with its right cause, with the journal and without."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.pipeline.oracle.build import GoldSettings, build_gold
from tests.pipeline.oracle.silver import finish_silver
from tests.pipeline.tables import histories
from tests.pipeline.tables.rows import Row
from tests.pipeline.tables.scripted import Script, frames

WITHOUT_JOURNAL = " (log)"
LOOKED_AT = (
    "g_rebalance",
    "g_rebalance_pause",
    "g_rebalance_episode",
    "g_member",
    "g_member_churn",
    "g_assignment_balance",
)


@dataclass
class Told:
    """What the tables say about every script, by the script's name; with ` (log)` behind it without the journal's help."""

    scripts: dict[str, Script]
    tables: dict[str, list[Row]]

    def of(self, table: str, script: str) -> list[Row]:
        order = ("ended_ms", "generation", "identity", "at_ms")
        rows = [row for row in self.tables[table] if row["cluster"] == script]
        return sorted(
            rows, key=lambda row: [row.get(name) or 0 for name in order if not isinstance(row.get(name), str)]
        )

    def last(self, script: str) -> Row:
        return self.of("g_rebalance", script)[-1]

    def member(self, script: str, identity: str) -> Row:
        (row,) = [row for row in self.of("g_member", script) if row["identity"] == identity]
        return row


@pytest.fixture(scope="module")
def told() -> Told:
    scripts = [play() for play in histories.ALL]
    bronze = [row for script in scripts for row in script.bronze()]
    bronze += [row for script in scripts for row in script.bronze(script.name + WITHOUT_JOURNAL)]
    rows = frames(bronze, [row for script in scripts for row in script.journal_rows()])
    silver = finish_silver(rows)
    gold = build_gold({**rows, **silver}, GoldSettings(now_ms=max(script.now_ms for script in scripts)))
    tables = {name: gold[name].to_dicts() for name in LOOKED_AT}
    tables["s_assignment"] = silver["s_assignment"].to_dicts()
    tables["s_group_generation"] = silver["s_group_generation"].to_dicts()
    return Told({script.name: script for script in scripts}, tables)


CAUSES = [
    # script, from the journal, from the log alone, its confidence
    ("join", "new_member", "new_member", 0.9),
    ("leave", "member_left", "left_or_expired", 0.8),
    ("kill", "session_expired", "session_expired", 0.6),
    ("stall", "new_member", "members_changed", 0.5),
    ("metadata", "subscription_changed", "subscription_changed", 0.8),
    ("grown", "partitions_grew", "partitions_grew", 0.8),
    ("spurious", "leader_rejoined", "leader_rejoined", 0.4),
    ("cut short", "new_member", "new_member", 0.9),
]


@pytest.mark.parametrize(("script", "by_journal", "by_log", "confidence"), CAUSES)
def test_scripted_history_comes_out_with_its_cause(
    told: Told, script: str, by_journal: str, by_log: str, confidence: float
) -> None:
    """Analytics 2.6. What only the journal has is null without it, never zero (trap 33)."""
    with_journal, without = told.last(script), told.last(script + WITHOUT_JOURNAL)
    assert (with_journal["cause"], with_journal["source"]) == (by_journal, "journal")
    is_second_look = by_journal in ("partitions_grew", "subscription_changed")
    assert with_journal["confidence"] == (0.9 if is_second_look else 1.0)
    assert (without["cause"], without["source"], without["confidence"]) == (by_log, "log", confidence)
    assert without["started_ms"] is without["join_phase_ms"] is without["waited_for"] is None
    for name in ("ended_ms", "joined", "gone", "partitions_moved", "stickiness", "pause_max_ms", "generation"):
        assert with_journal[name] == without[name], name


def test_who_triggered_it_why_and_who_was_waited_for(told: Told) -> None:
    row = told.last("join")
    newcomer = row["trigger_member"]
    assert newcomer.startswith("late-")
    assert (row["client_reason"], row["joined"], row["gone"]) == ("scaled up", [newcomer], [])
    assert (row["waited_ms"], row["join_phase_ms"], row["ended_ms"] - row["started_ms"]) == (500, 500, 500)
    assert row["waited_for"] != newcomer
    assert (row["members_before"], row["members_after"]) == (1, 2)


def test_movement_is_what_a_balanced_group_needs(told: Told) -> None:
    """Two of four partitions go to the newcomer: they had to."""
    row = told.last("join")
    assert (row["partitions_moved"], row["excess_moves"], row["stickiness"]) == (2, 0, 0.5)


def test_member_that_does_not_rejoin_is_gone_and_its_row_says_why(told: Told) -> None:
    row = told.last("stall")
    (gone,) = row["gone"]
    member = told.member("stall", gone)
    assert (member["is_present"], member["left_because"], member["n_partitions"]) == (False, "rejoin_missed", None)
    assert row["join_phase_ms"] == 30_000


def test_dead_members_partitions_paused_for_its_session_timeout(told: Told) -> None:
    """11 s between two commits, of which 5 s are usual; partitions of the survivor went on as usual."""
    row = told.last("kill")
    assert (row["pause_max_ms"], row["pause_p50_ms"]) == (6_000, 3_000)
    assert told.member("kill" + WITHOUT_JOURNAL, row["gone"][0])["left_because"] == "session_expired"


def test_pauses_name_the_partitions_and_who_has_them_since(told: Told) -> None:
    """Only those of the dead member paused; the longest is what the rebalance says."""
    rebalance, script = told.last("kill"), told.scripts["kill"]
    rows = [row for row in told.of("g_rebalance_pause", "kill") if row["generation"] == rebalance["generation"]]
    (survivor,) = script.owned
    (dead,) = rebalance["gone"]
    assert {(row["owner"], row["topic"]) for row in rows} == {(survivor, "t")}
    assert max(row["pause_ms"] for row in rows) == rebalance["pause_max_ms"]
    held = {
        row["partition"] for row in told.tables["s_assignment"] if (row["cluster"], row["identity"]) == ("kill", dead)
    }
    assert {row["partition"] for row in rows if row["pause_ms"] >= 5_000} == held


def test_static_restart_is_no_rebalance_and_no_churn(told: Told) -> None:
    """Trap 32."""
    for variant in ("static restart", "static restart" + WITHOUT_JOURNAL):
        assert [row["generation"] for row in told.of("g_rebalance", variant)] == [1]
        kinds = {row["kind"] for row in told.of("s_group_generation", variant)}
        assert kinds == {"created", "rebalance", "static_replace"}
        member = told.member(variant, "two")
        assert (member["n_restarts"], member["is_static"], member["is_present"]) == (1, True, True)
        (churn,) = told.of("g_member_churn", variant)
        assert (churn["static_restarts"], churn["joins"], churn["leaves"], churn["rebalances"]) == (1, 2, 0, 1)


def test_expiries_are_unknown_without_a_journal(told: Told) -> None:
    (with_journal,), (without,) = told.of("g_member_churn", "kill"), told.of("g_member_churn", "kill" + WITHOUT_JOURNAL)
    assert (with_journal["leaves"], with_journal["expiries"]) == (0, 1)
    assert (without["leaves"], without["expiries"]) == (1, None)


def test_round_that_was_cut_short_belongs_to_the_rebalance_that_it_delayed(told: Told) -> None:
    """One completed rebalance, begun by the first newcomer; the generation that never synced is counted."""
    row = told.last("cut short")
    assert row["aborted_generations"] == told.last("cut short" + WITHOUT_JOURNAL)["aborted_generations"] == 1
    assert row["trigger_member"].startswith("first-")
    assert (row["generation"], row["ended_ms"] - row["started_ms"], row["join_phase_ms"]) == (3, 300, 0)


def test_deleted_group_that_comes_again_is_another_life(told: Told) -> None:
    """Trap 31: generation 1 twice, told apart by the life."""
    rows = told.of("g_rebalance", "lives")
    assert [(row["group_life"], row["generation"]) for row in rows] == [(0, 1), (0, 2), (0, 3), (0, 4), (1, 1)]
    assert [row["members_after"] for row in rows] == [1, 0, 1, 0, 1]
    kinds = [row["kind"] for row in sorted(told.of("s_group_generation", "lives"), key=lambda row: row["log_offset"])]
    assert kinds == ["created", "rebalance", "empty", "rebalance", "empty", "deleted", "created", "rebalance"]


def test_record_and_journal_event_of_two_quick_lives_are_not_mixed(told: Told) -> None:
    """Trap 31: each generation once, begun and ended by its own life's events."""
    rows = told.of("g_rebalance", "quick lives")
    assert [(row["group_life"], row["generation"]) for row in rows] == [(0, 1), (0, 2), (1, 1)]
    assert all(row["source"] == "journal" and row["started_ms"] == row["ended_ms"] for row in rows)


@pytest.mark.parametrize(
    ("script", "kind"),
    [("rolling", "rolling_restart"), ("storm", "storm"), ("cooperative", "cooperative"), ("join", "single")],
)
def test_episode_is_what_its_rebalances_are_together(told: Told, script: str, kind: str) -> None:
    for variant in (script, script + WITHOUT_JOURNAL):
        episodes = sorted(told.of("g_rebalance_episode", variant), key=lambda row: row["episode"])
        assert [row["kind"] for row in episodes] == ["single", kind]
        assert sum(row["n_rebalances"] for row in episodes) == len(told.of("g_rebalance", variant))


def test_balance_of_an_uneven_generation(told: Told) -> None:
    """Four partitions over three members: 2, 1, 1 (analytics 2.7)."""
    row = told.of("g_assignment_balance", "cut short")[-1]
    assert (row["n_members"], row["n_partitions"], row["n_idle_members"], row["spread"]) == (3, 4, 0, 1)
    assert row["max_over_mean"] == pytest.approx(1.5)
    assert row["gini"] == pytest.approx(1 / 6)
    assert row["effective_members"] == pytest.approx(16 / 6)
    assert row["cv"] == pytest.approx((2 / 9) ** 0.5 / (4 / 3))
