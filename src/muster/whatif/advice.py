"""Advice about a group in one sentence that names its evidence. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from muster.explain import words
from muster.whatif.variants import MEMBERS, PARTITIONS, SESSION, refused_by_default, variant_of

_BELIEVED: Final = 0.9
"""Of the recorded rebalances so many must be given back, and of those that are given back so many must be recorded ones."""
_MOVED_WITHIN: Final = 0.25
_UNOWNED_WITHIN: Final = 0.35
"""The replay with the recorded settings may differ by so much: docs/whatif.md holds its predictions to the same."""
_NOT_SETTINGS: Final = (f"{MEMBERS}=", f"{PARTITIONS}=")
"""More machines or more partitions are no settings: they are shown, not advised."""


def best_of(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The best variant of a group. None if none is better than the recorded settings, or the replay cannot be believed."""
    usable = [row for row in rows if row["problem"] is None and row["recorded_rebalances"]]
    if not usable or _doubt(usable[0]) is not None:
        return None
    return _best([row for row in _with_other_settings(usable) if _refused(row) is None])


def _best(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Replay is compared with replay: what it makes of the recorded settings may differ from what was."""
    better = [row for row in rows if row["replayed_unowned_ms"] < row["replayed_as_recorded_unowned_ms"]]
    return min(
        better,
        key=lambda row: (row["replayed_unowned_ms"], row["replayed_rebalances"], len(row["variant"])),
        default=None,
    )


def _with_other_settings(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if not any(word in row["variant"] for word in _NOT_SETTINGS)]


def _refused(row: dict[str, Any]) -> str | None:
    return refused_by_default(variant_of(row["variant"]))


def _doubt(row: dict[str, Any]) -> str | None:
    """Why the figures cannot be believed. None if they can."""
    was, again = row["recorded_rebalances"], row["replayed_as_recorded_rebalances"]
    if row["reproduced"] < was * _BELIEVED:
        return f"the replay gives back only {row['reproduced']} of the {was} recorded rebalances"
    if was < again * _BELIEVED:
        return f"the replay with the recorded settings has {again} rebalances, and there were {was}"
    was, again = row["recorded_moved"], row["replayed_as_recorded_moved"]
    if abs(again - was) > was * _MOVED_WITHIN:
        return f"the replay with the recorded settings moves {words.plural(again, 'partition')}, and {was} moved"
    was, again = row["recorded_unowned_ms"], row["replayed_as_recorded_unowned_ms"]
    if abs(again - was) > was * _UNOWNED_WITHIN:
        return (
            f"the replay with the recorded settings is without an owner for {again / 1000:.1f} s, and it was"
            f" {was / 1000:.1f} s"
        )
    return None


def why_none(rows: Sequence[dict[str, Any]]) -> str:
    """Of a group without advice."""
    usable = [row for row in rows if row["problem"] is None]
    if not usable:
        return "Nothing of this group can be replayed."
    first = usable[0]
    if not first["recorded_rebalances"]:
        return "No advice: there was no rebalance."
    doubt = _doubt(first)
    if doubt is not None:
        return f"No advice: {doubt}, so the figures cannot be believed."
    refused = _best(_with_other_settings(usable))
    if refused is not None:  # only those were kept from being advised
        return (
            f"No advice: with {refused['variant']} partitions would have been without an owner for less time, but"
            f" {_refused(refused)}."
        )
    return "No advice: with none of these settings partitions would have been without an owner for less time."


def advise(rows: Sequence[dict[str, Any]]) -> str | None:
    """On the best variant of a group, if there is one."""
    best = best_of(rows)
    if best is None:
        return None
    was, after = (f"{best[name] / 1000:.1f} s" for name in ("recorded_unowned_ms", "replayed_unowned_ms"))
    return (
        f"{best['group_id']}: with {best['variant']} partitions would have been without an owner for {after} instead of {was}"
        f"{_replayed_as_recorded(best)}, in"
        f" {words.plural(best['replayed_rebalances'], 'rebalance')} instead of {best['recorded_rebalances']}"
        f"{_waited(best)}{_noticed(best)}{_not_known(best)};"
        f" the replay gives back {best['reproduced']} of the {best['recorded_rebalances']} recorded ones."
    )


def _replayed_as_recorded(best: dict[str, Any]) -> str:
    """What it was compared with, where that is another number than the recorded one."""
    was, again = (f"{best[name] / 1000:.1f} s" for name in ("recorded_unowned_ms", "replayed_as_recorded_unowned_ms"))
    return "" if was == again else f" ({again} in the replay with the recorded settings)"


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


def _not_known(best: dict[str, Any]) -> str:
    """A shorter session may end members that were only slow, and the journal has no pauses that a session survived."""
    before, after = best["recorded_detection_ms"], best["replayed_detection_ms"]
    is_shorter = f"{SESSION}=" in best["variant"] and before is not None and after is not None and after < before
    return ", but whom the shorter session would have ended for a pause is not recorded" if is_shorter else ""
