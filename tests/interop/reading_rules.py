"""What must be true of everything that the members of a group said: each rule lists what broke it.

Pure: histories in, complaints out. `test_reading_rules.py` shows that each rule catches what it is for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Said:
    """A line of a member, see `member.py`; `killed` is said for it by whoever did that."""

    member: str
    details: Mapping[str, Any]

    @property
    def event(self) -> str:
        word: str = self.details["event"]
        return word

    @property
    def at_ns(self) -> int:
        at: int = self.details["at_ns"]
        return at


def in_order(history: Iterable[Said]) -> list[Said]:
    """By the machine's clock: lines of different members reach us through different pipes."""
    return sorted(history, key=lambda said: said.at_ns)


def two_readers_in_one_generation(history: Iterable[Said]) -> list[str]:
    """A partition has one reader in each generation."""
    readers: dict[tuple[int, int], set[str]] = defaultdict(set)
    for said in history:
        if said.event == "read":
            readers[said.details["generation"], said.details["partition"]].add(said.member)
    return [
        f"generation {generation}: partition {partition} was read by {sorted(members)}"
        for (generation, partition), members in sorted(readers.items())
        if len(members) > 1
    ]


def never_read(history: Iterable[Said], ends: Mapping[int, int]) -> list[str]:
    """Every record from 0 to the end of its partition was read by somebody."""
    read: dict[int, set[int]] = defaultdict(set)
    for said in history:
        if said.event == "read":
            read[said.details["partition"]].add(said.details["offset"])
    return [
        f"partition {partition}: {sorted(missing)} were never read"
        for partition, end in sorted(ends.items())
        if (missing := set(range(end)) - read[partition])
    ]


def read_more_than_once(history: Iterable[Said]) -> list[str]:
    """Where all commit before they give up a partition, nothing is read twice. Not asked of killed or stalled members."""
    times = Counter((said.details["partition"], said.details["offset"]) for said in history if said.event == "read")
    return [f"partition {at[0]}: {at[1]} was read {count} times" for at, count in sorted(times.items()) if count > 1]


def committed_without_reading(history: Iterable[Said]) -> list[str]:
    """A commit covers only what was read before: otherwise a restart would skip records."""
    read: dict[int, set[int]] = defaultdict(set)
    complaints: list[str] = []
    for said in in_order(history):
        if said.event == "read":
            read[said.details["partition"]].add(said.details["offset"])
        elif said.event == "committed":
            for name, offset in said.details["offsets"].items():
                if unread := set(range(offset)) - read[int(name)]:
                    complaints.append(f"{said.member} committed {offset} of partition {name}, unread: {sorted(unread)}")
    return complaints


def started_before_a_commit(history: Iterable[Said]) -> list[str]:
    """Whoever gets a partition begins at the committed offset: what was committed by then is not read again."""
    committed: dict[int, int] = defaultdict(int)
    begins_at: dict[tuple[str, int], int] = {}
    owned: dict[str, set[int]] = defaultdict(set)
    complaints: list[str] = []
    for said in in_order(history):
        if said.event == "committed":
            for name, offset in said.details["offsets"].items():
                committed[int(name)] = max(committed[int(name)], offset)
        elif said.event == "owns":
            now = set(said.details["partitions"])
            begins_at.update({(said.member, each): committed[each] for each in now - owned[said.member]})
            owned[said.member] = now
        elif said.event in ("left", "killed"):
            owned[said.member] = set()
        elif said.event == "read":
            partition, offset = said.details["partition"], said.details["offset"]
            floor = begins_at.pop((said.member, partition), 0)
            if offset < floor:
                complaints.append(f"{said.member} began partition {partition} at {offset}, committed was {floor}")
    return complaints


def broken_rules(history: list[Said], ends: Mapping[int, int]) -> list[str]:
    """What every history must keep, whatever happened to its members."""
    return (
        two_readers_in_one_generation(history)
        + never_read(history, ends)
        + committed_without_reading(history)
        + started_before_a_commit(history)
    )
