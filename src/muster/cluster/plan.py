"""Who should lead what: an even spread over the live nodes, with as few moves as that takes.

Pure. Whoever is allowed to decide hands in what is and writes down what comes back. Partitions come in classes (those of
the coordinators of groups and of transactions, the journal's, everybody else's), and each class is spread for itself:
coordinating groups or transactions and serving records are different loads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL, TRANSACTION_STATE


class Slot(NamedTuple):
    """One partition to be led."""

    topic: str
    partition: int


COORDINATING: Final = CONSUMER_OFFSETS
_OWN_CLASS: Final = (COORDINATING, TRANSACTION_STATE)
FOLLOWING: Final = {GROUP_JOURNAL: COORDINATING}
"""Topics whose partitions are led by whoever leads the partition of the same number of the other topic: the coordinator of a
group writes the group's journal."""


def plan_leaders(owners: Mapping[Slot, int | None], nodes: Collection[int]) -> dict[Slot, int]:
    """The slots that get another owner, and whom. Owners that are not in `nodes` are gone or going.

    A slot whose owner stays is moved only if its owner leads more than its share while another node leads less than
    its own. Shares differ by one at most. The same question always gets the same answer.
    """
    if not nodes:
        return {}
    moves: dict[Slot, int] = {}
    classes: dict[str, list[Slot]] = defaultdict(list)
    for slot in sorted(owners):
        if Slot(FOLLOWING.get(slot.topic, ""), slot.partition) not in owners:
            classes[slot.topic if slot.topic in _OWN_CLASS else ""].append(slot)
    for name in sorted(classes):
        moves.update(_spread(classes[name], owners, sorted(nodes)))
    for slot, owner in owners.items():
        followed = Slot(FOLLOWING.get(slot.topic, ""), slot.partition)
        leader = moves.get(followed, owners.get(followed))
        if leader is not None and leader != owner:
            moves[slot] = leader
    return moves


def _spread(slots: list[Slot], owners: Mapping[Slot, int | None], nodes: list[int]) -> dict[Slot, int]:
    led: dict[int, list[Slot]] = {node: [] for node in nodes}
    homeless: list[Slot] = []
    for slot in slots:
        owner = owners[slot]
        if owner is not None and owner in led:
            led[owner].append(slot)
        else:
            homeless.append(slot)
    share, extra = divmod(len(slots), len(nodes))
    # Those who lead the most get the larger shares: that leaves the most where it is.
    by_load = sorted(nodes, key=lambda node: (-len(led[node]), node))
    shares = {node: share + (1 if rank < extra else 0) for rank, node in enumerate(by_load)}
    for node in nodes:
        while len(led[node]) > shares[node]:
            homeless.append(led[node].pop())
    moves: dict[Slot, int] = {}
    waiting = sorted(homeless, reverse=True)
    # One at a time to each who has room, so that the partitions of one topic end up on several nodes.
    while waiting:
        for node in nodes:
            if waiting and len(led[node]) < shares[node]:
                slot = waiting.pop()
                led[node].append(slot)
                moves[slot] = node
    return moves
