"""What clients ask of consumer groups. API versions have become flags in the handlers (law 4)."""

from __future__ import annotations

from collections.abc import Callable

from muster.core.consumer.records import Target
from muster.wire.value import Value


class ConsumerHeartbeat(Value):
    """ConsumerGroupHeartbeat. None, and -1 for the timeout, mean that nothing has changed since the last one."""

    __match_args__ = (
        "group_id",
        "member_id",
        "member_epoch",
        "instance_id",
        "rack_id",
        "rebalance_timeout_ms",
        "topic_names",
        "topic_regex",
        "server_assignor",
        "owned",
        "client_id",
        "client_host",
        "makes_own_id",
        "sees_topic",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        group_id: str,
        member_id: str,
        member_epoch: int,
        instance_id: str | None,
        rack_id: str | None,
        rebalance_timeout_ms: int,
        topic_names: tuple[str, ...] | None,
        topic_regex: str | None,
        server_assignor: str | None,
        owned: Target | None,
        client_id: str,
        client_host: str,
        makes_own_id: bool,
        sees_topic: Callable[[str], bool] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topic_names = topic_names
        self.topic_regex = topic_regex
        self.server_assignor = server_assignor
        self.owned = owned
        """The partitions that the member says it has."""
        self.client_id = client_id
        self.client_host = client_host
        self.makes_own_id = makes_own_id
        """v1+, KIP-1082: the client comes with a member id; before that the coordinator gives it one."""
        self.sees_topic = sees_topic
        """Which topics a regular expression may show to this client; None: all of them."""

    @property
    def is_full(self) -> bool:
        """It says all there is to say, as clients do after a failed request: so they are told their assignment (spec 7.4)."""
        return (
            self.owned is not None
            and self.rebalance_timeout_ms != -1
            and (self.topic_names is not None or self.topic_regex is not None)
        )


class DescribeConsumerGroup(Value):
    __match_args__ = ("group_id",)
    __slots__ = __match_args__

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
