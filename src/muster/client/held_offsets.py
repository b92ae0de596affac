"""Which transactions hold back the offsets of a group, and which groups' offsets a transaction holds back.

Brokers do not say it directly: a group is told that an offset is unstable and not by whom. The producers with an open transaction
in the group's partition of `__consumer_offsets` are those that it can be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from muster.client.cluster import Cluster
from muster.client.groups import describe_groups, list_groups
from muster.client.offsets import committed_offsets, unstable_partitions
from muster.client.partitions import TopicPartition
from muster.client.topics import partition_counts
from muster.client.transactions import TransactionDescription, describe_producers, list_transactions
from muster.core.hashing import partition_for
from muster.core.internal_topics import CONSUMER_OFFSETS


@dataclass(frozen=True, slots=True)
class Holder:
    """A transaction that is open in a partition of `__consumer_offsets`."""

    producer_id: int
    producer_epoch: int
    transactional_id: str | None
    """None: no coordinator knows the producer id, so the transaction hangs; or it is not for this user to see."""
    state: str | None
    """What the coordinator says of the transactional id."""


@dataclass(frozen=True, slots=True)
class HeldOffsets:
    group_id: str
    partitions: tuple[TopicPartition, ...]
    is_certain: bool
    """False: another transaction is open in the same partition of `__consumer_offsets`, and may be the one that holds them."""


async def holders_of(cluster: Cluster, group_id: str) -> list[Holder]:
    """Who it can be that holds back offsets of the group."""
    return await _open_in(cluster, await _offsets_partition(cluster, group_id))


async def held_by(cluster: Cluster, transaction: TransactionDescription) -> list[HeldOffsets]:
    """The groups with unstable offsets in those partitions of `__consumer_offsets` that are in the transaction."""
    numbers = {place.partition for place in transaction.partitions if place.topic == CONSUMER_OFFSETS}
    if not numbers:
        return []
    count = (await partition_counts(cluster, [CONSUMER_OFFSETS]))[CONSUMER_OFFSETS]
    alone: dict[int, bool] = {}
    for number in sorted(numbers):
        alone[number] = len(await _open_in(cluster, TopicPartition(CONSUMER_OFFSETS, number))) < 2
    found: list[HeldOffsets] = []
    for group in await list_groups(cluster):
        number = partition_for(group.group_id, count)
        if number in numbers:
            unstable = await unstable_partitions(cluster, group.group_id, await _known_places(cluster, group.group_id))
            if unstable:
                found.append(HeldOffsets(group.group_id, tuple(unstable), alone[number]))
    return found


async def _known_places(cluster: Cluster, group_id: str) -> Iterable[TopicPartition]:
    """Where the group has a commit, or a member. Its first offset for a partition, while pending, shows by the member alone."""
    (group,) = await describe_groups(cluster, [group_id])
    assigned = (place for member in group.members for place in member.assignment)
    return {*await committed_offsets(cluster, group_id), *assigned}


async def _offsets_partition(cluster: Cluster, group_id: str) -> TopicPartition:
    count = (await partition_counts(cluster, [CONSUMER_OFFSETS]))[CONSUMER_OFFSETS]
    return TopicPartition(CONSUMER_OFFSETS, partition_for(group_id, count))


async def _open_in(cluster: Cluster, place: TopicPartition) -> list[Holder]:
    producers = (await describe_producers(cluster, [place]))[place]
    ongoing = [each for each in producers if each.start_offset is not None]
    if not ongoing:
        return []
    known = {
        each.producer_id: each
        for each in await list_transactions(cluster, producer_ids=[each.producer_id for each in ongoing])
    }
    holders = []
    for each in ongoing:
        listed = known.get(each.producer_id)
        holders.append(
            Holder(
                each.producer_id,
                each.producer_epoch,
                None if listed is None else listed.transactional_id,
                None if listed is None else listed.state,
            )
        )
    return holders
