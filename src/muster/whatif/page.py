"""The answers as a page of the report: for each group its advice, a picture of settings against time without an owner and the time
in which a death is noticed, and the figures as a table. One string that fetches nothing; names from outside cannot become markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from muster.pipeline.report import words
from muster.pipeline.report.marks import dot, drawing, legend, line, words_at
from muster.pipeline.report.markup import Html, name, tag, together, visible
from muster.pipeline.report.page import asset, policy
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.scales import Scale, duration_ticks
from muster.whatif.advice import advise

MOST_GROUPS: Final = 100
_LEFT, _TOP, _WIDTH, _HEIGHT = 84, 26, 560, 300
_COLUMNS: Final = ("rebalances", "moved", "unowned_ms", "waited", "detection_ms")
_HEADINGS: Final = ("rebalances", "moved", "without owner", "records waited", "death noticed after")

Row = dict[str, Any]


def render(rows: Sequence[Row], generated_ms: int) -> str:
    """`rows`: as the job gives them."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["cluster"], row["group_id"]), []).append(row)
    style, script = asset("page.css"), asset("page.js")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy(style, script)),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", "What if"),
        tag("style", Html(style)),
    )
    shown = list(groups.items())[:MOST_GROUPS]
    hidden = left_out(len(groups) - len(shown), "groups are", "--group chooses others.")
    body = tag(
        "body",
        tag(
            "header",
            tag("h1", "What if"),
            tag("p", f"{words.many(len(groups), 'group')} · page made {words.moment(generated_ms)} UTC"),
            tag("button", "Theme: auto", type="button", id="theme", aria_label="Theme: auto. Press to change."),
        ),
        tag("main", *(_group(key, own) for key, own in shown), tag("p", hidden, class_="left-out") if hidden else None),
        tag("div", id="tip", role="status"),
        tag("script", Html(script)),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _group(key: tuple[str, str], rows: Sequence[Row]) -> Html:
    advice = advise(rows) or "No other settings are better by what was asked, or the replay cannot be believed."
    return tag(
        "section",
        tag("h2", name(key[1]), " at ", name(key[0])),
        tag("p", advice, class_="group-summary"),
        _picture(rows),
        _table(rows),
        class_="part",
    )


def _picture(rows: Sequence[Row]) -> Html:
    heading = "Settings against time without an owner and unnoticed deaths"
    usable = [row for row in rows if row["problem"] is None]
    if not usable:
        return nothing(heading, "Nothing of this group can be replayed.")
    points = [("recorded", "as it was", usable[0])] + [("replayed", row["variant"], row) for row in usable]
    across = max((row[f"{kind}_detection_ms"] or 0 for kind, _, row in points), default=0)
    up = max(row[f"{kind}_unowned_ms"] for kind, _, row in points)
    x = Scale(0, max(across, 1_000) * 1.1, _LEFT, _LEFT + _WIDTH)
    y = Scale(0, max(up, 1_000) * 1.1, _TOP + _HEIGHT, _TOP)
    dots = together(_mark(kind, said, row, x, y) for kind, said, row in reversed(points))
    return figure(
        heading,
        "Look for points to the lower left of the recorded one: less time without an owner, and deaths noticed no later.",
        "One point for each settings. To the right: how long a dead member went unnoticed at most; at the very left none was"
        " noticed. Up: time without an owner, summed over partitions.",
        legend([("tone-bad", "as it was"), ("tone-good", "with other settings")], "Colours"),
        drawing(together((_axes(x, y), dots)), _LEFT + _WIDTH, _TOP + _HEIGHT + 40, heading),
    )


def _mark(kind: str, said: str, row: Row, x: Scale, y: Scale) -> Html:
    detection_ms, unowned_ms = row[f"{kind}_detection_ms"], row[f"{kind}_unowned_ms"]
    noticed = "no death noticed" if detection_ms is None else f"a death noticed after {words.duration(detection_ms)}"
    tip = f"{said}: {words.duration(unowned_ms)} without an owner, {noticed}, {words.many(row[f'{kind}_rebalances'], 'rebalance')}"
    tone = "tone-bad" if kind == "recorded" else "tone-good"
    return dot(x.at(detection_ms or 0), y.at(unowned_ms), 5, class_=tone, data_tip=tip)


def _axes(x: Scale, y: Scale) -> Html:
    bottom, right = _TOP + _HEIGHT, _LEFT + _WIDTH
    marks = []
    for ms in duration_ticks(x.high):
        marks.append(line(x.at(ms), _TOP, x.at(ms), bottom, class_="grid"))
        marks.append(words_at(x.at(ms), bottom + 15, words.duration(ms), class_="tick", text_anchor="middle"))
    for ms in duration_ticks(y.high):
        marks.append(line(_LEFT, y.at(ms), right, y.at(ms), class_="grid"))
        marks.append(words_at(_LEFT - 6, y.at(ms) + 4, words.duration(ms), class_="tick", text_anchor="end"))
    marks.append(
        words_at(_LEFT + _WIDTH / 2, bottom + 34, "death noticed after →", class_="tick", text_anchor="middle")
    )
    marks.append(words_at(_LEFT - 6, 10, "without owner ↑", class_="tick", text_anchor="start"))
    return together(marks)


def _table(rows: Sequence[Row]) -> Html:
    heads = tag("tr", *(tag("th", word, scope="col") for word in ("settings", *_HEADINGS, "reproduced", "note")))
    lines = [_line("as it was", next((row for row in rows if row["problem"] is None), None), "recorded")]
    lines += [_line(row["variant"], row, "replayed") for row in rows]
    return tag("div", tag("table", tag("thead", heads), tag("tbody", *lines)), class_="scroll")


def _line(said: str, row: Row | None, kind: str) -> Html | None:
    if row is None:
        return None
    values = [_value(column, row[f"{kind}_{column}"]) for column in _COLUMNS]
    given_back = "" if row["reproduced"] is None else f"{row['reproduced']} of {row['recorded_rebalances']}"
    note = row["problem"] or row["assumed"] or ""
    return tag(
        "tr", tag("th", said, scope="row"), *(tag("td", each) for each in (*values, given_back, visible(note, 200)))
    )


def _value(column: str, value: int | None) -> str:
    if value is None:
        return "–"
    return words.duration(value) if column.endswith("_ms") else words.count(value)
