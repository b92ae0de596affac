"""How many generations each group went through since the window began: every rebalance is a step. Steep is a storm."""

from __future__ import annotations

from dataclasses import dataclass

from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row, within
from muster.pipeline.report.grouping import Grouped
from muster.pipeline.report.marks import PLOT_WIDTH, axis, dot, drawing, line, path, words_at
from muster.pipeline.report.markup import Html, tag, together, visible
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.scales import Scale, TimeScale

_TOP, _HEIGHT, _GUTTER = 10, 230, 40
_NAME_CHARACTERS = 28
_LABEL_HEIGHT = 14
_HEADING = "Generations of each group"

Step = tuple[int, int, Row]
"""When, how many generations so far, the rebalance itself."""


@dataclass(frozen=True, slots=True)
class Frame:
    time: TimeScale
    height: Scale

    def x(self, ms: int) -> float:
        return _GUTTER + self.time.x(ms)


def staircase(facts: Facts) -> Html:
    recent = within(facts.table("g_rebalance"), "ended_ms", facts.start_ms, facts.end_ms)
    groups = Grouped(recent, ["cluster", "group_id"])
    counted = {GroupKey(*key): count for key, count in zip(groups.keys, groups.counts(), strict=True)}
    if not counted:
        return nothing(_HEADING, "No rebalance in this time.")
    order = {key: i for i, key in enumerate(facts.groups)}
    busiest = sorted(counted, key=lambda key: (-counted[key], order.get(key, len(order))))[: limits.STAIR_GROUPS]
    stairs = {
        key: climbed(within(facts.of_group("g_rebalance", key), "ended_ms", facts.start_ms, facts.end_ms).to_pylist())
        for key in busiest
    }
    highest = max(steps[-1][1] for steps in stairs.values())
    frame = Frame(TimeScale(facts.start_ms, facts.end_ms, PLOT_WIDTH - _GUTTER), Scale(0, highest, _HEIGHT, _TOP))
    heights = _apart([frame.height.at(stairs[key][-1][1]) for key in busiest])
    drawn = [_stair(facts, key, i, stairs[key], frame, heights[i]) for i, key in enumerate(busiest)]
    reads = (
        "A line climbs by one with every generation of a group, those included that never came to work (UTC). "
        "Names stand at the ends of the lines, with the number of generations in this time."
    )
    hidden = left_out(len(counted) - len(busiest), "groups are", "they rebalanced less often.")
    plot = drawing(together((_axes(frame), *drawn)), PLOT_WIDTH + 200, _HEIGHT + 22, _HEADING, to_now=True)
    look_for = "Look for a steep line: that group forms anew again and again, a storm. Flat is calm."
    return figure(_HEADING, look_for, reads, plot, left_out=hidden)


def climbed(rebalances: list[Row]) -> list[Step]:
    """Aborted generations count: each made every member join again."""
    steps: list[Step] = []
    so_far = 0
    for row in sorted(rebalances, key=lambda row: (row["ended_ms"], row["log_offset"] or 0)):
        so_far += 1 + (row["aborted_generations"] or 0)
        steps.append((row["ended_ms"], so_far, row))
    return steps


def _axes(frame: Frame) -> Html:
    upright = tag("g", axis(frame.time.ticks(), _HEIGHT), transform=f"translate({_GUTTER} 0)")
    marks = []
    for value in frame.height.ticks():
        if value == int(value):
            y = frame.height.at(value)
            marks.append(line(_GUTTER, y, PLOT_WIDTH, y, class_="grid"))
            marks.append(words_at(_GUTTER - 6, y + 4, words.short_count(value), class_="tick", text_anchor="end"))
    return together((upright, *marks))


def _stair(facts: Facts, key: GroupKey, number: int, steps: list[Step], frame: Frame, label_y: float) -> Html:
    total = steps[-1][1]
    right = frame.x(frame.time.end_ms)
    end_y = frame.height.at(total)
    readings = (
        dot(frame.x(at), frame.height.at(so_far), 4, class_="stair-dot", data_tip=_tip(at, so_far, row))
        for at, so_far, row in _some(steps, limits.STAIR_READINGS)
    )
    name = facts.plain(key)
    return tag(
        "g",
        path(_corners(steps, frame), class_=f"stair stair{number}"),
        together(readings),
        line(right, end_y, right + 20, label_y, class_=f"stair-lead stair{number}"),
        words_at(
            right + 24, label_y + 4, f"{facts.beside(key, _NAME_CHARACTERS)} {words.count(total)}", class_="beside"
        ),
        class_="row",
        role="img",
        aria_label=f"{name}: {words.many(total, 'generation')}, {_fastest(steps)}",
        data_name=name,
    )


def _corners(steps: list[Step], frame: Frame) -> list[tuple[float, float]]:
    points = [(frame.x(frame.time.start_ms), frame.height.at(0))]
    for at, so_far, _ in _some(steps, limits.STAIR_POINTS):
        x = frame.x(at)
        points += [(x, points[-1][1]), (x, frame.height.at(so_far))]
    return [*points, (frame.x(frame.time.end_ms), points[-1][1])]


def _some(steps: list[Step], most: int) -> list[Step]:
    """At most so many, evenly chosen, the last one among them."""
    if len(steps) <= most:
        return steps
    return [steps[-1 - round(i * (len(steps) - 1) / (most - 1))] for i in range(most - 1, -1, -1)]


def _tip(at_ms: int, so_far: int, row: Row) -> str:
    return (
        f"{words.clock(at_ms, seconds=True)} UTC: generation {words.count(row['generation'])}, "
        f"number {words.count(so_far)} in this time, {visible(row['cause'])}"
    )


def _fastest(steps: list[Step], span_ms: int = 600_000) -> str:
    """The most generations within ten minutes."""
    most, first = 0, 0
    for i, (at, so_far, _) in enumerate(steps):
        while steps[first][0] < at - span_ms:
            first += 1
        most = max(most, so_far - (steps[first - 1][1] if first else 0))
        assert first <= i
    return f"at most {words.count(most)} within {words.duration(span_ms)}"


def _apart(heights: list[float]) -> list[float]:
    """Places for labels, each near its line's end and none over another; `heights` come from the top down."""
    placed: list[float] = []
    for i, y in enumerate(heights):
        lowest = _HEIGHT - (len(heights) - 1 - i) * _LABEL_HEIGHT
        placed.append(max(min(y, lowest), placed[-1] + _LABEL_HEIGHT if placed else _TOP))
    return placed
