"""The ledger of a partition's producers, built from its log and kept up to date with it.

After a start, after the log lost appends, and wherever something is appended that does not pass topics/produce.py. Reads
batch headers, and the last marker of each producer; decides nothing.
"""

from __future__ import annotations

from muster.core.time_units import HOUR_MS
from muster.log.contract import PartitionLog, StorageError
from muster.topics.producers import NO_COORDINATOR_EPOCH, ProducerLedger
from muster.wire.batch import decode_marker, decode_records, parse_header
from muster.wire.errors import WireError


def begin_ledger(
    partition: str, log: PartitionLog, now_ms: int, expiration_ms: int, base: ProducerLedger | None
) -> ProducerLedger:
    """After a start: where `catch_up` begins to read. With what was kept of an earlier life (`base`), or at what is young
    enough to matter. An open transaction matters however old it is: a log that has transactions is read whole."""
    if base is not None and log.start_offset <= base.next_offset <= log.durable_offset:
        return base.copy()
    if log.has_transactions:
        return ProducerLedger(partition, log.start_offset)
    since_ms = max(0, now_ms - expiration_ms)
    # By the hour, and earlier rather than later: where the answer comes from a database the question is put again until it is
    # there, and has to be the same one then.
    young = log.offset_for_timestamp(since_ms - since_ms % HOUR_MS)
    return ProducerLedger(partition, log.durable_offset if young is None else young.offset)


def rebuild_ledger(lost: ProducerLedger, begun: ProducerLedger, log: PartitionLog) -> None:
    """After the log lost appends: what it still holds of the producers that `lost` knew, however old. `begun`: at first an empty
    ledger from the start of the log; StorageError may end it anywhere, and the next call goes on with what it has."""
    catch_up(begun, log)
    begun.next_offset = log.end_offset
    begun.keep_only(lost.producer_ids())


def catch_up(ledger: ProducerLedger, log: PartitionLog) -> None:
    """Record what became durable in the log since the ledger's `next_offset`. StorageError may end it anywhere: the next call
    goes on from there."""
    if ledger.next_offset < log.durable_offset:
        for _, header in log.read_headers(ledger.next_offset):
            if header.is_control:
                ledger.replay_marker(header)
            else:
                ledger.record(header, header.base_offset, header.max_timestamp)
        ledger.next_offset = max(ledger.next_offset, log.durable_offset)
    for producer_id, offset in ledger.unread_markers():
        ledger.set_coordinator_epoch(producer_id, _coordinator_epoch_at(log, offset))


def _coordinator_epoch_at(log: PartitionLog, offset: int) -> int:
    batch = log.read(offset, 1)
    try:
        for record in decode_records(batch, parse_header(batch)):
            marker = decode_marker(record.key, record.value)
            return NO_COORDINATOR_EPOCH if marker is None else marker.coordinator_epoch
    except WireError as error:
        raise StorageError(f"{log.topic}-{log.partition}: the marker at offset {offset} is damaged: {error}") from error
    return NO_COORDINATOR_EPOCH
