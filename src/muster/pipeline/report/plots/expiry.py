"""The next fourteen days: which groups lose committed offsets when, and how many unread records hang on them."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import pyarrow.compute as pc

from muster.core.time_units import DAY_MS
from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts, GroupKey
from muster.pipeline.report.links import row_label
from muster.pipeline.report.marks import PLOT_WIDTH, RowOfMarks, box, dot, row_frame, words_at
from muster.pipeline.report.markup import Html, together
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.scales import TimeScale

_ROW = 34
_LARGEST = 13.0
_SMALLEST = 2.5
_RING = 5.0
_HEADING = "Offsets that expire in the next 14 days"


@dataclass(slots=True)
class Loss:
    """What one group loses on one day."""

    first_ms: int
    offsets: int = 0
    at_risk: int = 0
    unknown: int = 0
    """Offsets of which nobody knows how many records are unread."""


def expiry_calendar(facts: Facts) -> Html:
    now = facts.end_ms
    midnight = now // DAY_MS * DAY_MS
    end = midnight + limits.EXPIRY_DAYS * DAY_MS
    table = facts.table("g_expiry")
    soon = table.filter(pc.less(table["expires_ms"], end))
    losses: dict[GroupKey, dict[int, Loss]] = defaultdict(dict)
    for row in soon.select(["cluster", "group_id", "expires_ms", "at_risk_records"]).to_pylist():
        at = max(row["expires_ms"], now)
        loss = losses[GroupKey(row["cluster"], row["group_id"])].setdefault(at // DAY_MS, Loss(at))
        loss.first_ms = min(loss.first_ms, at)
        loss.offsets += 1
        loss.at_risk += row["at_risk_records"] or 0
        loss.unknown += row["at_risk_records"] is None
    if not losses:
        return nothing(_HEADING, "No committed offset expires in the next 14 days, as far as this lake knows.")
    return _calendar(facts, losses, midnight, end)


def _calendar(facts: Facts, losses: dict[GroupKey, dict[int, Loss]], midnight: int, end: int) -> Html:
    by_risk = sorted(
        losses, key=lambda key: (-sum(loss.at_risk for loss in losses[key].values()), min(losses[key]), key)
    )
    shown = sorted(by_risk[: limits.EXPIRY_GROUPS], key=lambda key: (min(losses[key]), key))
    largest = max((loss.at_risk for key in shown for loss in losses[key].values()), default=0)
    scale = TimeScale(midnight, end, PLOT_WIDTH)
    rows = [_row(facts, key, losses[key], scale, largest) for key in shown]
    days = [midnight + i * DAY_MS for i in range(limits.EXPIRY_DAYS)]
    half = (scale.x(days[1]) - scale.x(days[0])) / 2
    ticks = [(scale.x(day) + half, f"{words.weekday(day)} {words.day(day).split()[0]}") for day in days]
    passed = box(0, 0, scale.x(facts.end_ms), _ROW * len(rows), class_="past")
    reads = (
        f"From {words.day(midnight)} (UTC), the soonest on top. One circle is what a group loses on that day; its area is the "
        "number of unread records whose place would be forgotten; a grey ring where nobody knows that number."
    )
    hidden = left_out(
        len(losses) - len(shown), "groups with expiring offsets are", "fewer unread records are at risk there."
    )
    return figure(
        _HEADING,
        "Look for large circles near the left: soon the place of that many unread records is forgotten.",
        reads,
        row_frame(
            rows, row_height=_ROW, title=_HEADING, ticks=ticks, rules=map(scale.x, days), behind=passed, to_now=False
        ),
        left_out=hidden,
    )


def _row(facts: Facts, key: GroupKey, losses: dict[int, Loss], scale: TimeScale, largest: int) -> RowOfMarks:
    drawn, spoken = [], []
    for number, loss in sorted(losses.items()):
        x = scale.x(number * DAY_MS + DAY_MS / 2)
        smallest = _RING if loss.unknown else _SMALLEST
        radius = max(_LARGEST * math.sqrt(loss.at_risk / largest), smallest) if largest else smallest
        said = f"{words.moment(loss.first_ms)}: {words.many(loss.offsets, 'offset')}, {words.at_risk(loss.at_risk, loss.unknown)}"
        kind = "risk" if loss.at_risk else "risk-unknown" if loss.unknown else "no-risk"
        drawn.append(dot(x, _ROW / 2, radius, class_=kind, data_tip=said))
        if loss.at_risk:
            least = "≥" if loss.unknown else ""
            text = least + words.short_count(loss.at_risk, 2)
            drawn.append(words_at(x + radius + 3, _ROW / 2 + 4, text, class_="beside"))
        spoken.append(said)
    return RowOfMarks(
        row_label(facts, key), together(drawn), f"{facts.plain(key)}: {'; '.join(spoken)}", facts.plain(key)
    )
