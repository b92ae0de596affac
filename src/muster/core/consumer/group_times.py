"""The settings that a consumer group may have for itself: its timeouts and intervals, or those of the broker (KIP-848).

Whoever keeps them writes `own`; every shard of the node reads the same object, so that a change holds with the next heartbeat.
"""

from __future__ import annotations

from muster.core.config import GroupConfig
from muster.wire.value import Value


class ConsumerTimes(Value):
    """Replaced, never changed in place: whoever holds one can see whether it is still in force."""

    __match_args__ = ("session_timeout_ms", "heartbeat_interval_ms", "assignment_interval_ms")
    __slots__ = __match_args__

    def __init__(self, session_timeout_ms: int, heartbeat_interval_ms: int, assignment_interval_ms: int) -> None:
        self.session_timeout_ms = session_timeout_ms
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.assignment_interval_ms = assignment_interval_ms


class GroupTimes:
    __slots__ = ("default", "own")

    def __init__(self, config: GroupConfig) -> None:
        self.default = ConsumerTimes(
            config.consumer_session_timeout_ms,
            config.consumer_heartbeat_interval_ms,
            config.consumer_assignment_interval_ms,
        )
        self.own: dict[str, ConsumerTimes] = {}
        """Of the groups that have settings of their own, whether they exist or not."""

    def of(self, group_id: str) -> ConsumerTimes:
        return self.own.get(group_id, self.default)
