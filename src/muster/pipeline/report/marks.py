"""SVG marks and the two frames that every plot uses: rows with labels beside them, and a plain drawing with its own axes.

Labels of rows are HTML, so that they can be links, be cut by the browser and stay in sight while the plot scrolls on a phone.
Sizes are pixels and fixed: text in a plot keeps its size on every screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from muster.pipeline.report.markup import Attribute, Child, Html, number, tag, together

PLOT_WIDTH: Final = 804
AXIS_HEIGHT: Final = 22
_MARGIN: Final = 26
"""Room for the half of a tick's label that stands beyond the plot."""


@dataclass(frozen=True, slots=True)
class RowOfMarks:
    label: Html
    marks: Html
    """Drawn from y = 0; the frame moves it to its place."""
    spoken: str
    """What a screen reader says instead of the marks."""
    note: str = ""
    """What the row is about, in plain text: shown on its label and in front of each mark's words."""


def box(x: float, y: float, width: float, height: float, **attributes: Attribute) -> Html:
    return tag("rect", x=number(x), y=number(y), width=number(max(width, 0.5)), height=number(height), **attributes)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: Attribute) -> Html:
    return tag("line", x1=number(x1), y1=number(y1), x2=number(x2), y2=number(y2), **attributes)


def dot(x: float, y: float, radius: float, **attributes: Attribute) -> Html:
    return tag("circle", cx=number(x), cy=number(y), r=number(radius), **attributes)


def words_at(x: float, y: float, text: Child, **attributes: Attribute) -> Html:
    return tag("text", text, x=number(x), y=number(y), **attributes)


def path(points: Sequence[tuple[float, float]], *, close: bool = False, **attributes: Attribute) -> Html:
    drawn = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return tag("path", d=f"M{drawn}{'Z' if close else ''}", **attributes)


def row_frame(
    rows: Sequence[RowOfMarks],
    *,
    row_height: int,
    title: str,
    ticks: Iterable[tuple[float, str]],
    rules: Iterable[float] | None = None,
    behind: Child = None,
    over: Child = None,
    to_now: bool = True,
) -> Html:
    """Rows under one axis. Grid lines stand at the ticks or at `rules`; `behind` and `over` are drawn before and after
    the rows, over the full height.

    `to_now`: where the plot is wider than the screen, its right end shows first.
    """
    height = row_height * len(rows)
    drawn = together(
        tag(
            "g",
            row.marks,
            class_="row",
            transform=f"translate(0 {i * row_height})",
            role="img",
            aria_label=row.spoken,
            data_name=row.note or None,
        )
        for i, row in enumerate(rows)
    )
    labels = together(tag("div", row.label, title=row.note or None, class_="row-label") for row in rows)
    plot = drawing(
        together((axis(ticks, height, rules), behind, drawn, over)),
        PLOT_WIDTH,
        height + AXIS_HEIGHT,
        title,
        to_now=to_now,
    )
    return tag("div", tag("div", labels, class_=f"row-labels h{row_height}"), plot, class_="row-frame")


def drawing(content: Html, width: int, height: int, title: str, *, to_now: bool = False) -> Html:
    """A plot in a box that scrolls by itself; arrow keys walk through its marks (assets/page.js)."""
    svg = tag(
        "svg",
        content,
        class_="plot",
        width=width + 2 * _MARGIN,
        height=height + 4,
        viewBox=f"-{_MARGIN} -2 {width + 2 * _MARGIN} {height + 4}",
        role="group",
        tabindex=0,
        aria_label=title + ". Arrow keys read the marks.",
    )
    return tag("div", svg, class_="scroll to-now" if to_now else "scroll")


def axis(ticks: Iterable[tuple[float, str]], height: float, rules: Iterable[float] | None = None) -> Html:
    """Vertical grid lines, at the ticks unless told otherwise, and labels under the plot."""
    labelled = list(ticks)
    lines = [x for x, _ in labelled] if rules is None else rules
    labels = (words_at(x, height + 15, label, class_="tick", text_anchor="middle") for x, label in labelled)
    return together((*(line(x, 0, x, height, class_="grid") for x in lines), *labels))


def legend(entries: Iterable[tuple[str, str]], title: str) -> Html:
    """Pairs of a class and a word."""
    items = (tag("li", tag("span", class_=f"swatch {kind}", aria_hidden="true"), word) for kind, word in entries)
    return tag("ul", together(items), class_="legend", aria_label=title)
