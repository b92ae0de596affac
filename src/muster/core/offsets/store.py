"""The committed offsets of one shard: durable facts, changed by what only `replay` calls (law 2): puts, ends and `erase`.

Knows nothing of groups beyond their ids: offsets may outlive their group in the log, and a group may have none (spec 5.7).
The commit, fetch, delete and expire files read it.

Beside the facts it remembers which commits are on their way to the log: a tombstone that lands behind a commit which it has not
seen would take back an acknowledged offset, or leave one behind its own group's tombstone. Fetches never see those. Offsets of
transactions that have not ended are in `pending`.

Groups and topics are in the order of their first commit, partitions in that of their numbers (law 7). Flat (group, topic,
partition) keys would cost 396 bytes an offset, a dict of objects for each topic 150; packed ones take 16 or 24.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from mypy_extensions import i64

from muster.core.fifo import Fifo
from muster.core.offsets.partition_offsets import PartitionOffsets, StoredOffset
from muster.core.offsets.pending import PendingOffsets, ProducerState
from muster.core.offsets.run import OffsetRun
from muster.core.offsets.waits import OffsetWaits
from muster.core.records import (
    EndTransactionMarker,
    OffsetCommitted,
    OffsetsCommitted,
    ProducerRecord,
    Record,
    TransactionalOffset,
)
from muster.wire.special_values import NO_EXPIRY

Topics: TypeAlias = Mapping[str, PartitionOffsets]
"""topic -> partition -> offset."""

_NO_TOPICS: Topics = {}


class OffsetStore:
    """group -> topic -> partition -> the last committed offset."""

    __slots__ = ("_groups", "_on_the_way", "count", "pending", "waits")

    def __init__(self) -> None:
        self._groups: dict[str, PartitionOffsets | dict[str, PartitionOffsets]] = {}
        """A dict only for groups with several topics: it would be the larger half of what a group with one takes."""
        self._on_the_way: Fifo[list[Record]] = Fifo()
        """The records of each commit and end marker that is neither durable nor lost, oldest first."""
        self.count = 0
        """How many offsets there are, kept while they come and go."""
        self.pending = PendingOffsets()
        self.waits = OffsetWaits()
        """No facts: who has been kept waiting by what is pending."""

    def put(self, record: OffsetCommitted, log_offset: int) -> None:
        """Apply a commit record. The record further on in the log wins, whenever it comes in (spec 4.2)."""
        self.put_offset(
            record.group_id,
            record.topic,
            record.partition,
            record.offset,
            record.leader_epoch,
            record.metadata,
            record.commit_timestamp_ms,
            record.expire_timestamp_ms,
            log_offset,
            record.topic_id,
        )

    def put_topic(self, record: OffsetsCommitted, log_offset: i64) -> None:
        """`put` for all that a commit has for one topic; the first row lies at `log_offset`."""
        if len(self._on_the_way) and self._on_the_way.oldest()[-1] is record:
            self._on_the_way.pop()  # commits become durable in the order in which they were made
        offsets = record.offsets
        committed_ms: i64 = record.commit_timestamp_ms
        expires_ms: i64 = record.expire_timestamp_ms
        partitions = self.of_topic_in_group(record.group_id, offsets.topic)
        before = len(partitions)
        count: i64 = len(offsets)
        topic_id = offsets.topic_id
        is_plain = offsets.metadata is None and expires_ms == NO_EXPIRY
        for row in range(count):
            if is_plain:
                partitions.put_plain(
                    offsets.partition(row),
                    offsets.offset(row),
                    offsets.leader_epoch(row),
                    committed_ms,
                    log_offset + row,
                    topic_id,
                )
                continue
            partitions.put(
                offsets.partition(row),
                offsets.offset(row),
                offsets.leader_epoch(row),
                offsets.metadata_of(row),
                committed_ms,
                expires_ms,
                log_offset + row,
                topic_id,
            )
        self.count += len(partitions) - before

    def put_offset(
        self,
        group_id: str,
        topic: str,
        partition: i64,
        offset: i64,
        leader_epoch: i64,
        metadata: str,
        committed_ms: i64,
        expires_ms: i64,
        log_offset: i64,
        topic_id: bytes | None,
    ) -> None:
        """`put` for those who have no record."""
        partitions = self.of_topic_in_group(group_id, topic)
        before = len(partitions)
        partitions.put(partition, offset, leader_epoch, metadata, committed_ms, expires_ms, log_offset, topic_id)
        self.count += len(partitions) - before

    def put_run(self, group_id: str, topic: str, run: OffsetRun) -> None:
        """`put` for many offsets of one group and topic at once."""
        partitions = self.of_topic_in_group(group_id, topic)
        before = len(partitions)
        run.put_into(partitions)
        self.count += len(partitions) - before

    def put_pending(self, record: TransactionalOffset, log_offset: int) -> None:
        """Apply an offset of a transaction: it is kept aside until the transaction's end."""
        self._arrived(record)
        self.pending.put(record, log_offset)

    def end_transaction(self, marker: EndTransactionMarker) -> None:
        """Apply an end marker. A plain commit behind an offset of the transaction is further on in the log, and wins (T182)."""
        self._arrived(marker)
        self.waits.ended(marker.producer_id)
        for offset in self.pending.end(marker):
            if marker.commit:
                self.put(offset.record, offset.log_offset)

    def of_topic_in_group(self, group_id: str, topic: str) -> PartitionOffsets:
        """The topic's offsets, made if there are none yet. A caller that puts new offsets into it adds their number to `count`."""
        held = self._groups.get(group_id)
        if held is None:
            made = self._groups[group_id] = PartitionOffsets(topic)
            return made
        if isinstance(held, PartitionOffsets):
            if held.topic == topic:
                return held
            held = self._groups[group_id] = {held.topic: held}
        partitions = held.get(topic)
        if partitions is None:
            partitions = held[topic] = PartitionOffsets(topic)
        return partitions

    def erase(self, group_id: str, topic: str, partition: int) -> None:
        """Apply a tombstone. One for an unknown key means nothing (T210): compaction may have taken its predecessor."""
        if len(self.pending):
            self.pending.erase(group_id, topic, partition)
        partitions = self.find(group_id, topic)
        if partitions is None or not partitions.erase(partition):
            return
        self.count -= 1
        if len(partitions) == 0:
            held = self._groups[group_id]
            if isinstance(held, dict):
                del held[topic]
            if isinstance(held, PartitionOffsets) or not held:
                del self._groups[group_id]

    def expect(self, records: list[Record]) -> None:
        """A commit or an end marker was decided; each of these is replayed when it is durable."""
        self._on_the_way.append(records)

    def _arrived(self, record: ProducerRecord) -> None:
        if len(self._on_the_way) and self._on_the_way.oldest()[-1] is record:
            self._on_the_way.pop()

    def lost(self, records: Sequence[Record]) -> None:
        """The append of these records failed. Nothing is done for records that are no commit."""
        if isinstance(records, list):
            self._on_the_way.drop(records)

    def on_the_way(self) -> Iterator[OffsetCommitted]:
        """Commits that are neither durable nor lost, in their order. Few: those of the last write or two of the log."""
        for records in self._on_the_way:
            for record in records:
                if isinstance(record, OffsetsCommitted):
                    yield from record.singly()
                elif isinstance(record, TransactionalOffset):
                    yield record.committed

    def producer(self, producer_id: int) -> ProducerState:
        """The producer as the log will have it when all that is on its way is durable: an append is judged by those before it."""
        state = self.pending.producer(producer_id)
        for records in self._on_the_way:
            first = records[0]
            if isinstance(first, ProducerRecord) and first.producer_id == producer_id:
                if isinstance(first, EndTransactionMarker):
                    state = ProducerState(first.producer_epoch, first.coordinator_epoch, False)
                else:
                    state = ProducerState(first.producer_epoch, state.coordinator_epoch, True)
        return state

    def get(self, group_id: str, topic: str, partition: int) -> StoredOffset | None:
        partitions = self.find(group_id, topic)
        return partitions.get(partition) if partitions is not None else None

    def find(self, group_id: str, topic: str) -> PartitionOffsets | None:
        """What the group has committed to the topic."""
        held = self._groups.get(group_id)
        if isinstance(held, PartitionOffsets):
            return held if held.topic == topic else None
        return held.get(topic) if held is not None else None

    def of_group(self, group_id: str) -> Topics:
        """Everything the group has committed, topics in the order of their first commit."""
        held = self._groups.get(group_id)
        if isinstance(held, PartitionOffsets):
            return {held.topic: held}
        return held if held is not None else _NO_TOPICS

    def group_ids(self) -> list[str]:
        return list(self._groups)

    def of_topic(self, topic: str) -> Iterator[tuple[str, PartitionOffsets]]:
        """(group id, partition -> offset) of every group that has committed to the topic."""
        for group_id in self._groups:
            partitions = self.find(group_id, topic)
            if partitions is not None:
                yield group_id, partitions

    def __iter__(self) -> Iterator[tuple[str, str, int, StoredOffset]]:
        for group_id in self._groups:
            for topic, partitions in self.of_group(group_id).items():
                for partition, stored in partitions.items():
                    yield group_id, topic, partition, stored

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OffsetStore)
            and self.pending == other.pending
            and sorted(self, key=_place) == sorted(other, key=_place)
        )

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"<OffsetStore {self.count} offsets of {len(self._groups)} groups>"


def _place(entry: tuple[str, str, int, StoredOffset]) -> tuple[str, str, int]:
    group_id, topic, partition, _ = entry
    return group_id, topic, partition
