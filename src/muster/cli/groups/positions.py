"""Where a group stands: for each partition what is committed, where the log ends, and who reads it.

The rows are those of kafka-consumer-groups: every partition that a member has, and every other one with a commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from muster.cli.support.cluster_command import side_by_side

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.failure import ClientError
    from muster.client.groups import GroupDescription
    from muster.client.offset_messages import CommittedOffset
    from muster.client.partitions import TopicPartition


async def positions_of(
    cluster: Cluster, groups: Sequence[GroupDescription]
) -> tuple[list[dict[str, Any]], list[ClientError]]:
    """Rows by group, topic and partition, and what could not be found out. Ends are asked for last: no lag is negative."""
    from muster.client.admin import committed_offsets, log_ends
    from muster.client.failure import ClientError

    questions = [partial(committed_offsets, cluster, each.group_id) for each in groups]
    failures: list[ClientError] = []
    known: list[tuple[GroupDescription, dict[TopicPartition, CommittedOffset]]] = []
    for group, committed in zip(groups, await side_by_side(questions), strict=True):
        if isinstance(committed, ClientError):
            failures.append(committed)
        else:
            known.append((group, committed))
    ends, unknown = await log_ends(
        cluster, {place for group, committed in known for place in _places(group, committed)}
    )
    rows_of = [list(_rows(group, committed, ends)) for group, committed in known]
    checks = [
        partial(_add_unstable, cluster, group.group_id, rows) for (group, _), rows in zip(known, rows_of, strict=True)
    ]
    failures += [each for each in await side_by_side(checks) if each is not None]
    return [row for rows in rows_of for row in rows], failures + unknown


async def _add_unstable(cluster: Cluster, group_id: str, rows: list[dict[str, Any]]) -> None:
    """Each row gets `is_unstable`: whether a transaction that has not ended is about to change its offset."""
    from muster.client.admin import unstable_partitions
    from muster.client.partitions import TopicPartition

    places = [TopicPartition(row["topic"], row["partition"]) for row in rows]
    unstable = set(await unstable_partitions(cluster, group_id, places))
    for place, row in zip(places, rows, strict=True):
        row["is_unstable"] = place in unstable


def _places(group: GroupDescription, committed: Iterable[TopicPartition]) -> set[TopicPartition]:
    return {*committed, *(place for member in group.members for place in member.assignment)}


def _rows(
    group: GroupDescription, committed: Mapping[TopicPartition, CommittedOffset], ends: Mapping[TopicPartition, int]
) -> Iterator[dict[str, Any]]:
    owners = {place: member for member in group.members for place in member.assignment}
    for place in sorted(_places(group, committed)):
        commit, owner, end = committed.get(place), owners.get(place), ends.get(place)
        yield {
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
            "is_unstable": None,
        }


def total_lag(rows: Iterable[dict[str, Any]]) -> int | None:
    """Of all partitions whose lag is known; None if that is none."""
    known = [row["lag"] for row in rows if row["lag"] is not None]
    return sum(known) if known else None
