"""What every log does the same way before a byte is stored: give out offsets, keep the staged batches, settle a commit.

Knows nothing of where batches end up. `memory` and `files` build their logs and commits on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mypy_extensions import mypyc_attr

from muster.log.contract import LogConfig, PartitionLog, StorageError
from muster.log.transaction_index import AbortedTransaction
from muster.wire.batch import NO_TIMESTAMP, BatchHeader, OpenBatch, parse_header, with_offset_and_epoch
from muster.wire.value import Value


@mypyc_attr(acyclic=True)
class StagedBatch(Value):
    """One batch on its way, with what the writer needs to know of it."""

    __match_args__ = ("base_offset", "next_offset", "max_timestamp", "leader_epoch", "now_ms", "bytes")
    __slots__ = __match_args__

    def __init__(
        self, base_offset: int, next_offset: int, max_timestamp: int, leader_epoch: int, now_ms: int, content: bytes
    ) -> None:
        self.base_offset = base_offset
        self.next_offset = next_offset
        self.max_timestamp = max_timestamp
        self.leader_epoch = leader_epoch
        self.now_ms = now_ms
        self.bytes = content

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
        self.has_transactions = False
        self._new_aborted: list[AbortedTransaction] = []
        """Of markers that are staged."""
        self._staged: list[StagedBatch] = []
        self._open: OpenBatch | None = None
        """The last of what is staged, while it still grows."""
        self._announce = announce

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.topic}-{self.partition}"
            f" {self.start_offset}..{self.durable_offset}..{self.end_offset}>"
        )

    def append(self, batch: bytes, header: BatchHeader, leader_epoch: int, now_ms: int) -> int:
        """Stage one valid record batch; its base offset and leader epoch are patched in. Returns the base offset."""
        self._close_open()
        if header.is_transactional:
            self.has_transactions = True
        base_offset = self.end_offset
        next_offset = base_offset + header.last_offset_delta + 1
        if not self._staged:
            self._announce(self)
        if header.base_offset != base_offset or header.partition_leader_epoch != leader_epoch:
            batch = with_offset_and_epoch(batch, base_offset, leader_epoch)
        self._staged.append(StagedBatch(base_offset, next_offset, header.max_timestamp, leader_epoch, now_ms, batch))
        self.end_offset = next_offset
        return base_offset

    def note_aborted(self, aborted: AbortedTransaction) -> None:
        """The marker that was appended last has aborted this transaction."""
        self._new_aborted.append(aborted)

    def mark_transactional(self) -> None:
        """It holds transactional batches that were not appended here."""
        self.has_transactions = True

    def stage_open(self, batch: OpenBatch) -> None:
        """Stage a batch that begins at `end_offset`, or what was added to it since. It grows until a commit takes it over,
        something else is appended or the log falls back: `batch.is_open` tells."""
        if self._open is not batch:
            self._close_open()
            assert batch.base_offset == self.end_offset, f"{self!r} has moved on from {batch.base_offset}"
            if not self._staged:
                self._announce(self)
            self._open = batch
        self.end_offset = batch.next_offset

    def take_staged(self) -> list[StagedBatch]:
        """Hand over what is staged to a commit."""
        self._close_open()
        staged, self._staged = self._staged, []
        return staged

    def fall_back(self) -> None:
        """A commit failed: what is staged, also since then, is lost, and its offsets are given out again."""
        self._staged.clear()
        self._new_aborted.clear()
        if self._open is not None:
            self._open.is_open = False
            self._open = None
        self.end_offset = self.durable_offset

    def _close_open(self) -> None:
        batch = self._open
        if batch is None:
            return
        self._open = None
        batch.is_open = False
        newest_ms = batch.max_timestamp
        self._staged.append(
            StagedBatch(batch.base_offset, batch.next_offset, newest_ms, batch.leader_epoch, newest_ms, batch.seal())
        )


Settled = Sequence[tuple[PartitionLog, StorageError | None]]
