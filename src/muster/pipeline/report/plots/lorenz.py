"""How unequal one group's shares are: members from the least to the most loaded, and what they carry together.

Twice: by partitions, and by the records written to them, because equal numbers of partitions can be unequal work.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow.compute as pc

from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts, GroupKey
from muster.pipeline.report.marks import dot, drawing, legend, line, path, words_at
from muster.pipeline.report.markup import Html, tag, together
from muster.pipeline.report.plots.figure import figure, nothing

_LEFT, _TOP, _SIDE = 64, 8, 260
_HEADING = "How equal the shares are"
_SERIES = (("partitions", "by partitions"), ("records", "by records written"))

Point = tuple[float, float]


def lorenz(facts: Facts, key: GroupKey) -> Html:
    own = facts.of_group("g_member", key)
    present = own.filter(pc.fill_null(own["is_present"], False))
    held = {row["identity"] or "": row["n_partitions"] or 0 for row in present.to_pylist()}
    if len(held) < 2 or not sum(held.values()):
        return nothing(_HEADING, "Fewer than two members share partitions now: there is nothing to compare.")
    shares = {"partitions": list(held.values()), "records": _written(facts, key, held)}
    curves = {kind: (curve(loads), gini(loads)) for kind, loads in shares.items() if sum(loads) > 0}
    said = " ".join(
        f"{word.capitalize()}: Gini {words.ratio(curves[kind][1])}, the busiest of {words.many(len(held), 'member')} has "
        f"{words.share(max(shares[kind]) / sum(shares[kind]))}."
        for kind, word in _SERIES
        if kind in curves
    )
    reads = (
        "Members stand from the least to the most loaded; a line says which share of the load the first so many carry together. "
        "Equal shares follow the dashed line. Gini is 0 when all are equal and near 1 when one has everything."
    )
    content = together((_axes(), *(_drawn(kind, word, *curves[kind]) for kind, word in _SERIES if kind in curves)))
    colours = legend(
        [("even-line", "equal shares"), *((f"lorenz-{kind}", word) for kind, word in _SERIES if kind in curves)],
        "Lines",
    )
    look_for = "Look how far the lines sag below the dashed one: the deeper, the more a few members carry."
    plot = drawing(content, _LEFT + _SIDE + 40, _TOP + _SIDE + 40, _HEADING)
    return figure(_HEADING, look_for, reads, colours, tag("div", plot, tag("p", said), class_="side-by-side"))


def _written(facts: Facts, key: GroupKey, held: dict[str, int]) -> list[float]:
    """Records a second written to the partitions of each member; nothing where an owner of the group is not known."""
    loads = dict.fromkeys(held, 0.0)
    for row in facts.of_group("g_lag", key).select(["owner", "produce_rate"]).to_pylist():
        if row["owner"] in loads:
            loads[row["owner"]] += row["produce_rate"] or 0.0
    return list(loads.values())


def curve(loads: Sequence[float]) -> list[Point]:
    """From (0, 0) to (1, 1): share of members, share of the load."""
    total, so_far = sum(loads), 0.0
    points = [(0.0, 0.0)]
    for number, load in enumerate(sorted(loads), 1):
        so_far += load
        points.append((number / len(loads), so_far / total))
    return points


def gini(loads: Sequence[float]) -> float:
    """analytics 2.7: of sorted loads x_1 to x_n the sum of (2i - n - 1) x_i over n times their total."""
    n = len(loads)
    weighted = sum((2 * i - n - 1) * load for i, load in enumerate(sorted(loads), 1))
    return weighted / (n * sum(loads))


def _place(point: Point) -> Point:
    return _LEFT + point[0] * _SIDE, _TOP + (1 - point[1]) * _SIDE


def _axes() -> Html:
    marks = []
    for part in (0.0, 0.25, 0.5, 0.75, 1.0):
        (x, y), label = _place((part, part)), f"{part * 100:.0f} %"
        marks.append(line(x, _TOP, x, _TOP + _SIDE, class_="grid"))
        marks.append(line(_LEFT, y, _LEFT + _SIDE, y, class_="grid"))
        marks.append(words_at(x, _TOP + _SIDE + 15, label, class_="tick", text_anchor="middle"))
        marks.append(words_at(_LEFT - 6, y + 4, label, class_="tick", text_anchor="end"))
    below = words_at(_LEFT + _SIDE / 2, _TOP + _SIDE + 34, "of the members", class_="tick", text_anchor="middle")
    above = words_at(_LEFT + 6, _TOP + 12, "of the load", class_="tick")
    return together((*marks, line(*_place((0, 0)), *_place((1, 1)), class_="even"), below, above))


def _drawn(kind: str, word: str, points: list[Point], unequal: float) -> Html:
    step = max(1, -(-len(points) // limits.LORENZ_POINTS))
    kept = [*points[:-1][::step], points[-1]]
    dots = (
        dot(
            *_place(point),
            3,
            class_=f"lorenz-dot-{kind}",
            data_tip=f"{word}: {words.share(point[0])} of the members carry {words.share(point[1])}",
        )
        for point in kept[1:-1]
    )
    return tag(
        "g",
        path([_place(point) for point in kept], class_=f"lorenz-{kind}"),
        together(dots),
        class_="row",
        role="img",
        aria_label=f"{word}: Gini {words.ratio(unequal)}",
    )
