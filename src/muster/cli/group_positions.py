"""Where a group stands: for each partition what is committed, where the log ends, and who reads it.

The rows are those of kafka-consumer-groups: every partition that a member has, and every other one with a commit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.failure import ClientError
    from muster.client.groups import GroupDescription
    from muster.client.partitions import TopicPartition


async def positions_of(cluster: Cluster, group: GroupDescription) -> tuple[list[dict[str, Any]], list[ClientError]]:
    """Rows by topic and partition, and why some ends are not known."""
    from muster.client.admin import committed_offsets

    committed = await committed_offsets(cluster, group.group_id)
    owners = {place: member for member in group.members for place in member.assignment}
    places = sorted({*committed, *owners})
    ends, failures = await ends_of(cluster, places)
    rows = []
    for place in places:
        commit, owner, end = committed.get(place), owners.get(place), ends.get(place)
        rows.append(
            {
                "group": group.group_id,
                "topic": place.topic,
                "partition": place.partition,
                "committed": commit.offset if commit else None,
                "end": end,
                "lag": end - commit.offset if commit and end is not None else None,
                "member_id": owner.member_id if owner else None,
                "instance_id": owner.instance_id if owner else None,
                "host": owner.host if owner else None,
                "client_id": owner.client_id if owner else None,
                "leader_epoch": commit.leader_epoch if commit and commit.leader_epoch >= 0 else None,
                "metadata": commit.metadata if commit else None,
            }
        )
    return rows, failures


async def ends_of(
    cluster: Cluster, places: Iterable[TopicPartition]
) -> tuple[dict[TopicPartition, int], list[ClientError]]:
    """Log end offsets, as far as they can be had: a topic may be gone, or not for this user to see."""
    from muster.client.admin import LATEST, list_offsets, partition_counts
    from muster.client.failure import ClientError
    from muster.client.partitions import by_topic, spread

    ends: dict[TopicPartition, int] = {}
    failures: list[ClientError] = []
    for topic, numbers in by_topic(places).items():
        try:
            count = (await partition_counts(cluster, [topic])).get(topic, 0)
            asked = spread([(topic, [number for number in numbers if number < count])])
            listed = await list_offsets(cluster, dict.fromkeys(asked, LATEST))
        except ClientError as failure:
            failures.append(failure)
            continue
        ends |= {place: found.offset for place, found in listed.items()}
    return ends, failures


def total_lag(rows: Iterable[dict[str, Any]]) -> int | None:
    """Of all partitions whose lag is known; None if that is none."""
    known = [row["lag"] for row in rows if row["lag"] is not None]
    return sum(known) if known else None
