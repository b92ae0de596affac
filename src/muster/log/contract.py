"""What a log promises, whoever keeps it: segment files (`files`), memory (`memory`) or PostgreSQL (`postgres`).

Group commit, the life of an append:

1. `PartitionLog.append` assigns offsets at once and stages the bytes in memory (`end_offset` grows, `durable_offset` does not).
2. Once per tick the runtime calls `LogStore.begin_commit()`, which takes over everything staged so far.
3. `Commit.run()` writes and syncs; it may run in another thread and touches nothing that the loop's thread reads.
4. `Commit.finish()`, back in the loop's thread, moves `durable_offset` forward. A log whose write failed has lost its staged
   appends, also those staged since: its `end_offset` falls back to `durable_offset`, and the failure is reported for
   that log.

Readers see nothing at or beyond `durable_offset`: it is the high watermark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple, Protocol

from muster.log.transaction_index import AbortedTransaction
from muster.wire.batch import BatchHeader, OpenBatch
from muster.wire.value import Value

Durability = Literal["fsync", "os"]


class StorageError(Exception):
    """The disk's or database's fault: says which file, what was wrong and what to do."""


class NotReadYet(StorageError):
    """The log has to ask a database for this, and nobody waits for one in the loop: try again when it was asked apart."""


class LedElsewhere(StorageError):
    """Another node leads the partition, as far as this one knows. Nothing is wrong: the client has to look again."""


class LogUnusable(StorageError):
    """This one log cannot be opened, and trying again does not help. Nothing is wrong with the others."""


class Fenced(LedElsewhere):
    """Another node leads the partition since a later epoch, and the store has refused what this one wanted to append."""


class DocumentChanged(Exception):
    """Another node has written the document since this one read it: read it again, then try again.

    Not a StorageError, because nothing failed: whoever changes a shared document has to expect it.
    """


class CompactionOvertaken(StorageError):
    """Retention, DeleteRecords or DeleteTopics took segments that a compaction was reading. Nothing is wrong."""


class LogConfig(Value):
    """The topic settings that a log itself obeys. Names and defaults are Kafka's."""

    __match_args__ = (
        "segment_bytes",
        "segment_ms",
        "index_interval_bytes",
        "retention_ms",
        "retention_bytes",
        "cleanup_delete",
        "cleanup_compact",
        "file_delete_delay_ms",
        "min_cleanable_dirty_ratio",
        "min_compaction_lag_ms",
        "max_compaction_lag_ms",
        "delete_retention_ms",
        "producer_id_expiration_ms",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        segment_bytes: int = 1_073_741_824,
        segment_ms: int = 604_800_000,
        index_interval_bytes: int = 4_096,
        retention_ms: int = 604_800_000,
        retention_bytes: int = -1,
        cleanup_delete: bool = True,
        cleanup_compact: bool = False,
        file_delete_delay_ms: int = 60_000,
        min_cleanable_dirty_ratio: float = 0.5,
        min_compaction_lag_ms: int = 0,
        max_compaction_lag_ms: int = 2**63 - 1,
        delete_retention_ms: int = 86_400_000,
        producer_id_expiration_ms: int = 86_400_000,
    ) -> None:
        self.segment_bytes = segment_bytes
        self.segment_ms = segment_ms
        self.index_interval_bytes = index_interval_bytes
        self.retention_ms = retention_ms
        """-1: keep for ever."""
        self.retention_bytes = retention_bytes
        self.cleanup_delete = cleanup_delete
        self.cleanup_compact = cleanup_compact
        self.file_delete_delay_ms = file_delete_delay_ms
        self.min_cleanable_dirty_ratio = min_cleanable_dirty_ratio
        self.min_compaction_lag_ms = min_compaction_lag_ms
        self.max_compaction_lag_ms = max_compaction_lag_ms
        self.delete_retention_ms = delete_retention_ms
        self.producer_id_expiration_ms = producer_id_expiration_ms
        """A broker setting: the last batch of a producer is kept, if only its header, until the producer is forgotten."""

    @property
    def roll_after_ms(self) -> int:
        """KIP-354: a compacted log closes its active segment in time for `max.compaction.lag.ms`."""
        return min(self.segment_ms, self.max_compaction_lag_ms) if self.cleanup_compact else self.segment_ms


class Leader(NamedTuple):
    """Who leads a partition, since which epoch."""

    node_id: int
    """NOBODY while no live node does."""
    epoch: int


NOBODY: Final = -1


class TimestampOffset(Value):
    __match_args__ = ("timestamp_ms", "offset")
    __slots__ = __match_args__

    def __init__(self, timestamp_ms: int, offset: int) -> None:
        self.timestamp_ms = timestamp_ms
        self.offset = offset


class PartitionLog(Protocol):
    """One partition's log, used from the loop's thread only."""

    topic: str
    partition: int
    config: LogConfig
    start_offset: int
    end_offset: int
    """The next offset to be assigned; counts what is only staged."""
    durable_offset: int
    """The first offset that readers do not see yet: the high watermark."""
    has_transactions: bool
    """Whether a transactional batch was ever appended, also by an earlier process. Without one nobody has to look for any."""

    def append(self, batch: bytes, header: BatchHeader, leader_epoch: int, now_ms: int) -> int:
        """Stage one valid record batch; its base offset and leader epoch are patched in. Returns the base offset."""
        ...

    def note_aborted(self, aborted: AbortedTransaction) -> None:
        """The marker that was appended last has aborted this transaction: found by readers once the marker is durable."""
        ...

    def aborted_transactions(self, from_offset: int, to_offset: int) -> list[AbortedTransaction]:
        """Those that may have records in the range, by their markers. Some may lie beyond it."""
        ...

    def mark_transactional(self) -> None:
        """It holds transactional batches that were not appended here. Durable when it returns."""
        ...

    def stage_open(self, batch: OpenBatch) -> None:
        """Stage a batch that begins at `end_offset`, or what was added to it since. It grows until a commit takes it over,
        something else is appended or the log falls back: `batch.is_open` tells."""
        ...

    def read(self, offset: int, max_bytes: int, *, at_least_one: bool = True) -> bytes:
        """Whole batches from the one that holds `offset`, up to `durable_offset`; b"" at the end.

        Not more than `max_bytes`, except that the first batch comes whole if `at_least_one`. The caller has checked
        that start_offset <= offset <= durable_offset.
        """
        ...

    def read_headers(self, offset: int) -> Iterable[tuple[int, BatchHeader]]:
        """(file position, header) of the batches from `offset` on, without their records."""
        ...

    def offset_for_timestamp(self, timestamp_ms: int) -> TimestampOffset | None:
        """The first durable record whose timestamp is at least this, decompressing the batch that holds it."""
        ...

    def max_timestamp(self) -> TimestampOffset | None:
        """The newest durable timestamp and the offset of the first record that carries it; None for an empty log."""
        ...

    def delete_before(self, offset: int) -> None:
        """DeleteRecords: move `start_offset` up, drop whole segments that lie before it. Durable when it returns."""
        ...

    def apply_retention(self, now_ms: int) -> int:
        """Roll by time, drop segments that are too old or too much. Returns how many segments went."""
        ...

    def size_bytes(self) -> int: ...

    def dirty_ratio(self, now_ms: int, stable_offset: int | None = None) -> float | None:
        """How much of what a compaction would look at is not compacted yet, if the topic's settings want one now."""
        ...

    def begin_compaction(self, now_ms: int, stable_offset: int | None = None) -> Compaction:
        """One round over the closed segments that end at or before `stable_offset`, the last stable offset, if there is one.
        The next one may begin only when this one is over or abandoned."""
        ...


class CompactionReport(Value):
    """What a round did. `clean_offset`: everything before it has been compacted."""

    __match_args__ = ("clean_offset", "bytes_before", "bytes_after", "records_dropped", "keyless_records")
    __slots__ = __match_args__

    def __init__(
        self, clean_offset: int, bytes_before: int, bytes_after: int, records_dropped: int, keyless_records: int
    ) -> None:
        self.clean_offset = clean_offset
        self.bytes_before = bytes_before
        self.bytes_after = bytes_after
        self.records_dropped = records_dropped
        self.keyless_records = keyless_records
        """Dropped, as Kafka does: a compacted topic has no use for records without a key."""


class Compaction(Protocol):
    """A round of compaction in pieces: `work`, `settle`, `work`, `settle` ... until `settle` returns the report."""

    def work(self, max_bytes: int) -> None:
        """Read or write about so many bytes. May run in another thread; never raises, failures are kept for `settle`."""
        ...

    def settle(self) -> CompactionReport | None:
        """In the loop's thread, between two pieces: readers get what is finished. StorageError ends the round; the log
        is as good as before it."""
        ...

    def abandon(self) -> None:
        """End it between two pieces. What is finished stays, what is half done is thrown away."""
        ...


class Commit(Protocol):
    """Everything that was staged in one tick, on its way to being durable."""

    def run(self) -> None:
        """Write and sync. Never raises: failures are kept per log for `finish`."""
        ...

    def finish(self) -> Sequence[tuple[PartitionLog, StorageError | None]]:
        """Move the durable offsets, or fall back. One entry per log that had something staged, in staging order."""
        ...


class LogStore(Protocol):
    """All logs of one node, and a few small documents beside them (the topic catalog, the cluster id)."""

    durability: Durability

    def partitions(self) -> Sequence[tuple[str, int]]:
        """Every log that exists, open or not, sorted."""
        ...

    def open(self, topic: str, partition: int, topic_id: bytes, config: LogConfig) -> PartitionLog:
        """Open a log, recovering it if the last stop was not clean; make it if it is not there. LogUnusable: only this one
        cannot be opened."""
        ...

    def get(self, topic: str, partition: int) -> PartitionLog | None:
        """An open log, or None."""
        ...

    def announce(self, topic: str, topic_id: bytes, partitions: Sequence[int]) -> None:
        """These logs belong to a topic now. Where several nodes share a store one of them will be told to lead each;
        where one node has everything there is nothing to do. May be said more than once. DocumentChanged: nothing was done, since
        another node has changed the catalog since this one read it, and the topic may be gone. StorageError also if there are
        records of another topic under that name: what is not in their way was done, they stay."""
        ...

    def make_room(self, names: Sequence[str]) -> None:
        """Topics of these names are about to be made, and there are none. Where several nodes share a store: whatever is there
        under these names was left by deleted topics and gives them up, unless somebody has changed the catalog since this node
        read it. `open` sees to it where every node has logs of its own."""
        ...

    def release(self, topic: str, partition: int) -> None:
        """Another node leads it now: forget the open log and what is staged for it, leave its bytes alone."""
        ...

    def delete(self, topic: str, partition: int, topic_id: bytes | None = None) -> None:
        """Forget the log and its bytes. Where several nodes share a store: of the topic with this id alone, or, without one, only
        if nobody changed the catalog since this node read it. Bytes that take long to delete are left to `clear_some`. An open log
        is forgotten also if that fails."""
        ...

    def clear_some(self) -> bool:
        """Delete a little of what `delete` and `make_room` have left. It takes no longer than a change does. False if nothing is
        left."""
        ...

    def topic_id_of(self, topic: str, partition: int) -> bytes | None:
        """The id kept beside a log that is not open yet (Kafka's `partition.metadata`); None if it has none."""
        ...

    def begin_commit(self) -> Commit | None:
        """Take over what is staged; None if nothing is. The next one may begin only after `finish` of this one."""
        ...

    def read_document(self, name: str) -> bytes | None: ...

    def forget_document(self, name: str) -> None:
        """What was read of it was not understood: a store that several nodes share takes it for not read. See `documents`."""
        ...

    def write_document(self, name: str, content: bytes) -> None:
        """Replace a small document atomically; durable when it returns.

        A store that several nodes share raises DocumentChanged if it is not what this node read or wrote last.
        """
        ...

    def close(self) -> None:
        """Commit what is staged, leave the clean-shutdown mark, release the directory."""
        ...
