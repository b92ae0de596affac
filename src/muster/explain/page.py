"""How an explanation looks: paragraphs of labelled lines, the same for the command line and for the test kit.

Knows sentences and places; what they say is `muster.explain.sentences`'s business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from muster.explain.epoch_sentences import tell_pending
from muster.explain.sentences import Telling, tell_quiet, tell_rebalance, tell_summary
from muster.explain.tracked_query import tell_tracked
from muster.explain.words import moment, partitions

if TYPE_CHECKING:
    from muster.explain.explanation import Explanation

Look: TypeAlias = Literal["heading", "label", "text", "advice"]
LABEL_WIDTH: Final = 10


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    label: str = ""
    look: Look = "text"


def page(explanation: Explanation) -> list[Line]:
    history, names = explanation.history, explanation.names
    summary = tell_summary(history.group, explanation.summary, names, inferred=history.is_inferred)
    lines = [*_paragraph(summary), *_tracked(explanation), *_now(explanation)]
    entries = [(each.began_ms, _paragraph(tell_rebalance(each, names, history.last_ms))) for each in explanation.shown]
    entries += [
        (each.at_ms, [Line(""), Line(f"{moment(each.at_ms)} UTC", look="heading"), Line(tell_quiet(each, names), " ")])
        for each in explanation.quiet
    ]
    for _, entry in sorted(entries, key=lambda pair: pair[0]):
        lines += entry
    if explanation.advice:
        lines += [Line(""), Line("What you could change", look="heading")]
    for each in explanation.advice:
        lines += [Line(each.what, "-", "advice"), Line(f"{each.evidence}{_where(each.generations)}", " ")]
    return lines[1:]


def _paragraph(telling: Telling) -> list[Line]:
    return [Line(""), Line(telling.title, look="heading"), *(Line(text, label) for label, text in telling.lines)]


def _tracked(explanation: Explanation) -> list[Line]:
    tracked = explanation.history.tracked
    return [] if tracked is None else [Line(tell_tracked(tracked), "tracked")]


def _now(explanation: Explanation) -> list[Line]:
    history = explanation.history
    if history.state is None:
        return []
    unowned = ""
    if history.unowned_since and history.last_ms is not None:
        since_ms = min(history.unowned_since.values())
        unowned = f"; without an owner since {moment(since_ms)} UTC: {partitions(history.unowned_since)}"
    members = ", ".join(explanation.names.short(who) for who in history.members) or "no members"
    number = "epoch" if history.is_consumer else "generation"
    at = "" if history.generation is None else f", {number} {history.generation}"
    lines = [Line(f"{history.state}{at}: {members}{unowned}", "now")]
    last = history.rebalances[-1] if history.rebalances else None
    if last is not None and last.result == "running":
        lines += [Line(tell_pending(each, explanation.names, history.last_ms), "held by") for each in last.pending]
    return lines


def _where(generations: tuple[int, ...]) -> str:
    if not generations:
        return ""
    shown = ", ".join(map(str, generations[:8])) + (", ..." if len(generations) > 8 else "")
    return f" (generation{'s' if len(generations) > 1 else ''} {shown})"


def plain_text(lines: list[Line]) -> list[str]:
    """The lines as they are shown where there are no colours."""
    return [_indented(line) for line in lines]


def _indented(line: Line) -> str:
    if not line.label:
        return line.text
    return (
        f"  {line.label:<{LABEL_WIDTH}}{line.text}" if line.label not in ("-", " ") else f"  {line.label} {line.text}"
    )
