"""OffsetFetch and OffsetCommit in all their versions, as plain mappings. Shared by tools and members. Asks nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

MANY_GROUPS_SINCE: Final = 8
"""KIP-709."""
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
    if version >= MANY_GROUPS_SINCE:
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


def fetch_all_request(group_ids: Sequence[str]) -> OffsetFetchRequest:
    """Everything that several groups have committed, for brokers that know `MANY_GROUPS_SINCE`."""
    return OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id, topics=None) for group_id in group_ids])


def committed_by_group(
    reply: OffsetFetchResponse,
) -> dict[str, dict[TopicPartition, CommittedOffset] | ClientError]:
    """What a reply says of each group; a ClientError in the place of a group that has an error."""
    found: dict[str, dict[TopicPartition, CommittedOffset] | ClientError] = {}
    for group in reply.groups:
        try:
            found[group.group_id] = _committed(group.error_code, group.topics, group.group_id)
        except ClientError as failure:
            found[group.group_id] = failure
    return found


def committed_in(reply: OffsetFetchResponse, group_id: str, version: int) -> dict[TopicPartition, CommittedOffset]:
    """What a reply says; ClientError for the first error in it."""
    return _committed(*_group_part(reply, version), group_id)


def _committed(error_code: int, topics: Any, group_id: str) -> dict[TopicPartition, CommittedOffset]:
    asked = f"fetch the offsets of group {group_id}"
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
    if version < MANY_GROUPS_SINCE:
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
