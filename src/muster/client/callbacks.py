"""What a program is told about its share of a group's partitions, whichever group protocol its member speaks."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from muster.client.partitions import TopicPartition

Callback: TypeAlias = Callable[[frozenset[TopicPartition]], Awaitable[None] | None]
"""Told which partitions; may be a plain function or a coroutine function. The rebalance waits for it."""


@dataclass(slots=True)
class Callbacks:
    on_assigned: Callback | None = None
    """These are yours from now on: all of them if eager, else the new ones. Called at every rebalance."""
    on_revoked: Callback | None = None
    """These are yours until this returns: the time to commit."""
    on_lost: Callback | None = None
    """These are not yours any more, and others may have them: do not commit. Like Java's, calls on_revoked if absent."""

    async def assigned(self, places: frozenset[TopicPartition]) -> None:
        await _call(self.on_assigned, places)

    async def revoked(self, places: frozenset[TopicPartition]) -> None:
        await _call(self.on_revoked, places)

    async def lost(self, places: frozenset[TopicPartition]) -> None:
        await _call(self.on_lost or self.on_revoked, places)


async def _call(callback: Callback | None, places: frozenset[TopicPartition]) -> None:
    if callback is not None:
        outcome = callback(places)
        if inspect.isawaitable(outcome):
            await outcome
