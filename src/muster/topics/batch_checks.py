"""What a broker demands of a producer's bytes before they get offsets, and what it rewrites in them.

Pure: bytes and settings in, a batch fit for the log or a refusal out. Messages are close to Kafka's. Called by
topics/produce.py.
"""

from __future__ import annotations

from muster.topics.config_types import LONG_MAX
from muster.topics.configs import TopicSettings
from muster.topics.effort import UNBOUNDED, Effort, TooMuchWork
from muster.topics.limits import LEAST_UNPACKED_LIMIT_BYTES, UNPACKED_TIMES_PACKED
from muster.topics.refusal import TopicError
from muster.wire.batch import (
    LEAST_RECORD_BYTES,
    NO_PRODUCER_ID,
    BatchHeader,
    CorruptBatch,
    RecordsVerdict,
    UnknownCompression,
    UnpackedTooLarge,
    check_crc,
    check_records,
    parse_header,
    recompressed,
    records_payload,
    whole_header,
    with_max_timestamp,
)
from muster.wire.batch_header import MAGIC, MAGIC_AT
from muster.wire.compression import MAX_DECOMPRESSED_BYTES, ZSTD
from muster.wire.compression import NAMES as CODECS
from muster.wire.errors import (
    CORRUPT_MESSAGE,
    INVALID_RECORD,
    INVALID_TIMESTAMP,
    MESSAGE_TOO_LARGE,
    RECORD_LIST_TOO_LARGE,
    UNSUPPORTED_COMPRESSION_TYPE,
)
from muster.wire.value import Value


class RecordError(Value):
    """KIP-467: which record of the batch was at fault, by its index."""

    __match_args__ = ("batch_index", "message")
    __slots__ = __match_args__

    def __init__(self, batch_index: int, message: str) -> None:
        self.batch_index = batch_index
        self.message = message


class BatchRefused(TopicError):
    """The producer's batch stays out of the log."""

    def __init__(
        self,
        code: int,
        message: str,
        record_errors: tuple[RecordError, ...] = (),
        record_error_count: int | None = None,
        shows_log_start: bool = False,
    ) -> None:
        super().__init__(code, message)
        self.record_errors = record_errors
        """Deviates: of the first faulty records; Kafka names all of them."""
        self.record_error_count = len(record_errors) if record_error_count is None else record_error_count
        self.shows_log_start = shows_log_start
        """Kafka found it while it appended, and not before: then it answers with the log start offset."""


def judge_batch(
    records: bytes | None,
    partition: str,
    settings: TopicSettings,
    now_ms: int,
    *,
    zstd_allowed: bool = True,
    effort: Effort = UNBOUNDED,
) -> tuple[bytes, BatchHeader]:
    """The batch as it goes into the log, with its header; or BatchRefused. `effort` may raise TooMuchWork."""
    header = _single_header(records)
    assert records is not None
    _check_size(header, partition, settings)
    _check_count(header, partition, settings)
    effort.spend(len(records), header.record_count)
    _check_header(records, header, partition, settings)
    if header.compression == ZSTD and not zstd_allowed:
        raise BatchRefused(UNSUPPORTED_COMPRESSION_TYPE, "Produce requests before version 7 may not carry zstd batches")
    verdict = _check_records(records, header, partition, settings, now_ms, effort)
    _check_for_topic(header, verdict, partition, settings, now_ms)
    batch = _rewritten(records, header, verdict, settings, now_ms)
    if batch is not records:
        header = parse_header(batch)
        _check_size(header, partition, settings)
    if header.size > settings.log.segment_bytes:
        raise BatchRefused(
            RECORD_LIST_TOO_LARGE,
            f"Message batch size is {header.size} bytes in append to partition {partition}, "
            f"which exceeds the maximum configured segment size of {settings.log.segment_bytes}.",
        )
    return batch, header


def _single_header(records: bytes | None) -> BatchHeader:
    if not records:
        raise BatchRefused(INVALID_RECORD, "Produce requests must have exactly one record batch per partition")
    if len(records) > MAGIC_AT and records[MAGIC_AT] != MAGIC:
        # KIP-724: brokers since 4.0 neither store nor convert magic 0 and 1.
        raise BatchRefused(
            INVALID_RECORD,
            f"Produce requests may only contain record batches with magic {MAGIC}, found {records[MAGIC_AT]}",
        )
    try:
        header = whole_header(records, 0)
        if header.size < len(records):
            whole_header(records, header.size)  # no more than two are looked at: there may be a million of them
    except CorruptBatch as error:
        raise BatchRefused(CORRUPT_MESSAGE, str(error)) from None
    if header.size != len(records):
        raise BatchRefused(
            INVALID_RECORD, "Produce requests must have exactly one record batch per partition, found more than one"
        )
    return header


def _check_header(records: bytes, header: BatchHeader, partition: str, settings: TopicSettings) -> None:
    if header.base_offset != 0:
        raise BatchRefused(
            INVALID_RECORD,
            f"The baseOffset of the record batch in the append to {partition} should be 0, "
            f"but it is {header.base_offset}",
            shows_log_start=True,
        )
    try:
        check_crc(records, header)
    except CorruptBatch as error:
        raise BatchRefused(CORRUPT_MESSAGE, f"Record is corrupt in topic partition {partition}: {error}") from None
    if header.is_control:
        raise BatchRefused(
            INVALID_RECORD,
            f"Clients are not allowed to write control records in topic partition {partition}",
            shows_log_start=True,
        )
    if header.producer_id != NO_PRODUCER_ID and header.base_sequence < 0:
        raise BatchRefused(
            INVALID_RECORD,
            f"Invalid sequence number {header.base_sequence} in record batch with producerId "
            f"{header.producer_id} in topic partition {partition}",
            shows_log_start=True,
        )


def _check_size(header: BatchHeader, partition: str, settings: TopicSettings) -> None:
    if header.size > settings.max_message_bytes:
        raise BatchRefused(
            MESSAGE_TOO_LARGE,
            f"The record batch size in the append to {partition} is {header.size} bytes "
            f"which exceeds the maximum configured value of {settings.max_message_bytes}.",
        )


def _check_count(header: BatchHeader, partition: str, settings: TopicSettings) -> None:
    """Deviates: packed or not, a batch has no more records than an unpacked one of max.message.bytes could have.

    Kafka walks over however many a few bytes unpack to. With this code Java's producer splits its batch and goes on.
    """
    most = settings.max_message_bytes // LEAST_RECORD_BYTES
    if header.record_count > most:
        raise BatchRefused(
            MESSAGE_TOO_LARGE,
            f"The record batch in the append to {partition} says that it has {header.record_count} records; "
            f"a batch of at most {settings.max_message_bytes} bytes may have {most}.",
        )


def _unpacked_limit(settings: TopicSettings) -> int:
    most = max(LEAST_UNPACKED_LIMIT_BYTES, UNPACKED_TIMES_PACKED * settings.max_message_bytes)
    return min(most, MAX_DECOMPRESSED_BYTES)


def _check_records(
    records: bytes, header: BatchHeader, partition: str, settings: TopicSettings, now_ms: int, effort: Effort
) -> RecordsVerdict:
    limit = _unpacked_limit(settings)
    limit_here = effort.most_bytes(limit)
    earliest = latest = None
    if not settings.log_append_time:
        earliest, latest = _allowed_times(settings, now_ms)
    try:
        return check_records(records, header, limit=limit_here, pause=effort.pause, earliest=earliest, latest=latest)
    except UnknownCompression as error:
        raise BatchRefused(UNSUPPORTED_COMPRESSION_TYPE, str(error)) from None
    except UnpackedTooLarge as error:
        if limit_here < limit:
            raise TooMuchWork from None
        raise BatchRefused(INVALID_RECORD, f"{error} in topic partition {partition}") from None
    except CorruptBatch as error:
        raise BatchRefused(INVALID_RECORD, f"{error} in topic partition {partition}") from None


def _check_for_topic(
    header: BatchHeader,
    verdict: RecordsVerdict,
    partition: str,
    settings: TopicSettings,
    now_ms: int,
) -> None:
    if settings.log.cleanup_compact and verdict.null_keys:
        message = f"Compacted topic cannot accept message without key in topic partition {partition}"
        raise BatchRefused(
            INVALID_RECORD,
            "One or more records have been rejected",
            tuple(RecordError(index, message) for index in verdict.null_keys),
            verdict.null_key_count,
        )
    if header.is_log_append_time:
        raise BatchRefused(
            INVALID_TIMESTAMP,
            f"Producer should not set timestamp type to LogAppendTime in topic partition {partition}.",
        )
    if verdict.max_timestamp > LONG_MAX or verdict.min_timestamp < -LONG_MAX:
        raise BatchRefused(
            INVALID_TIMESTAMP, f"Base timestamp and delta of a record in {partition} add up to more than 64 bits"
        )
    if not settings.log_append_time:
        _check_timestamps(verdict, settings, now_ms)


def _allowed_times(settings: TopicSettings, now_ms: int) -> tuple[int, int]:
    return now_ms - settings.timestamp_before_max_ms, now_ms + settings.timestamp_after_max_ms


def _check_timestamps(verdict: RecordsVerdict, settings: TopicSettings, now_ms: int) -> None:
    if verdict.untimely:
        earliest, latest = _allowed_times(settings, now_ms)
        errors = tuple(
            RecordError(
                index,
                # A producer's batch begins at offset 0, so index and offset are the same.
                f"Timestamp {timestamp} of message with offset {index} is out of range. "
                f"The timestamp should be within [{earliest}, {latest}]",
            )
            for index, timestamp in verdict.untimely
        )
        raise BatchRefused(INVALID_TIMESTAMP, "One or more records have been rejected due to invalid timestamp", errors)


def _rewritten(
    records: bytes, header: BatchHeader, verdict: RecordsVerdict, settings: TopicSettings, now_ms: int
) -> bytes:
    """The bytes to store: the producer's own wherever nothing has to change."""
    wanted = settings.compression_type
    if wanted != "producer":
        codec = 0 if wanted == "uncompressed" else CODECS[wanted]
        if codec != header.compression:
            payload = records_payload(records, header, limit=_unpacked_limit(settings))
            newest = now_ms if settings.log_append_time else verdict.max_timestamp
            return recompressed(header, payload, codec, newest, log_append_time=settings.log_append_time)
    if settings.log_append_time:
        return with_max_timestamp(records, now_ms, log_append_time=True)
    if verdict.max_timestamp != header.max_timestamp:
        # Kafka trusts the records, not what the producer's header says of them.
        return with_max_timestamp(records, verdict.max_timestamp, log_append_time=False)
    return records
