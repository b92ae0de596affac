"""Replays a partition of `__transaction_state`."""

from __future__ import annotations

from muster.core.records import UnknownRecord
from muster.core.transactions.shard import TransactionShard
from muster.log.contract import PartitionLog
from muster.log.transaction_value import decode_transaction_record
from muster.runtime.loader import Load
from muster.wire.batch import BatchHeader
from muster.wire.batch import Record as BatchRecord


class TransactionsLoad(Load):
    def __init__(self, shard: TransactionShard, log: PartitionLog, chunk_bytes: int) -> None:
        super().__init__(log, chunk_bytes)
        self.shard = shard

    def _replay_decoded(self, header: BatchHeader, record: BatchRecord) -> None:
        if header.is_control:
            return  # Kafka has none here
        decoded = decode_transaction_record(record.key, record.value)
        self.records += 1
        if isinstance(decoded, UnknownRecord):
            self.unknown_records += 1
        else:
            self.shard.replay(decoded, record.offset)
