"""What members of both group protocols say to their coordinator in the same way: commits; and how they reach it.

A member's calls go over a lane of their own: a JoinGroup holds up all that come behind it, and heartbeats shall wait for nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Final

from muster.client.cluster import SHARED_LANE, Cluster
from muster.client.group_protocol import Standing
from muster.client.offset_messages import CommittedOffset, commit_request, raise_for_commit
from muster.client.partitions import TopicPartition

_lanes: Final = count()


class CoordinatorCalls:
    def __init__(self, cluster: Cluster, group_id: str, instance_id: str | None) -> None:
        self.cluster = cluster
        self.group_id = group_id
        self.instance_id = instance_id
        self._lane = f"member {next(_lanes)}"
        self._parked = False
        """A JoinGroup or SyncGroup is out: what is sent now on the same lane waits for it."""

    async def commit(self, standing: Standing, offsets: Mapping[TopicPartition, int | CommittedOffset]) -> None:
        """Not on the lane while it is held up: a commit in the middle of a rebalance must not wait for its end."""
        request = commit_request(self.group_id, offsets, standing.generation, standing.member_id, self.instance_id)
        lane = SHARED_LANE if self._parked else self._lane
        reply = await self.cluster.ask_coordinator(self.group_id, "OffsetCommit", request, lane=lane)
        raise_for_commit(reply, self.group_id)

    def forget_coordinator(self) -> None:
        self.cluster.coordinators.forget(self.group_id)

    def close(self) -> None:
        self.cluster.close_lane(self._lane)
