"""The frame of a plot: heading, a line that says how to read it, the drawing, what was left out."""

from __future__ import annotations

from muster.pipeline.report.markup import Child, Html, tag, together


def figure(heading: str, how_to_read: str, *content: Child, left_out: str = "") -> Html:
    return tag(
        "figure",
        tag("figcaption", tag("h3", heading), tag("p", how_to_read)),
        together(content),
        tag("p", left_out, class_="left-out") if left_out else None,
    )


def nothing(heading: str, why: str) -> Html:
    return tag("figure", tag("figcaption", tag("h3", heading)), tag("p", why, class_="nothing"))


def left_out(hidden: int, what: str, rule: str) -> str:
    """`1,960 more groups are not shown: ...`; nothing when nothing is hidden."""
    return f"{hidden:,} more {what} not shown: {rule}" if hidden > 0 else ""
