"""Ending a transaction in a partition: a COMMIT or ABORT marker is checked, appended, and written down.

Asked by the transaction coordinator, for each partition of a transaction, and by WriteTxnMarkers. Does not wait for
durability; until then the transaction still holds back the last stable offset.
"""

from __future__ import annotations

from typing import Final

from muster.core.time_units import FOR_EVER_MS
from muster.topics.produce import notice_lost_appends
from muster.topics.refusal import TopicError
from muster.topics.topic import Partition
from muster.wire.batch import EndMarker, encode_marker_batch, parse_header
from muster.wire.errors import NONE

RAISED_EPOCH_VERSION: Final = 2
"""`transaction.version` since which a transaction ends with a higher epoch than its records have (KIP-890)."""


def append_marker(
    partition: Partition,
    producer_id: int,
    producer_epoch: int,
    commit: bool,
    coordinator_epoch: int,
    now_ms: int,
    transaction_version: int,
    expiration_ms: int = FOR_EVER_MS,
) -> int:
    """Append it and return its end offset, which has to become durable. A marker without a transaction is appended, too.

    TopicError: INVALID_PRODUCER_EPOCH, TRANSACTION_COORDINATOR_FENCED, or that the log is not here. StorageError passes through.
    """
    if partition.refusal != NONE:
        raise TopicError(partition.refusal, f"{partition} is led by another node, or offline")
    if not partition.topic.internal:
        notice_lost_appends(partition)
    ledger = partition.ledger(now_ms, expiration_ms)
    ledger.check_marker(
        producer_id,
        producer_epoch,
        coordinator_epoch,
        must_raise_epoch=transaction_version >= RAISED_EPOCH_VERSION,
    )
    log = partition.log
    marker = EndMarker(commit, coordinator_epoch)
    batch = encode_marker_batch(
        marker, producer_id, producer_epoch, now_ms, base_offset=log.end_offset, leader_epoch=partition.leader_epoch
    )
    header = parse_header(batch)
    base_offset = log.append(batch, header, partition.leader_epoch, now_ms)
    if partition.topic.internal:
        # Its ledger finds the marker when it is durable.
        aborted = None if commit else ledger.foresee_abort(producer_id, base_offset, log.durable_offset)
    else:
        aborted = ledger.record_marker(header, marker, base_offset, now_ms)
    if aborted is not None:
        log.note_aborted(aborted)
    return log.end_offset
