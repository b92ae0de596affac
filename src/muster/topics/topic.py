"""What a topic and a partition are to this room. Plain state; the catalog owns it, everybody else reads it."""

from __future__ import annotations

from dataclasses import field

from muster.log.contract import PartitionLog
from muster.log.offline import LogOffline
from muster.topics.configs import TopicSettings
from muster.topics.names import INTERNAL_TOPICS, id_text
from muster.topics.producers import ProducerLedger
from muster.wire.errors import KAFKA_STORAGE_ERROR, NONE, NOT_LEADER_OR_FOLLOWER
from muster.wire.late_dataclass import dataclass

"""What the wire carries where no id is meant."""


@dataclass(slots=True, eq=False)
class Partition:
    """One partition: its log, and who leads it since when. On one node the leader is always this node."""

    topic: Topic
    index: int
    log: PartitionLog
    """A `LogElsewhere` while another node leads it, a `LogOffline` if its files cannot be used."""
    leader_id: int
    """NOBODY while no node does."""
    leader_epoch: int
    is_led_here: bool = True
    producers: ProducerLedger | None = None
    """None until an idempotent producer writes here; then built from the log, and built anew after the log lost appends."""
    producer_base: ProducerLedger | None = None
    """What an earlier life of the server knew of its producers: spares reading a day of the log."""

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
        # Without transactions nothing readable is undecided.
        return self.log.durable_offset

    def __str__(self) -> str:
        return f"{self.topic.name}-{self.index}"


@dataclass(slots=True, eq=False)
class Topic:
    name: str
    topic_id: bytes
    overrides: dict[str, str]
    settings: TopicSettings
    partitions: list[Partition] = field(default_factory=list)

    @property
    def internal(self) -> bool:
        return self.name in INTERNAL_TOPICS

    def partition(self, index: int) -> Partition | None:
        return self.partitions[index] if 0 <= index < len(self.partitions) else None

    def __repr__(self) -> str:
        return f"<Topic {self.name} {id_text(self.topic_id)} partitions={len(self.partitions)}>"
