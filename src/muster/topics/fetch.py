"""Reading many partitions for one Fetch, and knowing when a Fetch that waits has waited long enough.

Nothing waits here: the handler reads, and if there is too little parks a `FetchWait` with the runtime. Readers of committed
records get none from the last stable offset on, and are told which transactions before it were aborted: leaving those out
is their work. Where there are no transactions the last stable offset is the high watermark.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from muster.log.contract import PartitionLog, StorageError
from muster.log.transaction_index import AbortedTransaction
from muster.topics.catalog import Catalog
from muster.topics.epochs import leader_epoch_error
from muster.topics.topic import Partition
from muster.wire.batch_header import LENGTH_END
from muster.wire.errors import (
    KAFKA_STORAGE_ERROR,
    NONE,
    OFFSET_OUT_OF_RANGE,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from muster.wire.late_dataclass import dataclass
from muster.wire.special_values import NO_TOPIC_ID

_HOP: Final = struct.Struct(">qi11xi")
"""Base offset, length, last offset delta of a batch."""


@dataclass(slots=True)
class FetchAsk:
    """What one partition is asked for: by topic id if there is one, else by name."""

    topic: str
    partition: int
    offset: int
    max_bytes: int
    leader_epoch: int = -1
    topic_id: bytes = NO_TOPIC_ID


@dataclass(slots=True)
class PartitionRead:
    ask: FetchAsk
    error_code: int = NONE
    high_watermark: int = -1
    last_stable_offset: int = -1
    log_start_offset: int = -1
    records: bytes = b""
    aborted: Sequence[AbortedTransaction] = ()
    """For readers of committed records: those with records in the range that was read.

    Deviates: Kafka looks the end of that range up in a sparse index, so that it may name transactions behind it, too.
    """


@dataclass(slots=True)
class FetchRead:
    """Answers in the order of the asks."""

    partitions: list[PartitionRead]
    total_bytes: int
    failed: bool
    """Some partition has an error: Kafka answers such a fetch at once."""


def read_partitions(
    catalog: Catalog, asks: Sequence[FetchAsk], max_bytes: int, *, read_committed: bool = False
) -> FetchRead:
    """Whole batches, `max_bytes` in all; but the first partition that has any gives at least one batch (KIP-74)."""
    reads: list[PartitionRead] = []
    left, total, failed = max_bytes, 0, False
    for ask in asks:
        read = _read_one(catalog, ask, left, at_least_one=total == 0, read_committed=read_committed)
        reads.append(read)
        size = len(read.records)
        total += size
        left = max(0, left - size)
        failed = failed or read.error_code != NONE
    return FetchRead(reads, total, failed)


def _read_one(catalog: Catalog, ask: FetchAsk, left: int, *, at_least_one: bool, read_committed: bool) -> PartitionRead:
    partition = _find(catalog, ask)
    error = _problem(catalog, partition, ask)
    if partition is None or error != NONE:
        return PartitionRead(ask, error)
    log = partition.log
    limit = min(ask.max_bytes, left)
    records = b""
    aborted: Sequence[AbortedTransaction] = ()
    try:
        stable_offset = partition.last_stable_offset
        end = stable_offset if read_committed else log.durable_offset
        if ask.offset < end and (limit > 0 or at_least_one):
            records = log.read(ask.offset, limit, at_least_one=at_least_one)
            if read_committed and log.has_transactions:
                records, next_offset = _before(records, stable_offset)
                aborted = log.aborted_transactions(ask.offset, next_offset)
    except StorageError:
        return PartitionRead(ask, KAFKA_STORAGE_ERROR)
    return PartitionRead(ask, NONE, partition.high_watermark, stable_offset, log.start_offset, records, aborted)


def _before(records: bytes, end: int) -> tuple[bytes, int]:
    """The batches before the offset `end`, and where the last of them ends. No batch lies on both sides of `end`."""
    at = next_offset = 0
    while at < len(records):
        base_offset, length, last_delta = _HOP.unpack_from(records, at)
        if base_offset >= end:
            return records[:at], next_offset
        at += length + LENGTH_END
        next_offset = base_offset + last_delta + 1
    return records, next_offset


def _find(catalog: Catalog, ask: FetchAsk) -> Partition | None:
    topic = catalog.get(ask.topic) if ask.topic_id == NO_TOPIC_ID else catalog.by_id(ask.topic_id)
    return topic.partition(ask.partition) if topic is not None else None


def _problem(catalog: Catalog, partition: Partition | None, ask: FetchAsk) -> int:
    if partition is None:
        wrong_id = ask.topic_id != NO_TOPIC_ID and catalog.by_id(ask.topic_id) is None
        return UNKNOWN_TOPIC_ID if wrong_id else UNKNOWN_TOPIC_OR_PARTITION
    error = leader_epoch_error(partition, ask.leader_epoch)
    if error != NONE:
        return error
    # Kafka: between the high watermark and the end there is nothing to read yet, but the offset is not wrong.
    if not partition.log.start_offset <= ask.offset <= partition.log.end_offset:
        return OFFSET_OUT_OF_RANGE
    return NONE


def _end_of(read: PartitionRead) -> int:
    """The offset behind what was read."""
    if not read.records:
        return read.ask.offset
    return _before(read.records, read.high_watermark)[1]


class FetchWait:
    """Has enough arrived for a parked fetch? Counts on from what was read for it, and from where it stopped the last time: what
    is new is in memory, wherever the log is."""

    def __init__(self, catalog: Catalog, read: FetchRead, min_bytes: int, *, read_committed: bool = False) -> None:
        self._catalog = catalog
        self._asks = [each.ask for each in read.partitions]
        self._min_bytes = min_bytes
        self._read_committed = read_committed
        self._counted = [(_end_of(each), len(each.records)) for each in read.partitions]
        """Per ask: the offset up to which batches were counted, and their bytes."""

    def logs(self) -> list[PartitionLog]:
        """The logs whose growth matters, for parking."""
        found = (_find(self._catalog, ask) for ask in self._asks)
        return list({partition.log: None for partition in found if partition is not None})

    def ready(self) -> bool:
        """True if enough is there, and also if a partition has become an error that must be told. Never raises."""
        try:
            return self._has_enough()
        except StorageError:
            return True  # the read that follows tells the client

    def _has_enough(self) -> bool:
        total = 0
        for index, ask in enumerate(self._asks):
            partition = _find(self._catalog, ask)
            if partition is None or _problem(self._catalog, partition, ask) != NONE:
                return True
            # The last stable offset moves when a marker becomes durable, so its log's growth is all that has to be watched.
            end = partition.last_stable_offset if self._read_committed else partition.high_watermark
            total += self._available(index, ask, partition.log, end)
        return total >= self._min_bytes

    def _available(self, index: int, ask: FetchAsk, log: PartitionLog, end: int) -> int:
        offset, size = self._counted[index]
        if offset < end:
            if self._min_bytes <= 1:
                return 1
            for _, header in log.read_headers(offset):
                if size >= ask.max_bytes or header.base_offset >= end:
                    break
                size += header.size
                offset = header.base_offset + header.last_offset_delta + 1
            self._counted[index] = (offset, size)
        return min(size, ask.max_bytes)
