"""The end of a transaction in this shard: may this marker be written (spec 4.6, 14.1). Called for the transaction coordinator.

A marker for a producer that is not known here is written like any other and changes nothing (T185). What it does to the pending
offsets is decided where it is replayed (`OffsetStore.end_transaction`).
"""

from __future__ import annotations

from muster.core.contract import Outcome, Ticket
from muster.core.offsets.pending import ProducerState
from muster.core.offsets.view import ShardView
from muster.core.records import EndTransactionMarker, Record
from muster.core.replies import MarkerReply
from muster.wire import errors


def end_transaction(shard: ShardView, marker: EndTransactionMarker, ticket: Ticket, raises_epoch: bool) -> Outcome:
    """`raises_epoch`: the marker is one of transaction version 2 (KIP-890), which has a higher epoch than what it ends."""
    error = _check_epochs(marker, shard.offsets.producer(marker.producer_id), raises_epoch)
    if error:
        return Outcome(replies=[(ticket, MarkerReply(error))])
    records: list[Record] = [marker]
    shard.offsets.expect(records)
    return Outcome(records=records, replies=[(ticket, MarkerReply(errors.NONE))])


def _check_epochs(marker: EndTransactionMarker, known: ProducerState, raises_epoch: bool) -> int:
    if marker.producer_epoch < known.epoch:
        return errors.INVALID_PRODUCER_EPOCH
    if raises_epoch and known.is_open and marker.producer_epoch == known.epoch:
        return errors.INVALID_PRODUCER_EPOCH
    if marker.coordinator_epoch < known.coordinator_epoch:
        return errors.TRANSACTION_COORDINATOR_FENCED
    return errors.NONE
