"""The log of a partition that another node leads: there is nothing of it here, and whoever asks is told so.

Stands in `Partition.log` while this node does not lead the partition, so that nobody has to ask twice whether there is a
log. Its offsets say nothing; the topics room asks `Partition.is_led_here` before it reads them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from muster.log.contract import Compaction, LedElsewhere, LogConfig, TimestampOffset
from muster.log.transaction_index import AbortedTransaction
from muster.wire.batch import BatchHeader, OpenBatch


class LogElsewhere:
    """A `PartitionLog` that holds nothing and refuses everything but questions about upkeep."""

    may_come = True
    """Whether this node may get to lead it."""

    def __init__(self, topic: str, partition: int, config: LogConfig) -> None:
        self.topic = topic
        self.partition = partition
        self.config = config
        self.start_offset = 0
        self.end_offset = 0
        self.durable_offset = 0
        self.has_transactions = False

    def append(self, batch: bytes, header: BatchHeader, leader_epoch: int, now_ms: int) -> int:
        self._refuse()

    def stage_open(self, batch: OpenBatch) -> None:
        self._refuse()

    def note_aborted(self, aborted: AbortedTransaction) -> None:
        self._refuse()

    def aborted_transactions(self, from_offset: int, to_offset: int) -> list[AbortedTransaction]:
        self._refuse()

    def mark_transactional(self) -> None:
        self._refuse()

    def read(self, offset: int, max_bytes: int, *, at_least_one: bool = True) -> bytes:
        self._refuse()

    def read_headers(self, offset: int) -> Iterable[tuple[int, BatchHeader]]:
        self._refuse()

    def offset_for_timestamp(self, timestamp_ms: int) -> TimestampOffset | None:
        self._refuse()

    def max_timestamp(self) -> TimestampOffset | None:
        self._refuse()

    def delete_before(self, offset: int) -> None:
        self._refuse()

    def begin_compaction(self, now_ms: int, stable_offset: int | None = None) -> Compaction:
        self._refuse()

    def apply_retention(self, now_ms: int) -> int:
        return 0

    def size_bytes(self) -> int:
        return 0

    def dirty_ratio(self, now_ms: int, stable_offset: int | None = None) -> float | None:
        return None

    def _refuse(self) -> NoReturn:
        raise LedElsewhere(f"{self.topic}-{self.partition} is led by another node")

    def __repr__(self) -> str:
        return f"<LogElsewhere {self.topic}-{self.partition}>"
