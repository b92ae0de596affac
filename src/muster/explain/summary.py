"""What a period's rebalances amount to: how many, why, how long partitions had no owner, and who had the largest part in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from muster.explain.facts import Gap, Rebalance, Who

WORTH_TELLING_MS: Final = 1_000
"""Less than this is no offence."""


@dataclass(frozen=True, slots=True)
class Offender:
    """Whose comings, goings and delays cost the most time without an owner."""

    who: Who
    rebalances: int
    unowned_ms: int
    """Sum of the longest gap of each rebalance that it triggered."""
    kept_waiting_ms: int
    """Sum over the rebalances in which everybody waited for it last."""


@dataclass(frozen=True, slots=True)
class Summary:
    rebalances: int
    from_ms: int | None
    to_ms: int | None
    by_cause: dict[str, int]
    """Most frequent first."""
    unowned_ms: int
    """Sum of the longest gap of each rebalance: the time in which something stood still."""
    unowned_partition_ms: int
    """Sum over all partitions."""
    longest_gap: Gap | None
    rebalancing_ms: int
    offender: Offender | None


def summarise(shown: Sequence[Rebalance], from_ms: int | None, to_ms: int | None) -> Summary:
    gaps = [gap for each in shown for gap in each.gaps]
    return Summary(
        len(shown),
        from_ms,
        to_ms,
        dict(Counter(each.why.cause for each in shown).most_common()),
        sum(_longest_ms(each) for each in shown),
        sum(gap.length_ms for gap in gaps),
        max(gaps, key=lambda gap: gap.length_ms, default=None),
        sum(each.took_ms or 0 for each in shown),
        _offender(shown),
    )


def _offender(shown: Sequence[Rebalance]) -> Offender | None:
    """Nobody stands out among fewer than two; the first member of a group does no wrong."""
    if len(shown) < 2:
        return None
    found: dict[str, Offender] = {}
    for each in shown:
        if each.why.who is not None and each.why.cause not in ("first_member", "cooperative_round"):
            _add(found, each.why.who, 1, _longest_ms(each), 0)
        if (
            each.slowest is not None
            and not (each.never_came or each.waited_out)
            and each.slowest.waited_ms >= WORTH_TELLING_MS
        ):
            _add(found, each.slowest.who, 0, 0, each.slowest.waited_ms)
        for one in each.revocations:
            if one.ended_ms is not None and one.waited_ms(0) >= WORTH_TELLING_MS:
                _add(found, one.who, 0, 0, one.waited_ms(0))
        for gone in (*each.never_came, *each.waited_out):
            _add(found, gone.who, 0, 0, each.join_ms or 0)
    worst = max(found.values(), key=lambda one: (one.unowned_ms + one.kept_waiting_ms, one.rebalances), default=None)
    return worst if worst is not None and worst.unowned_ms + worst.kept_waiting_ms >= WORTH_TELLING_MS else None


def _add(found: dict[str, Offender], who: Who, rebalances: int, unowned_ms: int, kept_waiting_ms: int) -> None:
    known = found.get(who.identity, Offender(who, 0, 0, 0))
    found[who.identity] = Offender(
        who,
        known.rebalances + rebalances,
        known.unowned_ms + unowned_ms,
        known.kept_waiting_ms + kept_waiting_ms,
    )


def _longest_ms(rebalance: Rebalance) -> int:
    gap = rebalance.longest_gap
    return gap.length_ms if gap is not None else 0
