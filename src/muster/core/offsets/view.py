"""What the decisions about offsets see of a shard. `muster.core.shard.Shard` is one; nothing here makes or changes it.

A base class rather than a protocol: compiled code then reads its attributes directly.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from muster.core.classic.counters import Counters
from muster.core.classic.group import Group
from muster.core.config import GroupConfig
from muster.core.consumer.group import ConsumerGroup
from muster.core.consumer.group_times import GroupTimes
from muster.core.consumer.topics import TopicView
from muster.core.offsets.store import OffsetStore


@mypyc_attr(allow_interpreted_subclasses=True)
class ShardView:
    groups: dict[str, Group]
    """Live groups. Offsets without a group are not shown to anybody (spec 5.7)."""
    consumer_groups: dict[str, ConsumerGroup]
    """Groups of the new protocol, as they are in the log. While one takes the place of a classic group, or the other way round,
    a group may be in both."""
    storing: set[str]
    """Consumer groups whose records are on their way to the log: what is known of them is about to change."""
    topics: TopicView
    times: GroupTimes
    """What consumer groups have set for themselves."""
    regex_filters: dict[str, Callable[[str], bool] | None]
    """Group -> which topics its regular expressions may show, by the rights of the client whose heartbeat asked for it."""
    offsets: OffsetStore
    config: GroupConfig
    counters: Counters
