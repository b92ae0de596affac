"""May a member commit or fetch offsets at the epoch that it names (spec 4.1, 4.4, 15.1)."""

from __future__ import annotations

from muster.core.consumer.group import ConsumerGroup, ConsumerMember
from muster.core.consumer.topics import TopicView
from muster.core.offsets.topic_offsets import TopicOffsets
from muster.wire import errors


def check_commit_epoch(
    group: ConsumerGroup, member_id: str, epoch: int, commit: list[TopicOffsets], knows_epochs: bool, topics: TopicView
) -> int:
    """`knows_epochs`: OffsetCommit v9+, the versions that a member of the new protocol may use."""
    if epoch < 0 and not group.members:
        return errors.NONE  # an administrator
    member = group.members.get(member_id)
    if member is None:
        return errors.UNKNOWN_MEMBER_ID
    if member.subscription.classic is not None:
        return errors.NONE if epoch == member.current.epoch else errors.ILLEGAL_GENERATION
    if not knows_epochs:
        return errors.UNSUPPORTED_VERSION
    known = member.current.epoch
    if epoch == known or (0 <= epoch < known and _has_held_all_since(member, epoch, commit, topics)):
        return errors.NONE
    return errors.STALE_MEMBER_EPOCH


def check_fetch_epoch(group: ConsumerGroup, member_id: str | None, epoch: int) -> int:
    if member_id is None and epoch < 0:
        return errors.NONE
    if member_id is None:
        return errors.UNKNOWN_SERVER_ERROR  # Kafka fails over it (spec 4.4)
    member = group.members.get(member_id)
    if member is None:
        return errors.UNKNOWN_MEMBER_ID
    if member.current.epoch == epoch:
        return errors.NONE
    return errors.STALE_MEMBER_EPOCH if member.subscription.classic is None else errors.ILLEGAL_GENERATION


def _has_held_all_since(member: ConsumerMember, epoch: int, commit: list[TopicOffsets], topics: TopicView) -> bool:
    """Whether every partition of the commit was the member's at that epoch and still is: nobody else can have read it since."""
    for offsets in commit:
        found = topics.find(offsets.topic)
        if found is None:
            return False
        topic_id = found[0]
        assigned = member.current.assigned.get(topic_id, {})
        revoking = member.current.revoking.get(topic_id, {})
        for partition, *_ in offsets.rows():
            since = assigned.get(partition, revoking.get(partition))
            if since is None or since > epoch:
                return False
    return True
