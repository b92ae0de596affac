"""What must be true of the groups of a cluster after each disturbance: each rule lists what broke it.

Pure: what was seen in, complaints out. `test_group_checks.py` shows that each rule catches what it is for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Description(NamedTuple):
    """Of a group, by its coordinator."""

    protocol: str
    state: str
    owned: Sequence[int]
    """The partitions of one member after the other."""


def not_settled(seen: Mapping[str, Description], protocols: Mapping[str, str], partitions: int) -> list[str]:
    """Every group is stable and of the protocol that its members speak, and each partition has one owner in it."""
    complaints: list[str] = []
    for name, protocol in protocols.items():
        found = seen[name]
        if found.protocol != protocol:
            complaints.append(f"{name} is a {found.protocol} group and should be a {protocol} one")
        if found.state != "stable":
            complaints.append(f"{name} is {found.state}")
        owners = Counter(found.owned)
        complaints += [
            f"{name}: partition {each} has {owners[each]} owners" for each in range(partitions) if owners[each] != 1
        ]
    return complaints


def gone_back(before: Mapping[int, int], now: Mapping[int, int]) -> list[str]:
    """A committed offset that was seen is followed by the same or by a later one."""
    return [
        f"partition {partition} was at {offset} and is at {now.get(partition, -1)}"
        for partition, offset in before.items()
        if now.get(partition, -1) < offset
    ]


def commits_lost(acknowledged: Mapping[int, int], kept: Mapping[int, int]) -> list[str]:
    """What a member was told to be committed is there, or a later offset."""
    return [
        f"{offset} of partition {partition} was acknowledged, {kept.get(partition, -1)} is there"
        for partition, offset in acknowledged.items()
        if kept.get(partition, -1) < offset
    ]
