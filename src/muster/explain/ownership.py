"""Who owns which partition while a group lives, and how long nobody did. Knows member ids and times; `fold` tells it what happens.

Without an owner means: no member could read the partition and commit. That begins when an eager member joins again (it gave
everything up), when a member leaves, when one was last heard of before its session expired, when the coordinator expels one for
another reason, and when a cooperative round takes a partition away. It ends with an assignment.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from muster.explain.facts import Gap, Partition


@dataclass(slots=True)
class Change:
    """What an assignment changed, in member ids."""

    moved: list[tuple[Partition, str | None, str | None]] | None
    """None: the owners before are not known."""
    stayed: list[Partition] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)


class Ownership:
    def __init__(self) -> None:
        self.owners: dict[Partition, str] | None = None
        """The last owner of each, also if it is gone by now. None: not known, the journal begins in the middle."""
        self.unowned_since: dict[Partition, int] = {}
        self.unowned_when_emptied: list[tuple[Partition, int]] = []
        self._assigned_ms = 0

    def given_up(self, member_id: str, at_ms: int) -> None:
        for partition in self._of(member_id):
            self.unowned_since.setdefault(partition, max(at_ms, self._assigned_ms))

    def taken_back(self, member_id: str, at_ms: int) -> list[Gap]:
        """A member that had joined again was given its old place."""
        return [
            Gap(partition, self.unowned_since.pop(partition), at_ms)
            for partition in self._of(member_id)
            if partition in self.unowned_since
        ]

    def renamed(self, old_id: str, new_id: str) -> None:
        for partition in self._of(old_id):
            assert self.owners is not None
            self.owners[partition] = new_id

    def emptied(self) -> None:
        """Nobody is there: whatever comes next begins anew."""
        self.unowned_when_emptied += self.unowned_since.items()
        self.owners = {}
        self.unowned_since = {}

    def assigned(self, owners: dict[Partition, str] | None, at_ms: int, from_empty_ms: int | None) -> Change:
        """A new assignment; None if it cannot be decoded. `from_empty_ms`: since when the first members of an empty group wait."""
        before, self.owners = self.owners, owners
        self._assigned_ms = at_ms
        if owners is None:
            self.unowned_since = {}
            return Change(None)
        change = Change([] if before is not None else None)
        for partition in sorted({*(before or ()), *owners}):
            self._compare(change, partition, (before or {}).get(partition), owners.get(partition), at_ms)
            if partition in owners and from_empty_ms is not None:
                change.gaps.append(Gap(partition, from_empty_ms, at_ms))
        self._keep_last_owners(before)
        return change

    def _compare(self, change: Change, partition: Partition, old: str | None, new: str | None, at_ms: int) -> None:
        if new is None:
            self.unowned_since.setdefault(partition, at_ms)
        elif partition in self.unowned_since:
            change.gaps.append(Gap(partition, self.unowned_since.pop(partition), at_ms))
        if old == new:
            change.stayed.append(partition)
        elif change.moved is not None:
            change.moved.append((partition, old, new))

    def _keep_last_owners(self, before: dict[Partition, str] | None) -> None:
        """A partition that a cooperative round took away still came from somebody when it is handed out."""
        assert self.owners is not None
        for partition in self.unowned_since:
            if before is not None and partition in before:
                self.owners.setdefault(partition, before[partition])

    def _of(self, member_id: str) -> list[Partition]:
        return [partition for partition, owner in (self.owners or {}).items() if owner == member_id]
