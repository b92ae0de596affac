"""Who owned each partition when: one lane a partition, one piece a stay with an owner. A change of colour is a move.

Needs two silver tables, the assignments and the generations (an empty generation is when nobody owned anything).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from muster.pipeline.report import limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row
from muster.pipeline.report.marks import PLOT_WIDTH, RowOfMarks, box, legend, line, row_frame, words_at
from muster.pipeline.report.markup import Html, name, together, visible
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.scales import TimeScale

_ROW = 18
_COLOURS = 8
_HEADING = "Who owned each partition"

Partition = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Stay:
    owner: str | None
    begin_ms: int
    end_ms: int


def lanes(facts: Facts, key: GroupKey) -> Html:
    stays = _stays(facts, key)
    if not stays:
        return nothing(
            _HEADING, "No assignment of this group in the lake (only members of the consumer protocol have one)."
        )
    # Partitions that moved most are the ones to see.
    order = sorted(stays, key=lambda p: (-len(stays[p]), p))[: limits.LANE_ROWS]
    colours = _colours(stays)
    scale = TimeScale(facts.start_ms, facts.end_ms, PLOT_WIDTH)
    rows = [_lane(partition, stays[partition], colours, scale) for partition in sorted(order)]
    reads = (
        "One lane a partition (UTC). A piece is the time with one owner, a new colour a move to another one; "
        "an empty stretch is time without an owner."
    )
    hidden = left_out(len(stays) - len(order), "partitions are", "they moved less often.")
    drawn = row_frame(rows, row_height=_ROW, title=_HEADING, ticks=scale.ticks())
    return figure(_HEADING, reads, _owner_legend(colours), drawn, left_out=hidden)


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
            if stay.owner is not None:
                first[stay.owner] = min(first.get(stay.owner, stay.begin_ms), stay.begin_ms)
    return {owner: i % _COLOURS for i, owner in enumerate(sorted(first, key=lambda o: (first[o], o)))}


def _lane(partition: Partition, stays: list[Stay], colours: dict[str, int], scale: TimeScale) -> RowOfMarks:
    shown = stays[-limits.LANE_PIECES :]
    plain = f"{visible(partition[0])}-{partition[1]}"
    label = together((name(partition[0]), f"-{partition[1]}"))
    last = shown[-1]
    spoken = f"{plain}: {words.many(len(stays) - 1, 'move')}, last owner {visible(last.owner)}"
    return RowOfMarks(label, together(_piece(stay, colours, scale) for stay in shown), spoken, plain)


def _piece(stay: Stay, colours: dict[str, int], scale: TimeScale) -> Html:
    x, end = scale.x(stay.begin_ms), scale.x(stay.end_ms)
    owner = visible(stay.owner)
    tip = f"{owner} from {words.clock(stay.begin_ms, seconds=True)} to {words.clock(stay.end_ms, seconds=True)}"
    room = int((end - x - 8) / 6.6)
    fits = owner if len(owner) <= room else owner[: room - 1] + "…" if room >= 5 else None
    return together(
        (
            box(x, 1, end - x, _ROW - 2, class_=f"owner{colours.get(stay.owner or '', 0)}", data_tip=tip),
            line(x, 1, x, _ROW - 1, class_="handover"),
            words_at(x + 4, _ROW - 5, fits, class_="owner-words") if fits else None,
        )
    )


def _owner_legend(colours: dict[str, int]) -> Html | None:
    if len(colours) > _COLOURS:
        return None
    return legend([(f"owner{i}", visible(owner, 32)) for owner, i in colours.items()], "Colours: owner")
