"""What is copied from a store, and what each kind of store has to offer for it: `file_side` and `postgres_side` do.

Batches are taken as they lie there, with their offsets, epochs and gaps. A `LogStore` could not do that: it gives whatever is
appended the next offset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class StoredBatch(NamedTuple):
    """One record batch and what a store keeps beside it."""

    segment_base: int
    base_offset: int
    next_offset: int
    records: int
    max_timestamp: int
    appended_at_ms: int
    content: bytes


@dataclass(slots=True, frozen=True)
class StoredPartition:
    topic: str
    partition: int
    topic_id: bytes
    epoch: int
    """The newest leader epoch."""
    start_offset: int
    end_offset: int
    clean_offset: int
    has_transactions: bool
    size: int
    """Bytes of its batches, about: for showing how far a copy is."""

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class Readable(Protocol):
    """One side of a copy that is read. Nobody else uses the store as long as it is open."""

    cluster_id: str

    def documents(self) -> Mapping[str, bytes]:
        """All that count for every store, by name; without the mark."""
        ...

    def partitions(self) -> Sequence[StoredPartition]: ...

    def left_out(self) -> Sequence[str]:
        """Partitions with records that are not copied although a topic has their name: which, and why."""
        ...

    def batches(self, partition: StoredPartition, from_offset: int) -> Iterator[StoredBatch]:
        """From the one that holds `from_offset` on."""
        ...

    def close(self) -> None: ...


class Writable(Protocol):
    """The other side: empty, or with the part of the same copy that was done before it was interrupted."""

    def begin(self, cluster_id: str) -> None:
        """Leave the mark, or find it. StorageError if the store is neither empty nor half of this copy."""
        ...

    def end_of(self, partition: StoredPartition) -> int:
        """Where to go on: everything before this offset is here. Makes the partition if it is not there."""
        ...

    def append(self, partition: StoredPartition, batches: Iterable[StoredBatch]) -> None:
        """A few megabytes, all of them or none after an interruption."""
        ...

    def finish(self, cluster_id: str, partitions: Sequence[StoredPartition], documents: Mapping[str, bytes]) -> None:
        """All batches are here: make it a whole store, but for the mark."""
        ...

    def reading(self) -> Readable:
        """What is there now, to be compared. Closed by whoever asked, before `release`."""
        ...

    def release(self, *, is_complete: bool) -> None:
        """Take the mark away if everything was compared; let go of the store."""
        ...
