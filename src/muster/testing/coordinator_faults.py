"""A coordinator, of groups or of transactions, away, loading, and back: what a move of its partition looks like to clients.

Unloads and loads the real shard, as a change of leadership does (spec 1.4): whoever waits hears NOT_COORDINATOR, what is
not in the log is lost, members get a full session to show up. Used from the loop's thread.
"""

from __future__ import annotations

from typing import Any

from muster.core.hashing import partition_for
from muster.runtime.coordinator_shards import CoordinatorShards, LedPartition, ShardState


def away(coordinator: CoordinatorShards[Any], key: str) -> int:
    """Leadership of the key's partition is lost; FindCoordinator finds nobody. Returns the epoch that was."""
    partition = partition_for(key, coordinator.partition_count)
    place = coordinator.places.get(partition)
    if place is None:
        raise ValueError(f"the coordinator of {key!r} is not here: another fault has taken it away")
    coordinator.resign(partition)
    return place.epoch


def loading(coordinator: CoordinatorShards[Any], key: str) -> int:
    """The partition is led again but its log is not replayed yet. Returns the epoch that was."""
    epoch = away(coordinator, key)
    partition = partition_for(key, coordinator.partition_count)
    coordinator.places[partition] = LedPartition(partition, epoch, ShardState.LOADING)
    return epoch


def back(coordinator: CoordinatorShards[Any], key: str, epoch: int) -> None:
    """Lead it again from the next epoch on, and load it from the log."""
    partition = partition_for(key, coordinator.partition_count)
    place = coordinator.places.get(partition)
    if place is not None and place.runner is None:
        coordinator.resign(partition)  # what `loading` put there
    coordinator.elect(partition, epoch + 1)
