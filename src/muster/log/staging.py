"""What every log does the same way before a byte is stored: give out offsets, keep the staged batches, settle a commit.

Knows nothing of where batches end up. `memory` and `files` build their logs and commits on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from mypy_extensions import mypyc_attr

from muster.log.contract import LogConfig, PartitionLog, StorageError
from muster.wire.batch import NO_TIMESTAMP, BatchHeader, parse_header, with_offset_and_epoch


class StagedBatch(NamedTuple):
    """One batch on its way, with what the writer needs to know of it."""

    base_offset: int
    next_offset: int
    max_timestamp: int
    leader_epoch: int
    now_ms: int
    bytes: bytes

    @property
    def time_ms(self) -> int:
        """When it counts as written, for rolling: its own timestamp, or the clock's if it has none."""
        return self.max_timestamp if self.max_timestamp >= 0 else self.now_ms


def left_by_compaction(header: BatchHeader, batch: bytes) -> StagedBatch:
    """What a compaction kept of a batch, under the offsets of the whole one."""
    kept = parse_header(batch)
    return StagedBatch(
        header.base_offset,
        header.next_offset,
        kept.max_timestamp if kept.record_count else NO_TIMESTAMP,
        header.partition_leader_epoch,
        max(0, header.max_timestamp),
        batch,
    )


def joined_up_to(batches: Iterable[bytes], max_bytes: int, *, at_least_one: bool) -> bytes:
    """Whole batches, not more than so many bytes, except that the first may be larger if at least one is wanted."""
    taken: list[bytes] = []
    size = 0
    for batch in batches:
        size += len(batch)
        if size > max_bytes and not (at_least_one and not taken):
            break
        taken.append(batch)
    return b"".join(taken)


@mypyc_attr(allow_interpreted_subclasses=True)
class StagedLog:
    """The part of a `PartitionLog` that lives between `append` and `finish`."""

    def __init__(self, topic: str, partition: int, config: LogConfig, announce: Callable[[StagedLog], None]) -> None:
        self.topic = topic
        self.partition = partition
        self.config = config
        self.start_offset = 0
        self.end_offset = 0
        self.durable_offset = 0
        self._staged: list[StagedBatch] = []
        self._announce = announce

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.topic}-{self.partition}"
            f" {self.start_offset}..{self.durable_offset}..{self.end_offset}>"
        )

    def append(self, batch: bytes, header: BatchHeader, leader_epoch: int, now_ms: int) -> int:
        """Stage one valid record batch; its base offset and leader epoch are patched in. Returns the base offset."""
        base_offset = self.end_offset
        next_offset = base_offset + header.last_offset_delta + 1
        if not self._staged:
            self._announce(self)
        patched = with_offset_and_epoch(batch, base_offset, leader_epoch)
        self._staged.append(StagedBatch(base_offset, next_offset, header.max_timestamp, leader_epoch, now_ms, patched))
        self.end_offset = next_offset
        return base_offset

    def take_staged(self) -> list[StagedBatch]:
        """Hand over what is staged to a commit."""
        staged, self._staged = self._staged, []
        return staged

    def fall_back(self) -> None:
        """A commit failed: what is staged, also since then, is lost, and its offsets are given out again."""
        self._staged.clear()
        self.end_offset = self.durable_offset


Settled = Sequence[tuple[PartitionLog, StorageError | None]]
