"""What a shard answers about consumer groups, before a handler lays it out for the client's API version."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from muster.core.consumer.records import Subscription, Target
from muster.wire.value import Value


@mypyc_attr(acyclic=True)
class ConsumerHeartbeatReply(Value):
    __match_args__ = ("error", "message", "member_id", "member_epoch", "interval_ms", "assignment")
    __slots__ = __match_args__

    def __init__(
        self,
        error: int,
        message: str | None = None,
        member_id: str | None = None,
        member_epoch: int = 0,
        interval_ms: int = 0,
        assignment: Target | None = None,
    ) -> None:
        self.error = error
        self.message = message
        """For people; of errors that the group itself causes."""
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.interval_ms = interval_ms
        self.assignment = assignment
        """None: what it was before."""


class DescribedConsumer(Value):
    __match_args__ = ("member_id", "member_epoch", "subscription", "assigned", "target")
    __slots__ = __match_args__

    def __init__(
        self, member_id: str, member_epoch: int, subscription: Subscription, assigned: Target, target: Target
    ) -> None:
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.subscription = subscription
        self.assigned = assigned
        self.target = target


class ConsumerDescribeReply(Value):
    __match_args__ = (
        "error",
        "group_id",
        "message",
        "state",
        "group_epoch",
        "target_epoch",
        "assignor",
        "members",
        "topic_names",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        error: int,
        group_id: str,
        message: str | None = None,
        state: str = "",
        group_epoch: int = 0,
        target_epoch: int = 0,
        assignor: str = "",
        members: tuple[DescribedConsumer, ...] = (),
        topic_names: dict[bytes, str] | None = None,
    ) -> None:
        self.error = error
        self.group_id = group_id
        self.message = message
        self.state = state
        self.group_epoch = group_epoch
        self.target_epoch = target_epoch
        self.assignor = assignor
        self.members = members
        self.topic_names: dict[bytes, str] = {} if topic_names is None else topic_names
        """Of the topics that are in any assignment and still exist."""
