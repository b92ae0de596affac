"""The whole answer to "what happened to this group": which rebalances, what they amount to, what could be changed.

The one function that callers need: `explain(history, ...)`. Histories come from `fold` (journal) or `inferred` (offsets log).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from muster.explain.advice import Advice, Case
from muster.explain.advice_rules import advise
from muster.explain.facts import History, Quiet, Rebalance
from muster.explain.names import Names
from muster.explain.summary import Summary, summarise


@dataclass(frozen=True, slots=True)
class Explanation:
    history: History
    shown: list[Rebalance]
    quiet: list[Quiet]
    summary: Summary
    advice: list[Advice]
    names: Names = field(compare=False)


def explain(
    history: History, *, since_ms: int | None = None, last: int | None = None, generation: int | None = None
) -> Explanation:
    """`since_ms`: what ended or went on after that; `last`: so many of these; `generation`: the one that led to it.

    Advice and summary are about the rebalances of the period, also where one generation alone is shown.
    """
    period = [each for each in history.rebalances if since_ms is None or _until(each) >= since_ms]
    if last is not None:
        period = period[-last:] if last else []
    shown = period if generation is None else [each for each in history.rebalances if each.generation == generation]
    from_ms = since_ms if since_ms is not None else history.first_ms
    if last is not None and period:
        from_ms = period[0].began_ms
    quiet = [each for each in history.quiet if generation is None and (from_ms is None or each.at_ms >= from_ms)]
    to_ms = history.last_ms
    if from_ms is not None and to_ms is not None and to_ms < from_ms:
        to_ms = None  # nothing at all has happened since
    names = Names(history)
    return Explanation(
        history,
        shown,
        quiet,
        summarise(period, from_ms, to_ms),
        advise(Case(history, period, names)),
        names,
    )


def _until(rebalance: Rebalance) -> int:
    return rebalance.ended_ms if rebalance.ended_ms is not None else rebalance.began_ms
