"""What the decisions about offsets see of a shard. `muster.core.shard.Shard` is one; nothing here makes or changes it."""

from __future__ import annotations

from typing import Protocol

from muster.core.classic.counters import Counters
from muster.core.classic.group import Group
from muster.core.config import GroupConfig
from muster.core.offsets.store import OffsetStore


class ShardView(Protocol):
    groups: dict[str, Group]
    """Live groups. Offsets without a group are not shown to anybody (spec 5.7)."""
    offsets: OffsetStore
    config: GroupConfig
    counters: Counters
