"""The end of a transaction in this shard: may this marker be written (spec 4.6, 14.1). Called for the transaction coordinator.

A marker for a producer that is not known here is written like any other and changes nothing (T185). What it does to the pending
offsets is decided where it is replayed (`OffsetStore.end_transaction`).
"""

from __future__ import annotations

from muster.core.contract import Outcome, Ticket
from muster.core.journal import JournalEvent
from muster.core.offsets.pending import ProducerState
from muster.core.offsets.view import ShardView
from muster.core.offsets.waits import Held
from muster.core.records import EndTransactionMarker, Record
from muster.core.replies import MarkerReply
from muster.core.steps import TellJournal
from muster.wire import errors


def end_transaction(
    shard: ShardView, marker: EndTransactionMarker, ticket: Ticket, now_ms: int, raises_epoch: bool
) -> Outcome:
    """`raises_epoch`: the marker is one of transaction version 2 (KIP-890), which has a higher epoch than what it ends."""
    error = _check_epochs(marker, shard.offsets.producer(marker.producer_id), raises_epoch)
    if error:
        return Outcome(replies=[(ticket, MarkerReply(error))])
    records: list[Record] = [marker]
    shard.offsets.expect(records)
    events = _released(shard, marker, now_ms)
    step = TellJournal(events) if events else None
    return Outcome(records=records, replies=[(ticket, MarkerReply(errors.NONE))], step=step)


def _released(shard: ShardView, marker: EndTransactionMarker, now_ms: int) -> list[JournalEvent]:
    """What the journal is told when the marker is durable; mostly nothing."""
    pending = shard.offsets.pending
    since_ms = pending.since_ms(marker.producer_id)
    if since_ms is None:
        return []
    events: list[JournalEvent] = []
    epoch = pending.producer(marker.producer_id).epoch
    for group_id in pending.groups_of(marker.producer_id):
        places = list(pending.offsets_of(marker.producer_id, group_id))
        held = Held(group_id, marker.producer_id, epoch, since_ms, places)
        event = shard.offsets.waits.released(held, shard.groups.get(group_id), marker.commit, now_ms)
        if event is not None:
            events.append(event)
    return events


def _check_epochs(marker: EndTransactionMarker, known: ProducerState, raises_epoch: bool) -> int:
    if marker.producer_epoch < known.epoch:
        return errors.INVALID_PRODUCER_EPOCH
    if raises_epoch and known.is_open and marker.producer_epoch == known.epoch:
        return errors.INVALID_PRODUCER_EPOCH
    if marker.coordinator_epoch < known.coordinator_epoch:
        return errors.TRANSACTION_COORDINATOR_FENCED
    return errors.NONE
