"""One partition's share of a Produce request: judged, perhaps rewritten, appended. Nothing is appended if refused.

The order of the checks is Kafka's. Knows topic settings and batches; does not wait for durability: the caller does, with
`ProduceResult.log` and `.end_offset`. Called by topics/broker.py.
"""

from __future__ import annotations

from muster.log.contract import PartitionLog
from muster.topics.batch_checks import BatchRefused, RecordError, judge_batch
from muster.topics.effort import Effort
from muster.topics.producers import KeptBatch
from muster.topics.refusal import TopicError
from muster.topics.refused_batches import RefusedBatches
from muster.topics.topic import Partition
from muster.wire.batch import NO_PRODUCER_ID, BatchHeader
from muster.wire.errors import (
    INVALID_REQUIRED_ACKS,
    INVALID_TOPIC_EXCEPTION,
    INVALID_TXN_STATE,
    NONE,
    NOT_ENOUGH_REPLICAS,
)
from muster.wire.value import Value


class ProduceResult(Value):
    """What the partition's entry in the response says. `end_offset` must be durable before it is sent."""

    __match_args__ = (
        "error_code",
        "message",
        "base_offset",
        "log_append_time_ms",
        "log_start_offset",
        "record_errors",
        "record_error_count",
        "tells_message",
        "log",
        "end_offset",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = NONE,
        message: str | None = None,
        base_offset: int = -1,
        log_append_time_ms: int = -1,
        log_start_offset: int = -1,
        record_errors: tuple[RecordError, ...] = (),
        record_error_count: int = 0,
        tells_message: bool = False,
        log: PartitionLog | None = None,
        end_offset: int = -1,
    ) -> None:
        self.error_code = error_code
        self.message = message
        self.base_offset = base_offset
        self.log_append_time_ms = log_append_time_ms
        self.log_start_offset = log_start_offset
        self.record_errors = record_errors
        self.record_error_count = record_error_count
        """Of all, more than are named."""
        self.tells_message = tells_message
        """The client hears the message although no single record was wrong."""
        self.log = log
        self.end_offset = end_offset


class ProduceTerms(Value):
    """What the request as a whole says about each of its appends."""

    __match_args__ = ("acks", "zstd_allowed", "transaction_verified", "internal_allowed")
    __slots__ = __match_args__

    def __init__(
        self,
        acks: int = -1,
        zstd_allowed: bool = True,
        transaction_verified: bool = False,
        internal_allowed: bool = False,
    ) -> None:
        self.acks = acks
        self.zstd_allowed = zstd_allowed
        """Produce before version 7 did not know zstd (KIP-110)."""
        self.transaction_verified = transaction_verified
        """The transaction coordinator has said that the partition is part of the producer's open transaction (KIP-890)."""
        self.internal_allowed = internal_allowed
        """`muster.internal.topics.writable`."""

    # Deviates: Kafka lets every client that calls itself `__admin_client` write to internal topics, and anybody can do that.


class Judging:
    """The checks that need nothing but a partition's bytes and settings: they may be done in a thread."""

    __slots__ = ("_name", "_now_ms", "_partition", "_records", "_settings", "_verdict", "_zstd_allowed", "fault")

    def __init__(self, partition: Partition, records: bytes | None, terms: ProduceTerms, now_ms: int) -> None:
        self._name = str(partition)
        self._partition = partition
        self._settings = partition.topic.settings
        self._records = records
        self._zstd_allowed = terms.zstd_allowed
        self._now_ms = now_ms
        self._verdict: tuple[bytes, BatchHeader] | BatchRefused | None = None
        self.fault: Exception | None = None
        """What ended it in a thread, if it was neither done nor given up."""

    def run(self, effort: Effort) -> None:
        """Once. TooMuchWork or NotWanted if the effort says so."""
        try:
            self._verdict = judge_batch(
                self._records,
                self._name,
                self._settings,
                self._now_ms,
                zstd_allowed=self._zstd_allowed,
                effort=effort,
            )
        except BatchRefused as refused:
            self._verdict = refused

    def forget(self) -> None:
        """Nobody wants it any more: what it holds is given back, whether its turn has come or not."""
        self._records = None

    def holds_for(self, partition: Partition) -> bool:
        """False if the topic was made anew since, or its settings were changed: then the batch was judged for another one."""
        return partition is self._partition and partition.topic.settings == self._settings

    @property
    def is_done(self) -> bool:
        return self._verdict is not None

    def result(self) -> tuple[bytes, BatchHeader]:
        """The batch as it goes into the log; BatchRefused if it does not."""
        verdict = self._verdict
        assert verdict is not None, "it was not judged"
        if isinstance(verdict, BatchRefused):
            raise verdict
        return verdict


def produce(
    partition: Partition,
    judging: Judging,
    terms: ProduceTerms,
    now_ms: int,
    expiration_ms: int,
    effort: Effort | None,
    refused_before: RefusedBatches,
) -> ProduceResult:
    """Append what one partition was sent, or say why not. StorageError passes through.

    `effort`: judge the batch here and now; None: it has been judged. TooMuchWork passes through, nothing was done then.
    """
    try:
        return _append(partition, judging, terms, now_ms, expiration_ms, effort, refused_before)
    except BatchRefused as unfit:
        start = partition.log.start_offset if unfit.record_errors or unfit.shows_log_start else -1
        return ProduceResult(
            unfit.code,
            unfit.message,
            log_start_offset=start,
            record_errors=unfit.record_errors,
            record_error_count=unfit.record_error_count,
        )
    except TopicError as refused:  # compiled code has one type for a name: not that of the one above
        return ProduceResult(refused.code, refused.message, log_start_offset=partition.log.start_offset)


def _append(
    partition: Partition,
    judging: Judging,
    terms: ProduceTerms,
    now_ms: int,
    expiration_ms: int,
    effort: Effort | None,
    refused_before: RefusedBatches,
) -> ProduceResult:
    topic = partition.topic
    if terms.acks not in (-1, 0, 1):
        raise BatchRefused(INVALID_REQUIRED_ACKS, f"acks is {terms.acks}: only -1 (all), 0 and 1 are known")
    if topic.internal and not terms.internal_allowed:
        raise BatchRefused(INVALID_TOPIC_EXCEPTION, f"Cannot append to internal topic {topic.name}")
    if not partition.is_led_here:
        raise BatchRefused(partition.refusal, f"{partition} is led by another node, or offline")
    if terms.acks == -1 and topic.settings.min_insync_replicas > 1:
        raise BatchRefused(
            NOT_ENOUGH_REPLICAS,
            f"The size of the current ISR is 1, insufficient to satisfy the min.insync.replicas requirement of "
            f"{topic.settings.min_insync_replicas} for partition {partition}",
        )
    if effort is not None:
        judging.run(effort)
    batch, header = judging.result()
    notice_lost_appends(partition)
    if header.producer_id != NO_PRODUCER_ID:
        earlier = _check_producer(partition, header, terms, now_ms, expiration_ms, refused_before)
        if earlier is not None:
            # Told with its own time, also where timestamps are the producer's (observed on 4.3.1).
            return _result(partition, earlier.base_offset, earlier.last_offset, earlier.timestamp_ms)
    base_offset = partition.log.append(batch, header, partition.leader_epoch, now_ms)
    if partition.producers is not None:
        partition.producers.record(header, base_offset, now_ms)
    if refused_before:
        refused_before.forget(topic.name, topic.topic_id, partition.index, header)
    # As stored: a batch that was judged in a thread got its time before it waited.
    append_time_ms = header.max_timestamp if topic.settings.log_append_time else -1
    return _result(partition, base_offset, base_offset + header.last_offset_delta, append_time_ms)


def _check_producer(
    partition: Partition,
    header: BatchHeader,
    terms: ProduceTerms,
    now_ms: int,
    expiration_ms: int,
    refused_before: RefusedBatches,
) -> KeptBatch | None:
    ledger = partition.ledger(now_ms, expiration_ms)
    # Kafka answers a batch that was sent again before it asks whether it may be sent.
    earlier = ledger.find_duplicate(header)
    if earlier is not None:
        return earlier
    if (
        header.is_transactional
        and not terms.transaction_verified
        and not ledger.has_open_transaction(header.producer_id, header.producer_epoch)
    ):
        raise TopicError(INVALID_TXN_STATE, f"Record was not part of an ongoing transaction in {partition}")
    if refused_before:
        topic, newest = partition.topic, ledger.newest_sequence(header)
        refused_before.check(topic.name, topic.topic_id, partition.index, header, newest, now_ms)
    ledger.check(header)
    return None


def needs_verification(partition: Partition, header: BatchHeader) -> bool:
    """Whether the transaction coordinator has to be asked before this batch may be appended. StorageError passes through.

    The first batch of a transaction in a partition does; what follows, until the marker, does not.
    """
    if not header.is_transactional or header.producer_id == NO_PRODUCER_ID:
        return False
    if partition.producers is None and not partition.log.has_transactions:
        return True
    notice_lost_appends(partition)
    return not partition.ledger().has_open_transaction(header.producer_id, header.producer_epoch)


def begin_verification(partition: Partition, header: BatchHeader, *, must_begin_at_zero: bool) -> bool:
    """`needs_verification`, and if so the batch is noted down as one that is asked for.

    `must_begin_at_zero`: Produce since version 12 (KIP-890). TopicError if the partition has seen a newer epoch of the producer.
    """
    if not needs_verification(partition, header):
        return False
    partition.ledger().begin_verification(header, must_begin_at_zero=must_begin_at_zero)
    return True


def notice_lost_appends(partition: Partition) -> None:
    """A log whose write failed has fallen back: then the ledger knows of batches that are not there."""
    ledger = partition.producers
    if ledger is not None and ledger.next_offset != partition.log.end_offset:
        partition.rebuild_ledger(ledger)


def _result(partition: Partition, base_offset: int, last_offset: int, append_time_ms: int) -> ProduceResult:
    return ProduceResult(
        base_offset=base_offset,
        log_append_time_ms=append_time_ms,
        log_start_offset=partition.log.start_offset,
        log=partition.log,
        end_offset=last_offset + 1,
    )
