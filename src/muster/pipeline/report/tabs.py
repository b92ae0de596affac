"""Several views of one plot, one shown at a time by buttons over them (assets/page.js). Without scripts they follow each other."""

from __future__ import annotations

from collections.abc import Sequence

from muster.pipeline.report.markup import Html, tag, together


def tabbed(views: Sequence[tuple[str, Html]], anchor: str, what: str) -> Html:
    """`views` are pairs of a button's words and what it shows; `what` is chosen, for screen readers."""
    shown = together(
        tag(
            "div",
            tag("h4", words, class_="view-name") if len(views) > 1 else None,
            view,
            id=f"{anchor}{i}",
            class_="view" if i == 0 else "view second",
        )
        for i, (words, view) in enumerate(views)
    )
    if len(views) < 2:
        return tag("div", shown, class_="tabbed")
    buttons = together(
        tag(
            "button",
            words,
            type="button",
            class_="tab",
            aria_pressed="true" if i == 0 else "false",
            data_shows=f"{anchor}{i}",
        )
        for i, (words, _) in enumerate(views)
    )
    return tag("div", tag("div", buttons, class_="tabs", role="group", aria_label=what), shown, class_="tabbed")
