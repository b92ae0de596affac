"""The closed lists behind colours: families of rebalance causes, order of statuses, classes of time lag.

A colour is never the only sign: each family, status and class has a word too. The colours themselves are in assets/page.css.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

CAUSE_FAMILIES: Final = {
    "joined": "a member joined",
    "left": "a member left",
    "expired": "a member was lost",
    "restarted": "a member restarted",
    "changed": "topics or subscription changed",
    "other": "other or not known",
}

_FAMILY_OF: Final = {
    "first_member": "joined",
    "new_member": "joined",
    "member_left": "left",
    "pending_id_left": "left",
    "left_or_expired": "left",
    "nobody_left": "left",
    "session_expired": "expired",
    "pending_id_expired": "expired",
    "new_member_expired": "expired",
    "rejoin_missed": "expired",
    "sync_missed": "expired",
    "join_timeout": "expired",
    "restart": "restarted",
    "static_member_returned": "restarted",
    "metadata_changed": "changed",
    "subscription_changed": "changed",
    "partitions_grew": "changed",
    "leader_rejoined": "changed",
}


def cause_family(cause: str | None) -> str:
    """The journal's causes and those inferred from the log; what is in neither list is `other`."""
    return _FAMILY_OF.get(cause or "", "other")


STATUSES: Final = (
    "DATA_LOSS",
    "AHEAD",
    "AT_RISK",
    "STALLED",
    "STOPPED",
    "UNOWNED",
    "REWOUND",
    "NO_POSITION",
    "ORPHANED",
    "SLOW",
    "UNKNOWN",
    "NO_DATA",
    "CATCHING_UP",
    "IDLE",
    "OK",
)
"""Worst first."""

_LOST: Final = frozenset({"DATA_LOSS", "AHEAD", "AT_RISK", "STALLED", "STOPPED", "UNOWNED"})
_DOUBTFUL: Final = frozenset({"REWOUND", "NO_POSITION", "ORPHANED", "SLOW"})
_TONES: Final = {"OK": "good", "IDLE": "good", "CATCHING_UP": "busy"}


def severity(status: str | None) -> int:
    """0 is the worst; a status that this page does not know is unknown."""
    return STATUSES.index(status) if status in STATUSES else STATUSES.index("UNKNOWN")


def needs_attention(status: str | None) -> bool:
    return severity(status) < STATUSES.index("CATCHING_UP")


def status_tone(status: str | None) -> str:
    if status in _LOST:
        return "bad"
    if status in _DOUBTFUL:
        return "doubtful"
    return _TONES.get(status or "", "unknown")


_LAG_STEPS_MS: Final = (1, 1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 21_600_000)
LAG_CLASSES: Final = (
    "caught up",
    "under 1 s",
    "1 to 5 s",
    "5 to 15 s",
    "15 to 60 s",
    "1 to 5 min",
    "5 to 15 min",
    "15 to 60 min",
    "1 to 6 h",
    "over 6 h",
)
"""About a factor of four each, so the scale is a logarithm that people can name."""


def lag_class(ms: int | None) -> int | None:
    return None if ms is None else bisect_right(_LAG_STEPS_MS, ms)
