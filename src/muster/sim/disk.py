"""A disk that can be slow, refuse writes, and lose what was not synced when the machine stops.

Batches are its atoms: what a torn batch does to a file is the log's own test. A crash keeps what is durable; of a
commit that was under way each log keeps the first so many batches, as the seed says.
"""

from __future__ import annotations

from random import Random

from muster.log.contract import StorageError
from muster.log.memory import MemoryCommit, MemoryLog, MemoryStore
from muster.log.transaction_index import TransactionScan
from muster.wire.batch import BatchHeader, decode_marker, decode_records, parse_header


class SimStore(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self.durability = "fsync"
        self.is_full = False
        self.failure = self._failure
        self._under_way: MemoryCommit | None = None

    def _failure(self, topic: str, partition: int) -> StorageError | None:
        return StorageError("no space left on the simulated disk") if self.is_full else None

    def begin_commit(self) -> MemoryCommit | None:
        self._under_way = super().begin_commit()
        return self._under_way

    def after_crash(self, random: Random) -> SimStore:
        """The disk that a restarted server finds."""
        survivor = SimStore()
        survivor._documents = dict(self._documents)
        half_written = dict(self._under_way._taken) if self._under_way else {}
        for (topic, partition), log in self._logs.items():
            copy = survivor.open(topic, partition, self._topic_ids[topic, partition], log.config)
            content = [batch for segment in log._segments for batch in segment.batches]
            lost_or_not = [batch for batch in half_written.get(log, []) if batch.base_offset >= log.durable_offset]
            content += [batch.bytes for batch in lost_or_not[: random.randint(0, len(lost_or_not))]]
            transactions = TransactionScan(knows_all_open=True)
            for batch in content:
                header = parse_header(batch, 0)
                copy.append(batch, header, header.partition_leader_epoch, header.max_timestamp)
                if header.is_transactional:
                    _note_transactional(copy, transactions, batch, header)
        commit = MemoryStore.begin_commit(survivor)
        if commit is not None:
            commit.run()
            commit.finish()
        return survivor


def _note_transactional(log: MemoryLog, transactions: TransactionScan, batch: bytes, header: BatchHeader) -> None:
    """Which transactions were aborted is found again as a start of the server finds it in files."""
    if not header.is_control:
        transactions.note(header)
        return
    (record,) = decode_records(batch, header)
    marker = decode_marker(record.key, record.value)
    aborted = None if marker is None else transactions.end(header, marker)
    if aborted is not None:
        log.note_aborted(aborted)
