"""What a history amounts to: rebalances, partitions moved, time without an owner, records that waited, deaths noticed. Pure.

Recorded and replayed journals are measured by the same code, so a difference is one of the settings. `unowned` says from when on
which partitions are to have an owner: that is taken from the recording, for all variants of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from muster.explain.assignments import owners_in, raw_assignments
from muster.explain.epochs import partitions_of
from muster.explain.event import Event
from muster.explain.facts import Departure, Gap, History, Partition
from muster.explain.fold import fold
from muster.whatif.arrivals import Arrivals
from muster.whatif.unowned import all_gaps, times_given


@dataclass(frozen=True, slots=True)
class Figures:
    rebalances: int
    moved: int
    """Partitions that changed hands."""
    unowned_ms: int
    """Time without an owner that reads, summed over partitions."""
    longest_unowned_ms: int
    """The same of the partition that was longest without one."""
    waited: int | None
    """Records that arrived in that time. None: no commits tell how many come."""
    deaths: int
    """Members that were expelled for their silence."""
    detection_ms: int | None
    """How long dead members went unnoticed, the longest. None: none was expelled for its silence."""


@dataclass(frozen=True, slots=True)
class Measured:
    figures: Figures
    unowned_ms: Mapping[Partition, int]
    """By partition: how long it had no owner."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """A history as events: those that say how the group stood at the beginning, and those that count."""

    group: str
    before: Sequence[Event]
    events: Sequence[Event]
    end_ms: int
    silent: Mapping[str, int | None]
    """By member id: its last sign of life, if it fell silent."""

    def history(self) -> History:
        """Without what `before` stands for, which is one rebalance."""
        found = fold([*self.before, *self.events], self.group)
        found.rebalances = found.rebalances[1:] if self.before else found.rebalances
        return found


def measure(
    timeline: Timeline, history: History, arrivals: Arrivals | None, wanted: Mapping[Partition, int]
) -> Measured:
    """What has no owner at the end counts up to there. `history`: of `timeline`. `wanted`: since when each partition counts."""
    silent = timeline.silent
    delays = [
        gone.at_ms - _silent_since(gone, silent) for gone in history.departures if gone.cause == "session_expired"
    ]
    events = [*timeline.before, *timeline.events]
    told = [gap for each in history.rebalances for gap in each.gaps]
    told += (Gap(each, since_ms, timeline.end_ms) for each, since_ms in history.unowned_since.items())
    told += _while_down(events, silent, timeline.end_ms)
    gaps = all_gaps(told, times_given(events), wanted, history.unowned_when_emptied, timeline.end_ms)
    lengths: dict[Partition, int] = {}
    for gap in gaps:
        lengths[gap.partition] = lengths.get(gap.partition, 0) + gap.length_ms
    figures = Figures(
        len(history.rebalances),
        sum(len(each.moves or ()) for each in history.rebalances),
        sum(lengths.values()),
        max(lengths.values(), default=0),
        None if arrivals is None else arrivals.within(gaps),
        len(delays),
        max(delays, default=None),
    )
    return Measured(figures, lengths)


def _silent_since(gone: Departure, silent: Mapping[str, int | None]) -> int:
    """Its last sign of life. One that came back under the same id may have fallen silent again: then its session tells."""
    since_ms = silent.get(gone.who.member_id)
    return gone.at_ms - gone.silent_ms if since_ms is None or since_ms > gone.at_ms else since_ms


def _while_down(events: Sequence[Event], silent: Mapping[str, int | None], end_ms: int) -> Iterator[Gap]:
    """Partitions of a member whose process is down have an owner by name only: until a static one is back, or it is missed."""
    owned: dict[str, list[Partition]] = {}
    away_ms: dict[str, int] = {}
    for event in events:
        _follow(owned, event)
        if event.kind == "static_left":
            away_ms[event.member or ""] = event.at_ms
        elif event.kind == "static_replaced":
            old = event.text("old_member_id") or ""
            # One that came back under the same id may have fallen silent again: what it said itself comes first.
            since_ms = away_ms.pop(old, silent.get(old))
            owned[event.member or ""] = owned.pop(old, [])
            if since_ms is not None and since_ms <= event.at_ms:
                yield from (Gap(each, since_ms, event.at_ms) for each in owned[event.member or ""])
    for member_id, partitions in owned.items():
        since_ms = silent.get(member_id)
        if since_ms is not None and since_ms < end_ms:  # not missed yet
            yield from (Gap(each, since_ms, end_ms) for each in partitions)


def _follow(owned: dict[str, list[Partition]], event: Event) -> None:
    member_id = event.member or ""
    match event.kind:
        case "rebalance_ended":
            given = raw_assignments(event.detail.get("assignments")) or {}
            owned.clear()
            owned.update({member_id: list(owners_in({member_id: raw}) or ()) for member_id, raw in given.items()})
        case "member_reconciled" | "partitions_awaited":
            owned.setdefault(member_id, []).extend(partitions_of(event.detail.get("given")))
        case "member_left" | "member_expelled":
            owned.pop(member_id, None)
        case "revocation_completed":
            gone = set(partitions_of(event.detail.get("partitions")))
            owned[member_id] = [each for each in owned.get(member_id, ()) if each not in gone]
        case _:
            pass
