"""OffsetDelete, and the tombstones of a group that goes away with all it has committed (spec 3.15, 3.16, 5.6).

The handler has already taken out partitions that are unknown or forbidden.
"""

from __future__ import annotations

from muster.core.classic.group import CONSUMER_PROTOCOL_TYPE, Group
from muster.core.classic.states import DEAD, EMPTY
from muster.core.consumer.fence import erased_group
from muster.core.consumer.group import ConsumerGroup
from muster.core.contract import Outcome, Ticket
from muster.core.offsets.view import ShardView
from muster.core.records import GroupErased, OffsetErased, Record
from muster.core.replies import OffsetDeleteReply
from muster.core.requests import OffsetDelete
from muster.wire import errors


def delete_offsets(shard: ShardView, request: OffsetDelete, ticket: Ticket, now_ms: int) -> Outcome:
    group = shard.groups.get(request.group_id)
    consumer_group = shard.consumer_groups.get(request.group_id) if group is None else None
    if consumer_group is None and (group is None or group.state is DEAD):
        return _refused(ticket, errors.GROUP_ID_NOT_FOUND)
    if group is not None and group.state is not EMPTY and group.protocol_type != CONSUMER_PROTOCOL_TYPE:
        return _refused(ticket, errors.NON_EMPTY_GROUP)  # nobody can know what its members read
    codes: list[int] = []
    records: list[Record] = []
    pending = shard.offsets.pending.of_group(request.group_id)
    for topic, partition in request.partitions:
        if _is_read(group, topic) if group is not None else _is_subscribed(consumer_group, topic):
            codes.append(errors.GROUP_SUBSCRIBED_TO_TOPIC)
            continue
        codes.append(errors.NONE)
        # A partition asked twice gets two tombstones, as in Kafka; one without an offset gets none.
        held = shard.offsets.find(request.group_id, topic)
        if (held is not None and partition in held) or (topic, partition) in pending:
            records.append(OffsetErased(request.group_id, topic, partition))
    shard.counters.offset_deletions += len(records)
    return Outcome(records=records, replies=[(ticket, OffsetDeleteReply(errors.NONE, tuple(codes)))])


def erase_group(shard: ShardView, group_id: str) -> list[Record]:
    """Offset tombstones, then the group's own, also if it never had a record (T207c). All in one batch.

    Commits on their way are in the log before these, so they are erased too.
    """
    places = {
        (topic, partition): None
        for topic, partitions in shard.offsets.of_group(group_id).items()
        for partition in partitions
    }
    places.update(shard.offsets.pending.of_group(group_id))  # their transactions bring nothing back (T144)
    for commit in shard.offsets.on_the_way():
        if commit.group_id == group_id:
            places[commit.topic, commit.partition] = None
    records: list[Record] = [OffsetErased(group_id, topic, partition) for topic, partition in places]
    consumer_group = shard.consumer_groups.get(group_id)
    if consumer_group is None:
        records.append(GroupErased(group_id))
    else:
        records.extend(erased_group(consumer_group))
    return records


def _is_subscribed(group: ConsumerGroup | None, topic: str) -> bool:
    return group is not None and group.is_subscribed_to(topic)


def _is_read(group: Group, topic: str) -> bool:
    return group.state is not EMPTY and group.is_subscribed_to(topic)


def _refused(ticket: Ticket, error: int) -> Outcome:
    return Outcome(replies=[(ticket, OffsetDeleteReply(error))])
