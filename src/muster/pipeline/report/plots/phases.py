"""The newest rebalances of one group, each from its own zero: join, then sync, and under them the pause in consumption."""

from __future__ import annotations

from muster.pipeline.report import kinds, limits, words
from muster.pipeline.report.facts import Facts, GroupKey, Row, top
from muster.pipeline.report.marks import PLOT_WIDTH, RowOfMarks, box, legend, row_frame, words_at
from muster.pipeline.report.markup import Html, tag, together, visible
from muster.pipeline.report.plots.figure import figure, left_out, nothing
from muster.pipeline.report.plots.timeline import cause_legend, described
from muster.pipeline.report.scales import Scale, duration_ticks

_ROW = 28
_WORDS_ROOM = 320
_HEADING = "How long each rebalance took"


def phases(facts: Facts, key: GroupKey) -> Html:
    own = facts.of_group("g_rebalance", key)
    newest = top(own, [("ended_ms", "descending"), ("log_offset", "descending")], limits.PHASE_ROWS)
    if not newest:
        return nothing(_HEADING, f"No rebalance of this group {facts.where}.")
    longest = max(max(_took(row), row["pause_max_ms"] or 0) for row in newest)
    scale = Scale(0, max(longest, 1), 0, PLOT_WIDTH - _WORDS_ROOM)
    rows = [_row(row, scale) for row in newest]
    ticks = [(scale.at(ms), words.duration(ms) if ms else "0") for ms in duration_ticks(longest, 5)]
    reads = (
        "Newest on top. Full colour is the join phase (waiting for members), pale the sync phase (waiting for the leader's "
        "assignment); a dashed stub means that the join phase is not in the log and there was no journal. "
        "The thin grey bar is how long partitions stood still: filled to the median, outlined to the worst."
    )
    hidden = left_out(own.num_rows - len(newest), "rebalances are", "they are older.")
    drawn = row_frame(rows, row_height=_ROW, title=_HEADING, ticks=ticks, to_now=False)
    look_for = "Look for long bars: so long the group waited for somebody, and the words beside say why it began."
    return figure(_HEADING, look_for, reads, together((cause_legend(), _phase_legend())), drawn, left_out=hidden)


def _phase_legend() -> Html:
    return legend(
        [("phase-join", "join"), ("phase-sync", "sync"), ("pause-p50", "pause, median"), ("pause-max", "pause, worst")],
        "Phases",
    )


def _took(row: Row) -> int:
    return (row["join_phase_ms"] or 0) + (row["sync_phase_ms"] or 0)


def _row(row: Row, scale: Scale) -> RowOfMarks:
    family = kinds.cause_family(row["cause"])
    join_ms, sync_ms = row["join_phase_ms"], row["sync_phase_ms"]
    joined = scale.at(join_ms or 0) if join_ms is not None else 10.0
    synced = scale.at(_took(row)) + (10.0 if join_ms is None else 0.0)
    end = max(synced, scale.at(row["pause_max_ms"] or 0))
    marks = together(
        (
            box(0, 4, joined, 12, class_=f"cause-{family}" if join_ms is not None else "unknown-phase"),
            box(joined, 4, synced - joined, 12, class_=f"cause-{family} pale") if sync_ms is not None else None,
            box(0, 19, scale.at(row["pause_p50_ms"]), 4, class_="pause-p50")
            if row["pause_p50_ms"] is not None
            else None,
            box(0, 19, scale.at(row["pause_max_ms"]), 4, class_="pause-max")
            if row["pause_max_ms"] is not None
            else None,
            words_at(end + 8, 15, _beside(row), class_="beside"),
            box(0, 0, PLOT_WIDTH, _ROW, class_="reading", data_tip=_tip(row)),
        )
    )
    label = tag("span", f"{words.moment(row['ended_ms'])[5:]} · #{words.count(row['generation'])}", class_="mono")
    return RowOfMarks(label, marks, described(row), "")


def _beside(row: Row) -> str:
    who = f" · {visible(row['trigger_member'], 18)}" if row["trigger_member"] else ""
    took = words.duration(_took(row)) if row["join_phase_ms"] is not None else "?"
    return f"{took} · {visible(row['cause'], 22)}{who}"


def _tip(row: Row) -> str:
    parts = [
        described(row),
        f"join {words.duration(row['join_phase_ms'])}, sync {words.duration(row['sync_phase_ms'])}",
        f"pause {words.duration(row['pause_p50_ms'])} median, {words.duration(row['pause_max_ms'])} worst",
    ]
    if row["waited_for"]:
        parts.append(f"waited {words.duration(row['waited_ms'])} for {visible(row['waited_for'])}")
    if row["client_reason"]:
        parts.append(f"client said: {visible(row['client_reason'], limits.TIP_CHARACTERS)}")
    return "; ".join(parts)
