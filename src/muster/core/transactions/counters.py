"""How transactions ended, for the metrics of a shard. Only ever grow; the runtime reads them when it is asked."""

from __future__ import annotations

from enum import StrEnum


class EndedBy(StrEnum):
    """Who decided the end. The values are the labels of the metric."""

    COMMIT = "commit"
    ABORT = "abort"
    """The producer asked for it."""
    TIMEOUT = "timeout"
    FENCE = "fence"
    """Another producer, or an operator, was given the transactional id."""


class TransactionCounters:
    __slots__ = ("_ended",)

    def __init__(self) -> None:
        self._ended = dict.fromkeys(EndedBy, 0)

    def count(self, ended_by: EndedBy) -> None:
        """The decision is durable."""
        self._ended[ended_by] += 1

    def ended(self, by: EndedBy) -> int:
        return self._ended[by]
