"""Tables that sort and filter: which columns, in which order, how a value reads. Sorting itself is in assets/page.js.

A cell carries its raw value (`data-v`) where the text would sort wrongly. Rows are limited; the caption says what was left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row
from muster.pipeline.report.links import group_link
from muster.pipeline.report.markup import Html, name, tag, together, visible

Shown = str | Html


@dataclass(frozen=True, slots=True)
class Column:
    heading: str
    shows: Callable[[Row], Shown]
    sorts_by: Callable[[Row], Any] | None = None
    """Raw number behind the text; None sorts by the text itself."""
    note: str = ""
    is_number: bool = True
    """Set to the right, and first sorted from the largest; only where there is a raw number."""


@dataclass(frozen=True, slots=True)
class Sheet:
    anchor: str
    heading: str
    about: str
    columns: tuple[Column, ...]
    rows: list[Row]
    total: int
    order: str
    """How the rows are sorted when the page opens, in words."""


def sheet(content: Sheet) -> Html:
    """One table under its heading, closed or open, with a box to filter it."""
    if not content.rows:
        return tag(
            "section",
            tag("h3", content.heading),
            tag("p", "Nothing.", class_="nothing"),
            id=content.anchor,
            class_="sheet",
        )
    head = tag("tr", together(_heading(column) for column in content.columns))
    body = together(_line(content.columns, row) for row in content.rows)
    shown = f"{len(content.rows):,} of {content.total:,} rows, {content.order}"
    left = f" {content.total - len(content.rows):,} rows are left out." if content.total > len(content.rows) else ""
    finder = tag(
        "input",
        type="search",
        class_="finder",
        placeholder="Filter: words, -not",
        aria_label=f"Filter {content.heading}",
        aria_controls=f"{content.anchor}-rows",
    )
    table = tag("table", tag("thead", head), tag("tbody", body), id=f"{content.anchor}-rows")
    return tag(
        "section",
        tag("h3", content.heading),
        tag("p", content.about),
        tag(
            "div", finder, tag("span", shown + "." + left, class_="shown", aria_live="polite"), class_="bar-over-table"
        ),
        tag("div", table, class_="sheet-box", tabindex=0, role="region", aria_label=content.heading),
        id=content.anchor,
        class_="sheet",
    )


def _heading(column: Column) -> Html:
    button = tag("button", column.heading, type="button", title=column.note or None)
    return tag("th", button, scope="col", aria_sort="none", class_=_kind(column))


def _kind(column: Column) -> str | None:
    return "number" if column.sorts_by and column.is_number else None


def _line(columns: Iterable[Column], row: Row) -> Html:
    return tag("tr", together(_cell(column, row) for column in columns))


def _cell(column: Column, row: Row) -> Html:
    shown = column.shows(row)
    if column.sorts_by is None:
        return tag("td", shown)
    value = column.sorts_by(row)
    return tag(
        "td",
        shown,
        class_=_kind(column),
        data_v="" if value is None else str(value),
    )


def text(heading: str, column: str, note: str = "") -> Column:
    return Column(heading, lambda row: name(row[column]), None, note)


def long_text(heading: str, column: str) -> Column:
    return Column(heading, lambda row: tag("span", visible(row[column], limits.EVIDENCE_CHARACTERS), class_="long"))


def counted(heading: str, column: str, note: str = "") -> Column:
    return Column(heading, lambda row: words.count(row[column]), lambda row: row[column], note)


def lasting(heading: str, column: str, note: str = "") -> Column:
    return Column(heading, lambda row: words.duration(row[column]), lambda row: row[column], note)


def timed(heading: str, column: str, note: str = "") -> Column:
    return Column(
        heading, lambda row: tag("span", words.moment(row[column]), class_="mono"), lambda row: row[column], note
    )


def parted(heading: str, column: str, note: str = "") -> Column:
    return Column(heading, lambda row: words.share(row[column]), lambda row: row[column], note)


def measured(heading: str, column: str, note: str = "") -> Column:
    return Column(heading, lambda row: words.ratio(row[column]), lambda row: row[column], note)


def group_columns(facts: Facts) -> tuple[Column, ...]:
    """The group, and the cluster before it only where there are several."""
    group = Column("group", lambda row: group_link(facts, GroupKey(row["cluster"], row["group_id"])))
    return (text("cluster", "cluster"), group) if len(facts.clusters) > 1 else (group,)
