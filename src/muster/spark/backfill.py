"""Commits what the checkpoint of a stopped query holds, so that lag tools see where it stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from muster.client.admin import commit_offsets, committed_offsets, describe_group, partition_counts
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.offset_messages import CommittedOffset
from muster.client.partitions import TopicPartition
from muster.core.offsets.tracked_query import newest_query
from muster.spark.checkpoint import Checkpoint
from muster.spark.failure import TrackingError
from muster.spark.offsets import Offsets
from muster.wire.errors import GROUP_ID_NOT_FOUND

_MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be committed, beside what is."""

    offsets: Offsets
    before: dict[TopicPartition, int]
    unknown: list[TopicPartition]
    """Positions of topics or partitions that the cluster does not have."""


async def plan_backfill(cluster: Cluster, group: str, checkpoint: Checkpoint, *, may_go_back: bool = False) -> Plan:
    """TrackingError where the commit would be wrong: the group has members, or is further than the checkpoint, unless it may go
    back."""
    if not checkpoint.offsets:
        raise TrackingError("no source of the query has offsets of topics: there is nothing to commit")
    await _check_without_members(cluster, group)
    held = await committed_offsets(cluster, group)
    if not may_go_back:
        _check_not_behind(group, checkpoint, held)
        _check_not_back(group, checkpoint, held)
    counts = await partition_counts(cluster, sorted({place.topic for place in checkpoint.offsets}))
    there = {place: at for place, at in checkpoint.offsets.items() if place.partition < counts.get(place.topic, 0)}
    if not there:
        topics = ", ".join(sorted({place.topic for place in checkpoint.offsets}))
        raise TrackingError(f"the cluster has none of the topics that the query reads ({topics}): is it the right one?")
    unknown = sorted(place for place in checkpoint.offsets if place not in there)
    return Plan(there, {place: held[place].offset for place in there if place in held}, unknown)


async def commit_backfill(cluster: Cluster, group: str, checkpoint: Checkpoint, plan: Plan) -> None:
    metadata = checkpoint.query.metadata()
    offsets = {place: CommittedOffset(at, metadata=metadata) for place, at in plan.offsets.items()}
    await commit_offsets(cluster, group, offsets)


async def _check_without_members(cluster: Cluster, group: str) -> None:
    try:
        described = await describe_group(cluster, group)
    except ClientError as error:
        if error.code == GROUP_ID_NOT_FOUND:
            return
        raise
    if described.members:
        raise TrackingError(f"group {group} has members: a query needs a group of its own, so choose another name")


def _check_not_behind(group: str, checkpoint: Checkpoint, held: dict[TopicPartition, CommittedOffset]) -> None:
    last = newest_query((each.metadata for each in held.values()), checkpoint.query.query_id)
    if last is None or last.batch_id <= checkpoint.query.batch_id:
        return
    raise TrackingError(
        f"group {group} is at micro-batch {last.batch_id} of this query already, the checkpoint at"
        f" {checkpoint.query.batch_id}: is it an old copy? Then --back commits it all the same"
    )


def _check_not_back(group: str, checkpoint: Checkpoint, held: dict[TopicPartition, CommittedOffset]) -> None:
    """Of another query, or of a consumer: those are not the checkpoint's."""
    further = [
        f"{place} at {held[place].offset:,}, the checkpoint at {at:,}"
        for place, at in sorted(checkpoint.offsets.items())
        if place in held and held[place].offset > at
    ]
    if not further:
        return
    more = f" and {len(further) - _MOST_NAMED} more" if len(further) > _MOST_NAMED else ""
    raise TrackingError(
        f"group {group} is further than the checkpoint: {'; '.join(further[:_MOST_NAMED])}{more}. Is it the right group?"
        " Then --back takes it back"
    )
