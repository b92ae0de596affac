"""Heartbeats of a consumer that change nothing: between two changes of its group they are all the same, and so are their answers.

`steady_consumer` says since when, `SteadyConsumer.holds` how long.
"""

from __future__ import annotations

from muster.core.consumer.finding import present_member
from muster.core.consumer.group import ConsumerGroup, ConsumerMember
from muster.core.consumer.heartbeat import updated_subscription
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.states import STABLE
from muster.core.consumer.topics import TopicView
from muster.core.offsets.view import ShardView
from muster.core.steady_member import SteadyMember


class SteadyConsumer(SteadyMember):
    """Everything that the answer to a heartbeat depends on, as it was. Facts are replaced, never changed in place."""

    __slots__ = ("_current", "_epoch", "_group", "_member", "_of_groups", "_subscription", "_times", "_topics")

    def __init__(self, shard: ShardView, group: ConsumerGroup, member: ConsumerMember) -> None:
        times = shard.times.of(group.group_id)
        super().__init__(member.session_key, times.session_timeout_ms)
        if group.resolved:  # then its regular expressions are resolved anew
            self.until_ms = group.resolved_ms() + shard.config.consumer_regex_refresh_interval_ms
        self._group = group
        self._epoch = group.epoch
        self._topics: TopicView = shard.topics
        self._of_groups = shard.times
        self._times = times
        self._member = member
        self._current = member.current
        self._subscription = member.subscription

    def holds(self) -> bool:
        group, member = self._group, self._member
        return (
            group.epoch == self._epoch
            and group.topics_version == self._topics.version()
            and member.current is self._current
            and member.subscription is self._subscription
            and self._of_groups.of(group.group_id) is self._times
            and group.members.get(member.member_id) is member
        )


def steady_consumer(shard: ShardView, request: ConsumerHeartbeat) -> SteadyConsumer | None:
    """None if the next heartbeat like this one may write, be refused, or be told something else."""
    group = shard.consumer_groups.get(request.group_id)
    if group is None or request.member_epoch <= 0 or request.owned is not None:
        return None
    member = present_member(group, request)
    if isinstance(member, ConsumerHeartbeatReply) or member.current.epoch != request.member_epoch:
        return None
    is_there = member.current.state is STABLE and group.epoch == group.target_epoch == member.current.epoch
    knows_topics = group.topics_version == shard.topics.version()
    if (
        not is_there
        or not knows_topics
        or updated_subscription(member.subscription, request) is not member.subscription
    ):
        return None
    regex = member.subscription.topic_regex
    if (regex and regex not in group.resolved) or (group.resolved and group.regex_version != shard.topics.newest()):
        return None
    return SteadyConsumer(shard, group, member)


def stepping_member(shard: ShardView, request: ConsumerHeartbeat) -> str:
    """The member, if this heartbeat can change nothing but what that member has; else "".

    Such steps of different members need not wait for each other's records: what they take is theirs by the one target of the
    group, in which no partition is twice, and what another one is about to give up still counts as its own.
    """
    group = shard.consumer_groups.get(request.group_id)
    member = None if group is None or request.member_epoch <= 0 else group.members.get(request.member_id)
    if group is None or member is None:
        return ""
    is_settled = group.epoch <= group.target_epoch and group.topics_version == shard.topics.version()
    if not is_settled or updated_subscription(member.subscription, request) is not member.subscription:
        return ""
    return request.member_id
