"""The frame of a plot: heading, one sentence that says what to look for, how to read it, the drawing, what was left out."""

from __future__ import annotations

from muster.pipeline.report.markup import Child, Html, tag, together


def figure(heading: str, look_for: str, how_to_read: str, *content: Child, left_out: str = "") -> Html:
    """`look_for` is for who sees such a plot for the first time; `how_to_read` explains the marks and may be longer."""
    return tag(
        "figure",
        tag(
            "figcaption",
            tag("h3", heading),
            tag("p", look_for, class_="look-for"),
            tag("p", how_to_read, class_="how-to-read"),
        ),
        together(content),
        tag("p", left_out, class_="left-out") if left_out else None,
    )


def nothing(heading: str, why: str) -> Html:
    return tag("figure", tag("figcaption", tag("h3", heading)), tag("p", why, class_="nothing"))


def left_out(hidden: int, what: str, rule: str) -> str:
    """`1,960 more groups are not shown: ...`; nothing when nothing is hidden."""
    return f"{hidden:,} more {what} not shown: {rule}" if hidden > 0 else ""
