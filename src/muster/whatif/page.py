"""The answers as a page of the report: for each group its advice, a picture of settings against time without an owner and the time
in which a death is noticed, and the figures as a table. One string that fetches nothing; names from outside cannot become markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from muster.pipeline.report import words
from muster.pipeline.report.marks import dot, drawing, legend, line, words_at
from muster.pipeline.report.markup import Html, name, tag, together, visible
from muster.pipeline.report.page import asset, policy
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.scales import Scale, duration_ticks
from muster.whatif.advice import advise, why_none

MOST_GROUPS: Final = 100
_LEFT, _TOP, _WIDTH, _HEIGHT = 84, 26, 560, 300
_RADIUS: Final = 5
_WIDE, _HIGH = 12, 9
"""Points that are closer than this to each other share a label."""
_COLUMNS: Final = ("rebalances", "moved", "unowned_ms", "longest_unowned_ms", "waited", "deaths", "detection_ms")
_HEADINGS: Final = (
    "rebalances",
    "moved",
    "without owner",
    "of one partition",
    "records waited",
    "deaths noticed",
    "after at most",
)
_MOST_PARTITIONS: Final = 20

Row = dict[str, Any]


def render(rows: Sequence[Row], generated_ms: int, count: int | None = None) -> str:
    """`rows`: as the job gives them. `count`: of how many groups, if rows are left out already."""
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
    count = len(groups) if count is None else count
    hidden = left_out(count - len(shown), "groups are", "--group chooses others.")
    body = tag(
        "body",
        tag(
            "header",
            tag("h1", "What if"),
            tag("p", f"{words.many(count, 'group')} · page made {words.moment(generated_ms)} UTC"),
            tag("button", "Theme: auto", type="button", id="theme", aria_label="Theme: auto. Press to change."),
        ),
        tag("main", *(_group(key, own) for key, own in shown), tag("p", hidden, class_="left-out") if hidden else None),
        tag("div", id="tip", role="status"),
        tag("script", Html(script)),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _group(key: tuple[str, str], rows: Sequence[Row]) -> Html:
    advice = advise(rows) or why_none(rows)
    return tag(
        "section",
        tag("h2", name(key[1]), " at ", name(key[0])),
        tag("p", advice, class_="group-summary"),
        _assumed(rows),
        _picture(rows),
        _table(rows),
        _partitions(rows),
        class_="part",
    )


def _assumed(rows: Sequence[Row]) -> Html | None:
    said = next((row["assumed"] for row in rows if row["assumed"]), None)
    return None if said is None else tag("p", f"Assumed: {said}.")


def _picture(rows: Sequence[Row]) -> Html:
    heading = "Settings against time without an owner and unnoticed deaths"
    usable = [row for row in rows if row["problem"] is None]
    if not usable:
        return nothing(heading, "Nothing of this group can be replayed.")
    points = [Point("as it was", "recorded", 0, usable[0])]
    points += [Point(row["variant"], "replayed", number, row) for number, row in enumerate(rows, 1) if row in usable]
    x = Scale(0, max(1_000, *(each.detection_ms or 0 for each in points)) * 1.1, _LEFT, _LEFT + _WIDTH)
    y = Scale(0, max(1_000, *(each.unowned_ms for each in points)) * 1.1, _TOP + _HEIGHT, _TOP)
    dots = together(_mark(each, x, y) for each in reversed(points))
    return figure(
        heading,
        "Look for points to the lower left of the recorded one: less time without an owner, and deaths noticed no later.",
        "One point for each settings, with its number in the table below. To the right: how long a dead member went unnoticed at"
        " most; at the very left none was noticed. Up: time without an owner, summed over partitions.",
        legend([("tone-bad", "as it was"), ("tone-good", "with other settings")], "Colours"),
        drawing(together((_axes(x, y), dots, *_labels(points, x, y))), _LEFT + _WIDTH, _TOP + _HEIGHT + 40, heading),
    )


@dataclass(frozen=True, slots=True)
class Point:
    said: str
    kind: str
    """`recorded` or `replayed`: which figures of the row it shows."""
    number: int
    """In the table; 0 is what was."""
    row: Row

    @property
    def detection_ms(self) -> int | None:
        found: int | None = self.row[f"{self.kind}_detection_ms"]
        return found

    @property
    def unowned_ms(self) -> int:
        return int(self.row[f"{self.kind}_unowned_ms"])

    def place(self, x: Scale, y: Scale) -> tuple[float, float]:
        return x.at(self.detection_ms or 0), y.at(self.unowned_ms)


def _mark(point: Point, x: Scale, y: Scale) -> Html:
    noticed = "no death noticed"
    if point.detection_ms is not None:
        noticed = f"a death noticed after {words.duration(point.detection_ms)}"
    rebalances = words.many(point.row[f"{point.kind}_rebalances"], "rebalance")
    tip = f"{point.said}: {words.duration(point.unowned_ms)} without an owner, {noticed}, {rebalances}"
    tone = "tone-bad" if point.kind == "recorded" else "tone-good"
    return dot(*point.place(x, y), _RADIUS, class_=tone, data_tip=tip)


def _labels(points: Sequence[Point], x: Scale, y: Scale) -> Iterator[Html]:
    """Numbers beside the points. Those that lie on each other share one label."""
    labels: list[tuple[float, float, list[int]]] = []
    for point in points:
        across, up = point.place(x, y)
        near = next((each for each in labels if abs(each[0] - across) < _WIDE and abs(each[1] - up) < _HIGH), None)
        if near is None:
            labels.append((across, up, [point.number]))
        else:
            near[2].append(point.number)
    for across, up, numbers in labels:
        text = ", ".join(str(number) if number else "as it was" for number in sorted(numbers))
        yield words_at(across + 9, up + 4, text, class_="tick")


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
    heads = tag("tr", *(tag("th", word, scope="col") for word in ("", "settings", *_HEADINGS, "reproduced")))
    lines = [_line(0, "as it was", next((row for row in rows if row["problem"] is None), None), "recorded")]
    lines += [_line(number, row["variant"], row, "replayed") for number, row in enumerate(rows, 1)]
    return _scrolled(heads, lines)


def _scrolled(heads: Html, lines: Sequence[Html | None]) -> Html:
    return tag("div", tag("table", tag("thead", heads), tag("tbody", *lines), class_="plain"), class_="scroll")


def _partitions(rows: Sequence[Row]) -> Html | None:
    """How long each partition had no owner, and would have had none with each of the settings, by their number in the table."""
    numbers = [number for number, row in enumerate(rows, 1) if row["problem"] is None]
    was: dict[str, int] = {}
    would_be: list[dict[str, int]] = []
    for row in (rows[number - 1] for number in numbers):
        names = {f"{each['topic']}-{each['partition']}": each for each in row["partitions"]}
        was |= {label: each["recorded_ms"] for label, each in names.items()}
        would_be.append({label: each["replayed_ms"] for label, each in names.items()})
    longest = {label: max([was[label], *(each.get(label, 0) for each in would_be)]) for label in was}
    shown = sorted(longest, key=lambda label: (-longest[label], label))[:_MOST_PARTITIONS]
    if not shown:
        return None
    settings = ("as it was", *map(str, numbers))
    heads = tag("tr", *(tag("th", word, scope="col") for word in ("partition", *settings)))
    lines = [
        tag(
            "tr",
            tag("th", name(label), scope="row"),
            *(tag("td", words.duration(each.get(label, 0))) for each in (was, *would_be)),
        )
        for label in shown
    ]
    hidden = left_out(len(longest) - len(shown), "partitions are", "--json has them.")
    return tag(
        "details",
        tag("summary", "Time without an owner, by partition"),
        _scrolled(heads, lines),
        tag("p", hidden, class_="left-out") if hidden else None,
    )


def _line(number: int, said: str, row: Row | None, kind: str) -> Html | None:
    if row is None:
        return None
    head = [tag("td", str(number) if number else ""), tag("th", said, scope="row")]
    if row["problem"] is not None:
        return tag("tr", *head, tag("td", visible(row["problem"], 200), colspan=str(len(_COLUMNS) + 1)))
    values = [_value(column, row[f"{kind}_{column}"]) for column in _COLUMNS]
    given_back = f"{row['reproduced']} of {row['recorded_rebalances']}"
    return tag("tr", *head, *(tag("td", each) for each in (*values, given_back)))


def _value(column: str, value: int | None) -> str:
    if value is None:
        return "–"
    return words.duration(value) if column.endswith("_ms") else words.count(value)
