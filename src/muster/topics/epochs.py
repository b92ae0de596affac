"""Leader epochs: is the client's current (KIP-320), and where did an old one end (OffsetForLeaderEpoch).

On one node the epoch never changes; only logs that another broker wrote hold more than one. In a cluster it grows with every
new leader, and who asks a node that does not lead is told so.
"""

from __future__ import annotations

from typing import Final

from muster.log.contract import PartitionLog, StorageError
from muster.topics.topic import Partition
from muster.wire.errors import (
    FENCED_LEADER_EPOCH,
    KAFKA_STORAGE_ERROR,
    NONE,
    UNKNOWN_LEADER_EPOCH,
)
from muster.wire.late_dataclass import dataclass

UNDEFINED_EPOCH: Final = -1
UNDEFINED_OFFSET: Final = -1


@dataclass(slots=True, frozen=True)
class EpochEnd:
    error_code: int = NONE
    leader_epoch: int = UNDEFINED_EPOCH
    end_offset: int = UNDEFINED_OFFSET


def leader_epoch_error(partition: Partition, client_epoch: int) -> int:
    """What to tell a client that believes in this epoch; -1 means that it did not say. Epochs are judged first."""
    if client_epoch == UNDEFINED_EPOCH or client_epoch == partition.leader_epoch:
        return partition.refusal
    return FENCED_LEADER_EPOCH if client_epoch < partition.leader_epoch else UNKNOWN_LEADER_EPOCH


class EpochSearch:
    """Looks through a log for the end of an epoch. A look that a StorageError ended goes on where it was."""

    __slots__ = ("_floor", "_log", "_next_offset")

    def __init__(self) -> None:
        self._log: PartitionLog | None = None
        self._next_offset = 0
        self._floor = UNDEFINED_EPOCH

    def look(self, partition: Partition, epoch: int) -> EpochEnd:
        log = partition.log
        if self._log is not log:
            self._log, self._next_offset, self._floor = log, log.start_offset, UNDEFINED_EPOCH
        for _, header in log.read_headers(max(self._next_offset, log.start_offset)):
            if header.partition_leader_epoch > epoch:
                # Nothing of that epoch is left: the client has to begin where the next one does.
                return EpochEnd(NONE, epoch if self._floor == UNDEFINED_EPOCH else self._floor, header.base_offset)
            self._floor = header.partition_leader_epoch
            self._next_offset = header.last_offset + 1
        return EpochEnd(NONE, epoch if self._floor == UNDEFINED_EPOCH else self._floor, partition.high_watermark)


def end_of_epoch(partition: Partition, current_epoch: int, epoch: int, search: EpochSearch) -> EpochEnd:
    """The largest epoch up to `epoch` and the offset at which it ended: a client beyond it has read what was lost."""
    error = leader_epoch_error(partition, current_epoch)
    if error != NONE:
        return EpochEnd(error)
    if epoch == partition.leader_epoch:
        return EpochEnd(NONE, epoch, partition.high_watermark)
    if epoch < 0 or epoch > partition.leader_epoch:
        return EpochEnd()
    try:
        return search.look(partition, epoch)
    except StorageError:
        return EpochEnd(KAFKA_STORAGE_ERROR)


def epoch_at(partition: Partition, offset: int) -> int:
    """The epoch in which the record at `offset` was written; at the end of the log, the one that would be."""
    if partition.leader_epoch > 0:
        for _, header in partition.log.read_headers(offset):
            return header.partition_leader_epoch
    return partition.leader_epoch
