"""Advice about a group in one sentence that names its evidence. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from muster.whatif.variants import MEMBERS, PARTITIONS

_BELIEVED: Final = 0.9
"""Of the recorded rebalances so many must be given back."""
_NOT_SETTINGS: Final = (f"{MEMBERS}=", f"{PARTITIONS}=")
"""More machines or more partitions are no settings: they are shown, not advised."""


def advise(rows: Sequence[dict[str, Any]]) -> str | None:
    """On the best variant of a group. None if none is better, or the replay cannot be believed."""
    usable = [row for row in rows if row["problem"] is None and row["recorded_rebalances"]]
    usable = [row for row in usable if not any(word in row["variant"] for word in _NOT_SETTINGS)]
    if not usable or usable[0]["reproduced"] < usable[0]["recorded_rebalances"] * _BELIEVED:
        return None
    best = min(usable, key=lambda row: (row["replayed_unowned_ms"], row["replayed_rebalances"], len(row["variant"])))
    if best["replayed_unowned_ms"] >= best["recorded_unowned_ms"]:
        return None
    return (
        f"{best['group_id']}: with {best['variant']} partitions would have been without an owner for"
        f" {best['replayed_unowned_ms'] / 1000:.1f} s instead of {best['recorded_unowned_ms'] / 1000:.1f} s, in"
        f" {best['replayed_rebalances']} rebalances instead of {best['recorded_rebalances']}{_waited(best)}{_noticed(best)};"
        f" the replay gives back {best['reproduced']} of the {best['recorded_rebalances']} recorded ones."
    )


def _waited(best: dict[str, Any]) -> str:
    before, after = best["recorded_waited"], best["replayed_waited"]
    return "" if not before or after is None else f", and {after:,} records would have waited instead of {before:,}"


def _noticed(best: dict[str, Any]) -> str:
    """What it costs: the dead are noticed later."""
    before, after = best["recorded_detection_ms"], best["replayed_detection_ms"]
    if before is None or (after is not None and after <= before):
        return ""
    if after is None:
        return f", but no death would have been noticed before the end of the recording (it was after {before / 1000:.1f} s)"
    return f", but a death would have been noticed after {after / 1000:.1f} s instead of {before / 1000:.1f} s"
