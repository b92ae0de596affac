"""One partition of `__transaction_state`."""

from __future__ import annotations

from muster.core.transactions.records import TransactionErased, TransactionRecord
from muster.log.transaction_value import encode_transaction_record
from muster.runtime.coordinator_log import CoordinatorLog
from muster.wire.batch import OpenBatch


class TransactionsLog(CoordinatorLog):
    __slots__ = ()

    def _write(self, batch: OpenBatch, records: list[TransactionRecord]) -> None:
        for record in records:
            key, value = encode_transaction_record(record)
            batch.add(key, value)

    def _are_tombstones(self, records: list[TransactionRecord]) -> bool:
        return all(isinstance(record, TransactionErased) for record in records)
