"""How an explanation looks: paragraphs of labelled lines, in colour on a terminal, as plain text elsewhere.

Knows sentences and places; what they say is `muster.explain.told`'s business.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TextIO, TypeAlias

from muster.explain.told import Telling, tell_quiet, tell_rebalance, tell_summary
from muster.explain.told_epochs import tell_pending
from muster.explain.words import moment, partitions

if TYPE_CHECKING:
    from muster.explain.explanation import Explanation

Look: TypeAlias = Literal["heading", "label", "text", "advice"]
_STYLES: Final = {"heading": "bold", "label": "cyan", "text": "", "advice": "yellow"}
_LABEL_WIDTH: Final = 10


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    label: str = ""
    look: Look = "text"


def page(explanation: Explanation) -> list[Line]:
    history, names = explanation.history, explanation.names
    summary = tell_summary(history.group, explanation.summary, names, inferred=history.is_inferred)
    lines = [*_paragraph(summary), *_now(explanation)]
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
    lines = [Line(f"{history.state}, {number} {history.generation}: {members}{unowned}", "now")]
    last = history.rebalances[-1] if history.rebalances else None
    if last is not None and last.result == "running":
        lines += [Line(tell_pending(each, explanation.names, history.last_ms), "held by") for each in last.pending]
    return lines


def _where(generations: tuple[int, ...]) -> str:
    if not generations:
        return ""
    shown = ", ".join(map(str, generations[:8])) + (", ..." if len(generations) > 8 else "")
    return f" (generation{'s' if len(generations) > 1 else ''} {shown})"


def print_page(lines: list[Line], out: TextIO) -> None:
    if out.isatty():
        try:
            _print_colours(lines, out)
        except ImportError:  # rich comes with an extra; the words are the same without it
            pass
        else:
            return
    for line in lines:
        out.write(f"{_indented(line)}\n")
    out.flush()


def _indented(line: Line) -> str:
    if not line.label:
        return line.text
    return (
        f"  {line.label:<{_LABEL_WIDTH}}{line.text}" if line.label not in ("-", " ") else f"  {line.label} {line.text}"
    )


def _print_colours(lines: list[Line], out: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=out, highlight=False, markup=False)
    for line in lines:
        indent = 4 if line.label in ("-", " ") else _LABEL_WIDTH + 2 if line.label else 0
        wrapped = textwrap.wrap(line.text, max(20, console.width - indent)) or [""]
        first = (
            f"  {line.label} " if line.label in ("-", " ") else f"  {line.label:<{_LABEL_WIDTH}}" if line.label else ""
        )
        for number, part in enumerate(wrapped):
            text = Text()
            text.append(first if number == 0 else " " * indent, style=_STYLES["label"])
            text.append(part, style=_STYLES[line.look])
            console.print(text)
