"""Who owned each partition when: one lane a partition, one piece a stay with an owner. A change of colour is a move.

Needs two silver tables, the assignments and the generations (an empty generation is when nobody owned anything).
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple

from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row
from muster.pipeline.report.marks import PLOT_WIDTH, RowOfMarks, box, legend, row_frame, words_at
from muster.pipeline.report.markup import Html, together, two_parts, visible
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.scales import TimeScale

_ROW = 18
_COLOURS = 8
_HEADING = "Who owned each partition"
_FINE_TO_COARSE = ((limits.LANE_ROWS, 2), (limits.LANE_ROWS, 4), (20, 4), (10, 4), (10, 8), (10, 16), (10, 32))
"""Lanes at most, and how many pixels are a short stay."""

Partition = tuple[str, int]


class Stay(NamedTuple):
    owner: str
    begin_ms: int
    end_ms: int
    moves: int = 0
    """More than none: several short stays drawn as one, the last of them with this owner."""


def lanes(facts: Facts, key: GroupKey) -> Html:
    stays = _stays(facts, key)
    if not stays:
        return nothing(
            _HEADING, f"No assignment of this group {facts.where} (only members of the consumer protocol have one)."
        )
    scale = TimeScale(facts.start_ms, facts.end_ms, PLOT_WIDTH)
    drawn_stays = _drawn(stays, scale)
    colours = _colours(stays)
    rows = [
        _lane(partition, stays[partition], drawn, colours, scale) for partition, drawn in sorted(drawn_stays.items())
    ]
    reads = (
        "One lane a partition (UTC). A piece is the time with one owner, a new colour a move to another one; "
        "a piece without a colour is where moves stand too close to be told apart, an empty stretch is time without an owner."
    )
    hidden = left_out(len(stays) - len(rows), "partitions are", "they moved less often.")
    drawn = row_frame(rows, row_height=_ROW, title=_HEADING, ticks=scale.ticks())
    look_for = (
        "Look for lanes of many colours: those partitions changed hands often. Empty stretches had nobody to read them."
    )
    return figure(_HEADING, look_for, reads, _owner_legend(colours), drawn, left_out=hidden)


def _stays(facts: Facts, key: GroupKey) -> dict[Partition, list[Stay]]:
    """Cut to the page's window; neighbours with the same owner are one stay."""
    generations = sorted(_generation_times(facts, key).items())
    owners = _owners(facts, key)
    stays: dict[Partition, list[Stay]] = defaultdict(list)
    for (offset, begin), (_, end) in pairwise([*generations, (-1, facts.end_ms)]):
        if end < facts.start_ms:
            continue
        for partition, owner in owners.get(offset, {}).items():
            _extend(stays[partition], Stay(owner, max(begin, facts.start_ms), max(end, begin)))
    return dict(stays)


def _extend(stays: list[Stay], stay: Stay) -> None:
    if stays and stays[-1].owner == stay.owner and stays[-1].end_ms >= stay.begin_ms:
        stays[-1] = Stay(stay.owner, stays[-1].begin_ms, stay.end_ms)
    else:
        stays.append(stay)


def _generation_times(facts: Facts, key: GroupKey) -> dict[int, int]:
    """Record time by log offset: a group lives in one log partition, so the offset is its order."""
    times: dict[int, int] = {}
    for table in ("s_assignment", "s_group_generation"):
        rows: list[Row] = facts.of_group(table, key).select(["log_offset", "record_ms"]).to_pylist()
        times.update((row["log_offset"], row["record_ms"]) for row in rows)
    return times


def _owners(facts: Facts, key: GroupKey) -> dict[int, dict[Partition, str]]:
    owners: dict[int, dict[Partition, str]] = defaultdict(dict)
    for row in facts.of_group("s_assignment", key).to_pylist():
        owners[row["log_offset"]][row["topic"], row["partition"]] = row["identity"] or row["member_id"] or ""
    return owners


def _colours(stays: dict[Partition, list[Stay]]) -> dict[str, int]:
    """A colour for each owner in the order of first appearance; with more owners than colours they repeat, and the words tell."""
    first: dict[str, int] = {}
    for pieces in stays.values():
        for stay in pieces:
            first[stay.owner] = min(first.get(stay.owner, stay.begin_ms), stay.begin_ms)
    return {owner: i % _COLOURS for i, owner in enumerate(sorted(first, key=lambda o: (first[o], o)))}


def _drawn(stays: dict[Partition, list[Stay]], scale: TimeScale) -> dict[Partition, list[Stay]]:
    """The lanes that moved most, short stays side by side as one piece. Fewer lanes and a growing idea of short until it fits."""
    most_moved = sorted(stays, key=lambda partition: (-len(stays[partition]), partition))
    for rows, pixels in _FINE_TO_COARSE:
        shortest_ms = pixels * (scale.end_ms - scale.start_ms) / scale.width
        drawn = {partition: _joined(stays[partition], shortest_ms) for partition in most_moved[:rows]}
        if sum(map(len, drawn.values())) <= limits.LANE_PIECES:
            break
    return drawn


def _joined(stays: list[Stay], shortest_ms: float) -> list[Stay]:
    joined: list[Stay] = []
    for stay in stays:
        last = joined[-1] if joined else None
        short = stay.end_ms - stay.begin_ms < shortest_ms
        last_short = last is not None and (last.moves or last.end_ms - last.begin_ms < shortest_ms)
        if last and short and last_short and stay.begin_ms - last.end_ms < shortest_ms:
            joined[-1] = Stay(stay.owner, last.begin_ms, stay.end_ms, last.moves + 1)
        else:
            joined.append(stay)
    return joined


def _lane(
    partition: Partition, stays: list[Stay], drawn: list[Stay], colours: dict[str, int], scale: TimeScale
) -> RowOfMarks:
    plain = f"{visible(partition[0])}-{partition[1]}"
    label = two_parts(partition[0], f"-{partition[1]}")
    spoken = f"{plain}: {words.many(len(stays) - 1, 'move')}, last owner {visible(stays[-1].owner)}"
    return RowOfMarks(label, together(_piece(stay, colours, scale) for stay in drawn), spoken, plain)


def _piece(stay: Stay, colours: dict[str, int], scale: TimeScale) -> Html:
    x, end = scale.x(stay.begin_ms), scale.x(stay.end_ms)
    if stay.moves:
        said = f"{words.many(stay.moves, 'move')} from {_span(stay)}, then {visible(stay.owner, limits.LANE_OWNER_CHARACTERS)}"
        return box(x, 1, end - x, _ROW - 2, class_="crowd", data_tip=said)
    owner = visible(stay.owner, limits.LANE_OWNER_CHARACTERS)
    room = int((end - x - 8) / 6.6)
    fits = visible(stay.owner, room) if room >= 8 else None
    piece = box(
        x, 1, end - x - 1, _ROW - 2, class_=f"owner{colours[stay.owner]}", data_tip=f"{owner} from {_span(stay)}"
    )
    return together((piece, words_at(x + 4, _ROW - 5, fits, class_="owner-words") if fits else None))


def _span(stay: Stay) -> str:
    return f"{words.clock(stay.begin_ms, seconds=True)} to {words.clock(stay.end_ms, seconds=True)}"


def _owner_legend(colours: dict[str, int]) -> Html | None:
    if len(colours) > _COLOURS:
        return None
    return legend([(f"owner{i}", visible(owner, 32)) for owner, i in colours.items()], "Colours: owner")
