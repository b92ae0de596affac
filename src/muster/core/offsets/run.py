"""Many usual offsets of one group for one topic as columns: no object for each on the way into the store.

Usual: no metadata, no expiry of their own, one topic id for all. Made by the code that reads or decides them; a run may be filled
again and again, so that a million offsets need no more than the longest of their runs.
"""

from __future__ import annotations

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from muster.core.offsets.partition_offsets import PartitionOffsets


@mypyc_attr(acyclic=True)
class OffsetRun:
    """`count` rows; a column may be longer than that, from an earlier use."""

    __slots__ = (
        "committed_ms",
        "count",
        "highest_partition",
        "leader_epochs",
        "log_offsets",
        "offsets",
        "partitions",
        "topic_id",
    )

    def __init__(self) -> None:
        self.count: i64 = 0
        self.highest_partition: i64 = -1
        self.topic_id: bytes | None = None
        self.partitions: vec[i64] = vec[i64]()
        self.offsets: vec[i64] = vec[i64]()
        self.leader_epochs: vec[i64] = vec[i64]()
        self.committed_ms: vec[i64] = vec[i64]()
        self.log_offsets: vec[i64] = vec[i64]()

    def __len__(self) -> int:
        return self.count

    def clear(self) -> None:
        self.count = 0
        self.highest_partition = -1

    def add(self, partition: i64, offset: i64, leader_epoch: i64, committed_ms: i64, log_offset: i64) -> None:
        at = self.count
        if at < len(self.partitions):
            self.partitions[at] = partition
            self.offsets[at] = offset
            self.leader_epochs[at] = leader_epoch
            self.committed_ms[at] = committed_ms
            self.log_offsets[at] = log_offset
        else:
            self.partitions = append(self.partitions, partition)
            self.offsets = append(self.offsets, offset)
            self.leader_epochs = append(self.leader_epochs, leader_epoch)
            self.committed_ms = append(self.committed_ms, committed_ms)
            self.log_offsets = append(self.log_offsets, log_offset)
        self.count = at + 1
        if partition > self.highest_partition:
            self.highest_partition = partition

    def put_into(self, held: PartitionOffsets) -> None:
        held.reserve(self.highest_partition, self.count)
        partitions, offsets, leader_epochs = self.partitions, self.offsets, self.leader_epochs
        committed_ms, log_offsets, topic_id = self.committed_ms, self.log_offsets, self.topic_id
        for at in range(self.count):
            held.put_plain(partitions[at], offsets[at], leader_epochs[at], committed_ms[at], log_offsets[at], topic_id)
