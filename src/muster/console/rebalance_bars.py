"""Rebalances as bars: a page of them with their causes, phases and the advice that they give reason for. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from muster.console.group_choice import GroupChoice
from muster.console.paging import Portion, portion_of
from muster.explain.advice import Advice
from muster.explain.cause_words import why_sentence
from muster.explain.explanation import Explanation, explain
from muster.explain.facts import History, Rebalance
from muster.explain.sentences import tell_rebalance

PAGE_REBALANCES: Final = 40


@dataclass(frozen=True, slots=True)
class Bar:
    """A rebalance and the lengths of its phases as parts of a thousand of the longest one."""

    rebalance: Rebalance
    why: str
    details: tuple[tuple[str, str], ...]
    """(label, sentence), without what the first line says already."""
    advice: tuple[Advice, ...]
    before: int
    join: int
    sync: int
    rest: int
    """Of a length whose phases are not known."""


@dataclass(frozen=True, slots=True)
class Bars:
    page: Portion[Rebalance]
    bars: list[Bar]
    """The newest first."""
    explanation: Explanation
    """Of the rebalances of this page alone, as they looked when the last of them was over."""
    not_kept: str
    """Why the rebalance that the address names is not to be seen; empty if it is."""


def bars_of(history: History, choice: GroupChoice) -> Bars:
    newest_first = history.rebalances[::-1]
    at = next((at for at, each in enumerate(newest_first) if each.generation == choice.generation), None)
    page = choice.rebalances
    if page is None:
        page = 1 if at is None else at // PAGE_REBALANCES + 1
    shown = portion_of(newest_first, page, PAGE_REBALANCES)
    explanation = explain(_until_last_of(history, shown), last=PAGE_REBALANCES)
    longest = max((_length_ms(each) or 0 for each in explanation.shown), default=0)
    bars = [_bar(each, explanation, longest) for each in reversed(explanation.shown)]
    is_missing = choice.generation is not None and at is None
    return Bars(shown, bars, explanation, _not_kept(history, choice.generation) if is_missing else "")


def _until_last_of(history: History, shown: Portion[Rebalance]) -> History:
    """What was known when the last rebalance of a page was over and the next one had not begun."""
    left_out = (shown.page - 1) * PAGE_REBALANCES
    if not left_out:
        return history
    next_ms = history.rebalances[-left_out].began_ms
    return replace(
        history,
        rebalances=history.rebalances[:-left_out],
        quiet=[each for each in history.quiet if each.at_ms < next_ms],
        returns=[each for each in history.returns if each.at_ms < next_ms],
        last_ms=next_ms,
    )


def _not_kept(history: History, generation: int | None) -> str:
    word = "Epoch" if history.is_consumer else "Generation"
    if not history.rebalances:
        return f"{word} {generation} is not known here, nor any other rebalance of this group."
    oldest, newest = history.rebalances[0].generation, history.rebalances[-1].generation
    return (
        f"The rebalance to {word.lower()} {generation} is not kept. What is known goes from {oldest} to {newest}: "
        "how far back the log is read is bounded, and so is how long it is kept."
    )


def _bar(rebalance: Rebalance, explanation: Explanation, longest_ms: int) -> Bar:
    def part(length_ms: int | None) -> int:
        return 0 if not length_ms or not longest_ms else max(4, round(1000 * length_ms / longest_ms))

    whole = part(_length_ms(rebalance))
    join, sync = part(rebalance.join_ms), part(rebalance.sync_ms)
    known = min(whole, join + sync)
    names, history = explanation.names, explanation.history
    is_split = bool(rebalance.rounds) and rebalance.join_ms is not None
    lines = tell_rebalance(rebalance, names, history.last_ms).lines
    return Bar(
        rebalance,
        why_sentence(rebalance, names),
        tuple((label, text) for label, text in lines if label != "why"),
        tuple(each for each in explanation.advice if rebalance.generation in each.generations),
        max(0, whole - known) if is_split else 0,
        join,
        sync,
        whole if not is_split else 0,
    )


def _length_ms(rebalance: Rebalance) -> int | None:
    return None if rebalance.is_inferred else rebalance.took_ms
