"""Who owned which partition over time, as lanes: pieces in the order of time, from a group's rebalances. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from muster.console.group_choice import GroupChoice
from muster.console.paging import Portion, portion_of
from muster.explain.facts import History, Partition, Rebalance
from muster.explain.names import Names

PAGE_LANES: Final = 48
MOST_PIECES: Final = 1_500
SHOWN_REBALANCES: Final = 20
OWNER_COLOURS: Final = 8
TICKS: Final = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """A time in which one member owned a partition; nobody if `owner` is empty."""

    from_ms: int
    to_ms: int
    owner: str
    colour: int


@dataclass(frozen=True, slots=True)
class Lane:
    partition: Partition
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Lanes:
    from_ms: int
    to_ms: int
    lanes: tuple[Lane, ...]
    owners: tuple[tuple[str, int], ...]
    """Name and number of its colour, in the order of their first appearance."""
    page: Portion[Partition]
    """Of the partitions whose topics are asked for and that somebody owned since then, those that are drawn."""

    @property
    def ticks(self) -> list[int]:
        """Moments for the time axis, at equal distances; the end itself is not one of them."""
        return [self.from_ms + (self.to_ms - self.from_ms) * part // TICKS for part in range(TICKS)]


def lanes_of(history: History, until_ms: int, choice: GroupChoice) -> Lanes | None:
    """Since the last rebalances, of the partitions that the address asks for; None if no assignment is known."""
    ownership = _Ownership(Names(history))
    for rebalance in history.rebalances:
        ownership.take(rebalance)
    ownership.end(until_ms)
    if not ownership.pieces:
        return None
    recent = history.rebalances[-SHOWN_REBALANCES:]
    from_ms = recent[0].began_ms if recent else until_ms - 1
    to_ms = max(until_ms, from_ms + 1)
    asked_for = sorted(
        partition
        for partition, pieces in ownership.pieces.items()
        if choice.has(partition[0]) and pieces[-1].to_ms > from_ms
    )
    page = portion_of(asked_for, choice.lanes, PAGE_LANES)
    most = max(4, MOST_PIECES // max(1, len(page.items)))
    lanes = []
    for partition in page.items:
        pieces = [each for each in ownership.pieces[partition] if each.to_ms > from_ms][-most:]
        lanes.append(Lane(partition, tuple(pieces)))
    shown = {piece.owner for lane in lanes for piece in lane.pieces}
    owners = tuple((name, colour) for name, colour in ownership.colours.items() if name in shown)
    return Lanes(from_ms, to_ms, tuple(lanes), owners, page)


def owned_at_end(history: History) -> dict[str, list[Partition]]:
    """What each member owned after the last rebalance, by the name it is shown with."""
    ownership = _Ownership(Names(history))
    for rebalance in history.rebalances:
        ownership.take(rebalance)
    return ownership.current()


class _Ownership:
    def __init__(self, names: Names) -> None:
        self._names = names
        self._open: dict[Partition, tuple[int, str]] = {}
        self.pieces: dict[Partition, list[Piece]] = {}
        self.colours: dict[str, int] = {}

    def take(self, rebalance: Rebalance) -> None:
        ended_ms = rebalance.ended_ms
        if ended_ms is None:
            return
        gaps = {gap.partition: gap for gap in rebalance.gaps}
        for partition, gap in gaps.items():
            self._close(partition, gap.from_ms)
        if rebalance.result == "empty":
            for partition in list(self._open):
                self._close(partition, ended_ms)
            return
        for move in rebalance.moves or ():
            self._close(move.partition, ended_ms)
            if move.target is not None:
                began_ms = gaps[move.partition].to_ms if move.partition in gaps else ended_ms
                self._open[move.partition] = (began_ms, self._names.short(move.target))
        for partition in rebalance.stayed:
            if partition in gaps and partition not in self._open:
                self._reopen(partition, gaps[partition].to_ms)

    def current(self) -> dict[str, list[Partition]]:
        owned: dict[str, list[Partition]] = {}
        for partition, (_, owner) in sorted(self._open.items()):
            owned.setdefault(owner, []).append(partition)
        return owned

    def end(self, until_ms: int) -> None:
        for partition in list(self._open):
            self._close(partition, until_ms)

    def _reopen(self, partition: Partition, at_ms: int) -> None:
        before = self.pieces.get(partition)
        if before:
            self._open[partition] = (at_ms, before[-1].owner)

    def _close(self, partition: Partition, at_ms: int) -> None:
        found = self._open.pop(partition, None)
        if found is None:
            return
        began_ms, owner = found
        colour = self.colours.setdefault(owner, len(self.colours) % OWNER_COLOURS)
        self.pieces.setdefault(partition, []).append(Piece(began_ms, max(at_ms, began_ms), owner, colour))
