"""The newest batches of a log, held in memory: consumers that keep up read from here and not from the database."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from muster.log.staging import StagedBatch

TAIL_BYTES: Final = 1_048_576
"""Held per log at most, and dropped from the front in halves."""


class Tail:
    """An unbroken run of batches up to the durable end; empty until something is appended."""

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._batches: list[StagedBatch] = []
        self._size = 0

    def add(self, batch: StagedBatch) -> None:
        self._bases.append(batch.base_offset)
        self._batches.append(batch)
        self._size += len(batch.bytes)
        if self._size > TAIL_BYTES and len(self._batches) > 1:
            self._drop(len(self._batches) // 2)

    def holds(self, offset: int) -> bool:
        return bool(self._bases) and offset >= self._bases[0]

    def batches_from(self, offset: int) -> Iterator[bytes]:
        first = max(0, bisect_right(self._bases, offset) - 1)
        for batch in self._batches[first:]:
            if batch.next_offset > offset:
                yield batch.bytes

    def drop_before(self, offset: int) -> None:
        """Batches that begin before it may have been rewritten: compaction never touches the ones after it."""
        self._drop(bisect_right(self._bases, offset - 1))

    def _drop(self, count: int) -> None:
        self._size -= sum(len(batch.bytes) for batch in self._batches[:count])
        del self._bases[:count], self._batches[:count]
