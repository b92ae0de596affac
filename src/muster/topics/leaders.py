"""Who leads which partition since which epoch, as far as this node knows.

The catalog asks when it makes a partition known. On one node the answer is always "this one"; in a cluster it comes from whoever
decides about ownership, and `Catalog.lead` is told of every change.
"""

from __future__ import annotations

from typing import Protocol

from muster.log.contract import Leader


class Leaders(Protocol):
    node_id: int
    """This node."""
    is_alone: bool
    """No other node uses the store: whatever lies in it belongs to this one."""

    def of(self, topic: str, partition: int, kept_epoch: int) -> Leader:
        """`kept_epoch`: what the catalog's document says, for nodes that need nobody else to know it."""
        ...


class OneNode:
    """This node leads everything, since the epoch that was kept."""

    __slots__ = ("is_alone", "node_id")

    def __init__(self, node_id: int) -> None:
        self.node_id = node_id
        self.is_alone = True

    def of(self, topic: str, partition: int, kept_epoch: int) -> Leader:
        return Leader(self.node_id, kept_epoch)
