"""ListOffsets: the offset that belongs to a time, or to one of the special times."""

from __future__ import annotations

from muster.log.contract import StorageError
from muster.topics.epochs import UNDEFINED_EPOCH, epoch_at, leader_epoch_error
from muster.topics.topic import Partition
from muster.wire import special_values
from muster.wire.errors import KAFKA_STORAGE_ERROR, NONE, UNSUPPORTED_VERSION
from muster.wire.late_dataclass import dataclass
from muster.wire.special_values import LATEST_TIERED


@dataclass(slots=True, frozen=True)
class OffsetAnswer:
    """Offset -1 without an error: there is no such record."""

    error_code: int = NONE
    timestamp_ms: int = -1
    offset: int = -1
    leader_epoch: int = UNDEFINED_EPOCH


def list_offset(
    partition: Partition,
    timestamp_ms: int,
    *,
    current_epoch: int = -1,
    read_committed: bool = False,
    lowest_special: int = LATEST_TIERED,
) -> OffsetAnswer:
    """`lowest_special`: the last special time that the request's version knows; those beyond it are refused."""
    error = leader_epoch_error(partition, current_epoch)
    if error != NONE:
        return OffsetAnswer(error)
    if timestamp_ms < max(lowest_special, LATEST_TIERED):
        return OffsetAnswer(UNSUPPORTED_VERSION)
    try:
        return _look_up(partition, timestamp_ms, read_committed=read_committed)
    except StorageError:
        return OffsetAnswer(KAFKA_STORAGE_ERROR)


def _look_up(partition: Partition, timestamp_ms: int, *, read_committed: bool) -> OffsetAnswer:
    log = partition.log
    last_fetchable = partition.last_stable_offset if read_committed else partition.high_watermark
    match timestamp_ms:
        case special_values.LATEST:
            return OffsetAnswer(offset=last_fetchable, leader_epoch=partition.leader_epoch)
        case special_values.EARLIEST | special_values.EARLIEST_LOCAL:
            return OffsetAnswer(offset=log.start_offset, leader_epoch=epoch_at(partition, log.start_offset))
        case special_values.LATEST_TIERED:
            return OffsetAnswer()
        case special_values.MAX_TIMESTAMP:
            found = log.max_timestamp()
        case _:
            found = log.offset_for_timestamp(timestamp_ms)
    if found is None or found.offset >= last_fetchable:
        return OffsetAnswer()
    return OffsetAnswer(NONE, found.timestamp_ms, found.offset, epoch_at(partition, found.offset))
