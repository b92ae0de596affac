"""Which rows of which table are old enough to go: by which time, after how many days, and what stays although it is old.

Committed offsets that still count are in the state, however old they are, so the log may go entirely. Pure: names and
SQL conditions. `compact` applies them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from muster.core.time_units import DAY_MS

Layer = Literal["bronze", "silver", "gold"]


@dataclass(frozen=True, slots=True)
class Retention:
    """Days by layer. Bytes of records that could not be decoded go after `bronze`, what the log said after `silver`."""

    bronze_days: float = 14
    silver_days: float = 90
    gold_days: float = 400

    def horizon_ms(self, layer: Layer, now_ms: int) -> int:
        days = {"bronze": self.bronze_days, "silver": self.silver_days, "gold": self.gold_days}[layer]
        return now_ms - int(days * DAY_MS)

    def day(self, layer: Layer, now_ms: int) -> str:
        """The day in which the horizon lies: its rows stay until it is over."""
        return datetime.fromtimestamp(max(0, self.horizon_ms(layer, now_ms)) / 1000, UTC).strftime("%Y-%m-%d")


@dataclass(frozen=True, slots=True)
class Rule:
    """How the rows of a table get old. `newest_of`: the newest row of each such key stays, it is how things still are."""

    time: str
    layer: Layer
    newest_of: tuple[str, ...] = ()


_OF_GROUP: Final = ("cluster", "group_id")

RULES: Final = {
    "log": Rule("dt", "silver"),
    "b_quarantine": Rule("dt", "silver"),
    "b_journal_event": Rule("at_ms", "silver"),
    "b_leo_sample": Rule("end_ms", "bronze"),
    "s_group_generation": Rule("record_ms", "silver", _OF_GROUP),
    "s_member": Rule("record_ms", "silver", _OF_GROUP),
    "s_assignment": Rule("record_ms", "silver", _OF_GROUP),
    "s_group_epoch": Rule("record_ms", "silver", (*_OF_GROUP, "record_type")),
    "s_member_epoch": Rule("record_ms", "silver", (*_OF_GROUP, "member_id", "record_type")),
    "g_lag_history": Rule("minute_ms", "gold"),
    "g_rebalance": Rule("ended_ms", "gold"),
    "g_rebalance_pause": Rule("ended_ms", "gold"),
    "g_rebalance_episode": Rule("ended_ms", "gold"),
    "g_member": Rule("last_seen_ms", "gold"),
    "g_member_churn": Rule("dt", "gold"),
    "g_assignment_balance": Rule("at_ms", "gold"),
    "g_hot_committers": Rule("hour_ms", "gold"),
}
"""Tables that are not named keep everything: they are small."""

BYTES: Final = ("log", "b_quarantine")
"""Tables with the bytes (`key`, `value`) of what could not be decoded."""


def too_old(table: str, retention: Retention, now_ms: int) -> str | None:
    """The condition of rows that go; None if none ever do."""
    rule = RULES.get(table)
    if rule is None:
        return None
    if rule.time == "dt":
        return f"dt < '{retention.day(rule.layer, now_ms)}'"
    return f"{rule.time} < {retention.horizon_ms(rule.layer, now_ms)}"


def bytes_too_old(table: str, retention: Retention, now_ms: int) -> str | None:
    """The condition of rows that lose their bytes."""
    if table not in BYTES:
        return None
    return f"dt < '{retention.day('bronze', now_ms)}' AND (key IS NOT NULL OR value IS NOT NULL)"
