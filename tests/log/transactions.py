"""Batches of transactions, and the markers that end them, for tests of logs."""

from __future__ import annotations

from muster.log.contract import LogStore, PartitionLog
from muster.log.transaction_index import AbortedTransaction
from muster.wire.batch import EndMarker, Record, encode_batch, encode_marker_batch, parse_header
from tests.log.batches import commit


def add(store: LogStore, log: PartitionLog, producer_id: int, *, sequence: int = 0, value: bytes = b"v") -> int:
    batch = encode_batch(
        [Record(0, 1_000, b"k%d" % producer_id, value)],
        producer_id=producer_id,
        producer_epoch=0,
        base_sequence=sequence,
        transactional=True,
    )
    offset = log.append(batch, parse_header(batch), 0, now_ms=1_000)
    commit(store)
    return offset


def end(
    store: LogStore,
    log: PartitionLog,
    producer_id: int,
    first_offset: int,
    *,
    committed: bool = False,
    stable: int = -1,
) -> AbortedTransaction | None:
    """Append a marker; what was noted, if it aborts."""
    batch = encode_marker_batch(EndMarker(committed, 0), producer_id, 0, 1_000)
    offset = log.append(batch, parse_header(batch), 0, now_ms=1_000)
    aborted = None
    if not committed:
        aborted = AbortedTransaction(producer_id, first_offset, offset, offset + 1 if stable < 0 else stable)
        log.note_aborted(aborted)
    commit(store)
    return aborted
