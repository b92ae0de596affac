"""The coordinator of a group away from here, loading, and back: what a move of its partition looks like to clients.

Unloads and loads the real shard, as a change of leadership does (spec 1.4): whoever waits hears NOT_COORDINATOR, what is
not in the log is lost, members get a full session to show up. Used from the loop's thread.
"""

from __future__ import annotations

from muster.core.hashing import partition_for
from muster.runtime.coordinator import Coordinator
from muster.runtime.coordinator_shards import LedPartition, ShardState


def away(coordinator: Coordinator, group_id: str) -> int:
    """Leadership of the group's partition is lost; FindCoordinator finds nobody. Returns the epoch that was."""
    partition = partition_for(group_id, coordinator.partition_count)
    place = coordinator.places.get(partition)
    if place is None:
        raise ValueError(f"the coordinator of group {group_id!r} is not here: another fault has taken it away")
    coordinator.resign(partition)
    return place.epoch


def loading(coordinator: Coordinator, group_id: str) -> int:
    """The partition is led again but its log is not replayed yet. Returns the epoch that was."""
    epoch = away(coordinator, group_id)
    partition = partition_for(group_id, coordinator.partition_count)
    coordinator.places[partition] = LedPartition(partition, epoch, ShardState.LOADING)
    return epoch


def back(coordinator: Coordinator, group_id: str, epoch: int) -> None:
    """Lead it again from the next epoch on, and load it from the log."""
    partition = partition_for(group_id, coordinator.partition_count)
    place = coordinator.places.get(partition)
    if place is not None and place.runner is None:
        coordinator.resign(partition)  # what `loading` put there
    coordinator.elect(partition, epoch + 1)
