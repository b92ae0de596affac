"""What a topic and a partition are to this room. Plain state; the catalog owns it, everybody else reads it."""

from __future__ import annotations

from muster.core.time_units import FOR_EVER_MS
from muster.log.contract import PartitionLog
from muster.log.offline import LogOffline
from muster.topics.configs import TopicSettings
from muster.topics.names import INTERNAL_TOPICS, id_text
from muster.topics.producer_replay import begin_ledger, catch_up, rebuild_ledger
from muster.topics.producers import ProducerLedger
from muster.wire.errors import KAFKA_STORAGE_ERROR, NONE, NOT_LEADER_OR_FOLLOWER


class Partition:
    """One partition: its log, and who leads it since when. On one node the leader is always this node."""

    __slots__ = (
        "_unfinished_ledger",
        "index",
        "is_led_here",
        "leader_epoch",
        "leader_id",
        "log",
        "producer_base",
        "producers",
        "topic",
    )

    def __init__(
        self,
        topic: Topic,
        index: int,
        log: PartitionLog,
        leader_id: int,
        leader_epoch: int,
        is_led_here: bool = True,
    ) -> None:
        self.topic = topic
        self.index = index
        self.log = log
        """A `LogElsewhere` while another node leads it, a `LogOffline` if its files cannot be used."""
        self.leader_id = leader_id
        """NOBODY while no node does."""
        self.leader_epoch = leader_epoch
        self.is_led_here = is_led_here
        self.producers: ProducerLedger | None = None
        """None until an idempotent producer writes here; then built from the log, and built anew after the log lost appends."""
        self.producer_base: ProducerLedger | None = None
        """What an earlier life of the server knew of its producers: spares reading a day of the log."""
        self._unfinished_ledger: ProducerLedger | None = None
        """What `ledger` or `rebuild_ledger` has read so far."""

    @property
    def is_offline(self) -> bool:
        """Its log is here, but cannot be used."""
        return isinstance(self.log, LogOffline)

    @property
    def refusal(self) -> int:
        """What is told to clients that ask this node for its records; NONE if they are here."""
        if self.is_led_here:
            return NONE
        return KAFKA_STORAGE_ERROR if self.is_offline else NOT_LEADER_OR_FOLLOWER

    @property
    def high_watermark(self) -> int:
        return self.log.durable_offset

    @property
    def last_stable_offset(self) -> int:
        """The end of what readers of committed records see. StorageError if the log has to be read for it and cannot be."""
        log = self.log
        if not log.has_transactions:
            return log.durable_offset
        # Never before the start, although an open transaction may have begun there: as Kafka does after DeleteRecords.
        return max(self.ledger().stable_before(log.durable_offset), min(log.start_offset, log.durable_offset))

    def ledger(self, now_ms: int = 0, expiration_ms: int = FOR_EVER_MS) -> ProducerLedger:
        """What is known of its producers, read out of the log if nobody has asked since the start. StorageError passes
        through; then the next call goes on with what was read."""
        ledger, log = self.producers, self.log
        if ledger is None:
            ledger = self._unfinished_ledger
            if ledger is None:
                ledger = begin_ledger(str(self), log, now_ms, expiration_ms, self.producer_base)
            self._unfinished_ledger = ledger
            catch_up(ledger, log)
            ledger.expire(now_ms, expiration_ms)
            if not self.topic.internal:
                # Who appends here asks the ledger first, so what is only staged so far has nothing for it.
                ledger.next_offset = log.end_offset
            self.producers, self._unfinished_ledger = ledger, None
        elif self.topic.internal:
            # Who appends to an internal topic does not ask, so the ledger follows what is durable.
            catch_up(ledger, log)
        return ledger

    def rebuild_ledger(self, lost: ProducerLedger) -> None:
        """The log lost appends that `lost` knows of. StorageError passes through; then the next call goes on with what was read."""
        ledger = self._unfinished_ledger
        if ledger is None:
            ledger = self._unfinished_ledger = ProducerLedger(str(self), self.log.start_offset)
        rebuild_ledger(lost, ledger, self.log)
        self.producers, self._unfinished_ledger = ledger, None

    def forget_producers(self) -> None:
        """The partition has another log now, or none."""
        self.producers = self.producer_base = self._unfinished_ledger = None

    def __str__(self) -> str:
        return f"{self.topic.name}-{self.index}"


class Topic:
    __slots__ = ("internal", "name", "overrides", "partitions", "settings", "topic_id")

    def __init__(self, name: str, topic_id: bytes, overrides: dict[str, str], settings: TopicSettings) -> None:
        self.name = name
        self.topic_id = topic_id
        self.overrides = overrides
        self.settings = settings
        self.partitions: list[Partition] = []
        self.internal = name in INTERNAL_TOPICS

    def partition(self, index: int) -> Partition | None:
        return self.partitions[index] if 0 <= index < len(self.partitions) else None

    def __repr__(self) -> str:
        return f"<Topic {self.name} {id_text(self.topic_id)} partitions={len(self.partitions)}>"
