"""OffsetFetch and OffsetCommit in all their versions, as plain mappings. Shared by tools and members. Asks nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from muster.client.failure import ClientError, is_retriable, raise_for
from muster.client.partitions import TopicPartition, values_by_topic
from muster.wire.errors import NONE, UNSTABLE_OFFSET_COMMIT
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)

_GROUPS_SINCE: Final = 8
_NO_OFFSET: Final = -1


@dataclass(frozen=True, slots=True)
class CommittedOffset:
    offset: int
    leader_epoch: int = -1
    metadata: str = ""


def fetch_request(
    group_id: str, wanted: Mapping[str, list[int]] | None, require_stable: bool, version: int
) -> OffsetFetchRequest:
    """`wanted` None asks for everything that is committed."""
    if version >= _GROUPS_SINCE:
        topics = (
            None
            if wanted is None
            else [OffsetFetchRequestGroupTopic(t, partition_indexes=p) for t, p in wanted.items()]
        )
        return OffsetFetchRequest(
            groups=[OffsetFetchRequestGroup(group_id, topics=topics)], require_stable=require_stable
        )
    plain = None if wanted is None else [OffsetFetchRequestTopic(topic, numbers) for topic, numbers in wanted.items()]
    return OffsetFetchRequest(group_id, plain, require_stable=require_stable)


def committed_in(reply: OffsetFetchResponse, group_id: str, version: int) -> dict[TopicPartition, CommittedOffset]:
    """What a reply says; ClientError for the first error in it."""
    asked = f"fetch the offsets of group {group_id}"
    error_code, topics = _group_part(reply, version)
    raise_for(error_code, asked)
    found: dict[TopicPartition, CommittedOffset] = {}
    for topic in topics:
        for each in topic.partitions:
            raise_for(each.error_code, f"{asked} in {topic.name}-{each.partition_index}")
            if each.committed_offset != _NO_OFFSET:
                place = TopicPartition(topic.name, each.partition_index)
                found[place] = CommittedOffset(each.committed_offset, each.committed_leader_epoch, each.metadata or "")
    return found


def unstable_in(reply: OffsetFetchResponse, group_id: str, version: int) -> list[TopicPartition]:
    """The partitions that a reply calls unstable; ClientError for any other error in it."""
    asked = f"ask for unstable offsets of group {group_id}"
    error_code, topics = _group_part(reply, version)
    raise_for(error_code, asked)
    found: list[TopicPartition] = []
    for topic in topics:
        for each in topic.partitions:
            if each.error_code == UNSTABLE_OFFSET_COMMIT:
                found.append(TopicPartition(topic.name, each.partition_index))
            else:
                raise_for(each.error_code, f"{asked} in {topic.name}-{each.partition_index}")
    return sorted(found)


def _group_part(reply: OffsetFetchResponse, version: int) -> tuple[int, Any]:
    if version < _GROUPS_SINCE:
        return reply.error_code, reply.topics
    (group,) = reply.groups
    return group.error_code, group.topics


def commit_request(
    group_id: str,
    offsets: Mapping[TopicPartition, int | CommittedOffset],
    generation: int = -1,
    member_id: str = "",
    instance_id: str | None = None,
) -> OffsetCommitRequest:
    topics = [
        OffsetCommitRequestTopic(topic, partitions=[_partition(number, value) for number, value in pairs])
        for topic, pairs in values_by_topic(offsets).items()
    ]
    return OffsetCommitRequest(group_id, generation, member_id, instance_id, -1, topics)


def _partition(number: int, value: int | CommittedOffset) -> OffsetCommitRequestPartition:
    if isinstance(value, int):
        return OffsetCommitRequestPartition(number, value, -1, "")
    return OffsetCommitRequestPartition(number, value.offset, value.leader_epoch, value.metadata)


def raise_for_commit(reply: OffsetCommitResponse, group_id: str) -> None:
    """ClientError with the first error that lasts, or the first at all; names every partition it stands at."""
    refused = list(_refused(reply))
    if not refused:
        return
    code = next((code for _, code in refused if not is_retriable(code)), refused[0][1])
    places = ", ".join(str(place) for place, each in refused if each == code)
    raise ClientError(code, f"commit offsets of group {group_id}", f"not taken: {places}")


def _refused(reply: OffsetCommitResponse) -> Iterator[tuple[TopicPartition, int]]:
    for topic in reply.topics:
        for each in topic.partitions:
            if each.error_code != NONE:
                yield TopicPartition(topic.name, each.partition_index), each.error_code
