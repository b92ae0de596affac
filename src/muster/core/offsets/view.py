"""What the decisions about offsets see of a shard. `muster.core.shard.Shard` is one; nothing here makes or changes it.

A base class rather than a protocol: compiled code then reads its attributes directly.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from muster.core.classic.counters import Counters
from muster.core.classic.group import Group
from muster.core.config import GroupConfig
from muster.core.offsets.store import OffsetStore


@mypyc_attr(allow_interpreted_subclasses=True)
class ShardView:
    groups: dict[str, Group]
    """Live groups. Offsets without a group are not shown to anybody (spec 5.7)."""
    offsets: OffsetStore
    config: GroupConfig
    counters: Counters
