"""What is known of one group now: its description, its offsets and how far behind it is. Plain values, filled in by `observer`."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from muster.client.failure import ClientError
from muster.client.groups import GroupDescription, GroupListing, GroupMember
from muster.client.held_offsets import Holder
from muster.client.offset_messages import CommittedOffset
from muster.client.partitions import TopicPartition
from muster.console.time_lag import NOT_KNOWN, Bracket, worst

TREND_MS: Final = 60_000
_TREND_EVERY_MS: Final = 5_000


@dataclass(frozen=True, slots=True)
class Position:
    """Where a group stands in one partition. None is unknown."""

    place: TopicPartition
    committed: int | None
    metadata: str
    end: int | None
    lag: int | None
    waited: Bracket | None
    is_unstable: bool | None = None
    committed_seen_ms: int | None = None
    """When the committed offset was first seen to be what it is; None: it has not changed since the first look."""


@dataclass(slots=True)
class GroupStatus:
    listing: GroupListing
    description: GroupDescription | None = None
    positions: list[Position] = field(default_factory=list)
    looked_ms: int | None = None
    """When the positions were asked for last."""
    failure: str = ""
    """Why they are not known, or not those of now."""
    held_by: tuple[Holder, ...] = ()
    """Transactions that can be the ones that keep offsets from being final."""
    version: int = 0
    lags: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=TREND_MS // _TREND_EVERY_MS + 1))
    """Lag in records at times of the last minute, all of the same number of partitions."""
    counted: int = 0
    """So many partitions."""

    @property
    def state(self) -> str:
        return self.description.state if self.description is not None else self.listing.state

    @property
    def members(self) -> int | None:
        return None if self.description is None else len(self.description.members)

    @property
    def owners(self) -> dict[TopicPartition, GroupMember]:
        """Of the description, which may be newer than the positions."""
        members = self.description.members if self.description is not None else ()
        return {place: member for member in members for place in member.assignment}

    @property
    def lag(self) -> int | None:
        """Of all partitions whose lag is known; None if that is none."""
        known = [each.lag for each in self.positions if each.lag is not None]
        return sum(known) if known else None

    @property
    def unknown_lag(self) -> int:
        """Partitions that are not in the lag: nothing is committed, or no end is known. What was never written to has none."""
        return sum(each.lag is None and each.end != 0 for each in self.positions)

    @property
    def waited(self) -> Bracket | None:
        """A partition with a position and no end may be later than all others."""
        places = (each for each in self.positions if each.committed is not None)
        return worst(NOT_KNOWN if each.waited is None else each.waited for each in places)

    @property
    def change(self) -> int | None:
        """How many records more (or fewer) it is behind than up to a minute ago; None before there are two looks."""
        return self.lags[-1][1] - self.lags[0][1] if len(self.lags) > 1 else None

    def set_description(self, description: GroupDescription) -> None:
        if description != self.description:
            self.description = description
            self.version += 1

    def set_holders(self, holders: tuple[Holder, ...]) -> None:
        if holders != self.held_by:
            self.held_by = holders
            self.version += 1

    def set_positions(self, positions: list[Position], now_ms: int) -> None:
        """Positions as of now. A time lag that only grew with the clock is no change."""
        if _without_waits(positions) != _without_waits(self.positions) or self.failure:
            self.version += 1
        self.positions, self.looked_ms, self.failure = positions, now_ms, ""
        self._note_lags(now_ms)

    def set_failure(self, failure: ClientError, now_ms: int) -> None:
        """Positions cannot be asked for now. Those of the last look stay if the failure is one that passes."""
        positions = self.positions if failure.is_retriable else []
        if positions != self.positions or str(failure) != self.failure:
            self.version += 1
        self.positions, self.looked_ms, self.failure = positions, now_ms, str(failure)
        self._note_lags(now_ms)

    def _note_lags(self, now_ms: int) -> None:
        before = self.change
        while self.lags and now_ms - self.lags[0][0] > TREND_MS:
            self.lags.popleft()
        if not self.failure:
            self._note_lag(now_ms)
        if self.change != before:
            self.version += 1

    def _note_lag(self, now_ms: int) -> None:
        """Only lags of as many partitions are compared: one that has no leader for a moment is no lag that was made up for, and
        no lag that has come up when it has one again."""
        lag, counted = self.lag, sum(each.lag is not None for each in self.positions)
        if lag is None or (self.lags and counted < self.counted):
            return
        if counted > self.counted:
            self.lags.clear()
        if len(self.lags) > 1 and self.lags[-1][0] - self.lags[-2][0] < _TREND_EVERY_MS:
            self.lags.pop()
        self.lags.append((now_ms, lag))
        self.counted = counted


def _without_waits(positions: list[Position]) -> list[tuple[object, ...]]:
    return [(each.place, each.committed, each.end, each.is_unstable) for each in positions]


def places_of(
    group: GroupDescription | None, committed: Mapping[TopicPartition, CommittedOffset]
) -> set[TopicPartition]:
    """Every partition that a member has, and every other one with a commit."""
    members = group.members if group is not None else ()
    return {*committed, *(place for member in members for place in member.assignment)}
