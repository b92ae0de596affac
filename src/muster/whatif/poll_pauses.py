"""Applications that did not poll for a while, and what another `max.poll.interval.ms` makes of that. Pure.

A journal shows such a pause where it had consequences: the member left and said that its poll timeout had expired (Java's clients
say so, KIP-800; others give no reason, and that looks like a restart), or it missed a join phase and was expelled. In both cases it
comes back when it polls again. How long it takes to join again in a join phase shows it too; the core itself decides who is late.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from muster.explain.diagnosis import POLL_TIMEOUT_WORDS
from muster.whatif.processes import returns
from muster.whatif.recorded import Life, Rejoin


def with_max_poll(recorded: Sequence[Life], lives: Sequence[Life], max_poll_ms: int) -> list[Life]:
    """`lives` under this interval: who left for its pause leaves sooner, later or not at all. `recorded`: as they were."""
    intervals = {life.member_id: life.asks.rebalance_timeout_ms for life in recorded}
    later = returns(lives)
    merged: set[str] = set()
    found = []
    for life in lives:
        if life.member_id in merged:
            continue
        following = later.get(life.member_id)
        while (longer := _longer(life, following, intervals, max_poll_ms)) is not None:
            assert following is not None
            merged.add(following.member_id)
            intervals[life.member_id] = intervals[following.member_id]
            life, following = longer, later.get(following.member_id)
        if _left_for_a_pause(life) and life.left_ms is not None:
            life = replace(life, left_ms=life.left_ms - intervals[life.member_id] + max_poll_ms)
        found.append(life)
    return found


def _left_for_a_pause(life: Life) -> bool:
    reason = (life.leave_reason or "").lower()
    return life.left_ms is not None and any(words in reason for words in POLL_TIMEOUT_WORDS)


def _longer(life: Life, following: Life | None, intervals: dict[str, int], max_poll_ms: int) -> Life | None:
    """This life and the one after it as one, if the pause between them is none that the client ends by leaving."""
    if following is None:
        return None
    polled_ms = following.came_ms
    rejoins = {**life.rejoins, **following.rejoins}
    pauses = [*life.pauses, *following.pauses]
    if _left_for_a_pause(life):
        assert life.left_ms is not None
        began_ms = life.left_ms - intervals[life.member_id]
        if polled_ms - began_ms >= max_poll_ms:
            return None
        pauses = [*life.pauses, (began_ms, polled_ms), *following.pauses]
    elif life.missed_ms is not None:
        # Whether it is waited for is the coordinator's decision: here it joins when it polls again.
        rejoins[life.missed_ms] = [Rejoin(polled_ms - life.missed_ms, following.order, following.join_reason)]
    else:
        return None
    return replace(
        life,
        left_ms=following.left_ms,
        leave_reason=following.leave_reason,
        silent_ms=following.silent_ms,
        missed_ms=following.missed_ms,
        rejoins=rejoins,
        own_joins=[*life.own_joins, *following.own_joins],
        pauses=pauses,
        is_as_recorded=False,
    )
