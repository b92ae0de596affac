"""Everything that handlers ask of the topics room, in one place.

Translates "this topic, this partition" into objects and hands on; decides nothing itself. Handlers translate messages
and versions into these calls; the runtime waits for durability and for data. Used from the loop's thread only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Final, NamedTuple, TypeVar

from muster.log.contract import DocumentChanged, LogStore, NotReadYet, PartitionLog, StorageError
from muster.log_limit import LogLimit
from muster.topics import config_changes, creation, deletion, producer_snapshots
from muster.topics.broker_config import BrokerConfig
from muster.topics.catalog import Catalog
from muster.topics.configs import ConfigEntry, TopicDefaults
from muster.topics.creation import (
    ClusterRules,
    CreatedTopic,
    NewPartitions,
    NewTopic,
    TopicAnswer,
)
from muster.topics.delete_records import delete_records
from muster.topics.deletion import DeletedTopic
from muster.topics.describe_producers import ActiveProducer, describe_producers
from muster.topics.effort import UNBOUNDED, Effort
from muster.topics.epochs import EpochEnd, EpochSearch, end_of_epoch
from muster.topics.fetch import FetchAsk, FetchRead, FetchWait, read_partitions
from muster.topics.leaders import Leaders, OneNode
from muster.topics.list_offsets import OffsetAnswer, list_offset
from muster.topics.markers import append_marker
from muster.topics.names import fresh_topic_id
from muster.topics.produce import Judging, ProduceResult, ProduceTerms, notice_lost_appends, produce
from muster.topics.producer_ids import ProducerIds
from muster.topics.refusal import TopicError
from muster.topics.refused_batches import PASSING_ERRORS, RefusedBatches
from muster.topics.retention import RetentionPass, apply_retention
from muster.topics.topic import Partition, Topic
from muster.wire.errors import KAFKA_STORAGE_ERROR, NOT_LEADER_OR_FOLLOWER, UNKNOWN_TOPIC_OR_PARTITION
from muster.wire.special_values import LATEST_TIERED

T = TypeVar("T")

CHANGE_ATTEMPTS: Final = 5

_failures = LogLimit(logging.getLogger(__name__), "requests for a producer id that was not to be had", monotonic)


class LogDirEntry(NamedTuple):
    """One partition in DescribeLogDirs; nothing lags and nothing moves on a single node."""

    topic: str
    partition: int
    size_bytes: int


class Broker:
    def __init__(
        self,
        store: LogStore,
        config: BrokerConfig,
        random_bytes: Callable[[int], bytes],
        broker_settings: Mapping[str, str] | None = None,
        leaders: Leaders | None = None,
    ) -> None:
        """`broker_settings`: what the operator set of the `log.*` and other keys that give topics their defaults.
        `leaders`: who leads what; without it this node leads everything."""
        self.store = store
        self.config = config
        self.defaults = TopicDefaults(broker_settings)
        self.catalog = Catalog(
            store, self.defaults, lambda: fresh_topic_id(random_bytes), leaders or OneNode(config.node_id)
        )
        self.producer_ids = ProducerIds(store)
        self.refused_batches = RefusedBatches()
        self.on_topics_gone: Callable[[Sequence[Topic]], None] = lambda topics: None
        """Told of topics that another node deleted; set by the node."""
        self.before_reading: Callable[[], None] = lambda: None
        """Called before a log's content or end is told; in a cluster this node may find here that its time is over."""
        self._rules = ClusterRules(config.node_id, config.num_partitions, config.default_replication_factor)

    @property
    def node_id(self) -> int:
        return self.config.node_id

    @property
    def cluster_id(self) -> str:
        return self.config.cluster_id

    def start(self) -> None:
        """Load the catalog and open its logs. StorageError or ConfigError if that cannot be done."""
        self.catalog.load()
        producer_snapshots.give_back(self.store, self.catalog)
        for found in self.catalog.adopted:
            self.producer_ids.skip_past(found.highest_producer_id)

    # Topics

    def topic(self, name: str) -> Topic | None:
        return self.catalog.get(name)

    def partition(self, name: str, index: int) -> Partition:
        """The partition, or UNKNOWN_TOPIC_OR_PARTITION as a TopicError."""
        partition = self.catalog.partition(name, index)
        if partition is None:
            raise TopicError(UNKNOWN_TOPIC_OR_PARTITION)
        return partition

    def create_topics(self, wanted: Sequence[NewTopic], *, validate_only: bool = False) -> list[CreatedTopic]:
        """One answer for each name, also if the catalog cannot be changed."""
        try:
            return self._change(
                lambda: creation.create_topics(self.catalog, self._rules, wanted, validate_only=validate_only)
            )
        except TopicError as failed:
            return [
                CreatedTopic(name, failed.code, failed.message) for name in dict.fromkeys(new.name for new in wanted)
            ]

    def auto_create(self, name: str) -> Topic:
        """The topic with `num.partitions`, made if it is not there. TopicError if it cannot be, or may not."""
        topic = self.catalog.get(name)
        if topic is not None:
            return topic
        if not self.config.auto_create_topics:
            raise TopicError(UNKNOWN_TOPIC_OR_PARTITION)
        return self._change(lambda: self.catalog.get(name) or creation.auto_create(self.catalog, self._rules, name))

    def ensure_internal(self, name: str, partitions: int, overrides: Mapping[str, str]) -> Topic:
        """`__consumer_offsets` and the like, with the settings that the coordinator wants for them."""
        return self._change(lambda: creation.ensure_internal(self.catalog, name, partitions, dict(overrides)))

    def delete_topics(self, references: Sequence[tuple[str | None, bytes]]) -> list[DeletedTopic]:
        """One answer for each reference, also if the catalog cannot be changed."""
        try:
            return self._change(
                lambda: deletion.delete_topics(self.catalog, references, enabled=self.config.delete_topic_enable)
            )
        except TopicError as failed:
            return [DeletedTopic(name, topic_id, failed.code, failed.message) for name, topic_id in references]

    def create_partitions(self, wanted: Sequence[NewPartitions], *, validate_only: bool = False) -> list[TopicAnswer]:
        """One answer for each name, also if the catalog cannot be changed any more when some topics have grown."""
        answers: dict[str, TopicAnswer] = {}
        try:
            self._change(
                lambda: creation.create_partitions(
                    self.catalog, self._rules, wanted, answers, validate_only=validate_only
                )
            )
        except TopicError as failed:
            for more in wanted:
                answers.setdefault(more.name, TopicAnswer(more.name, failed.code, failed.message))
        return list(answers.values())

    def _change(self, step: Callable[[], T]) -> T:
        """Change the catalog. If another node was quicker, its change is taken over and the step is judged anew."""
        for _ in range(CHANGE_ATTEMPTS):
            try:
                return step()
            except DocumentChanged:
                self._take_over()
        raise TopicError(KAFKA_STORAGE_ERROR, "Other nodes change the topics all the time; try again.")

    def _take_over(self) -> None:
        try:
            self.refresh()
        except StorageError as error:
            raise TopicError(KAFKA_STORAGE_ERROR, str(error)) from None

    def refresh(self) -> None:
        """Another node changed the topics."""
        gone: list[Topic] = []
        try:
            self.catalog.refresh(gone)
        finally:
            if gone:
                self.on_topics_gone(gone)

    # Settings of topics

    def describe_topic_configs(self, name: str, only: Collection[str] | None = None) -> list[ConfigEntry]:
        """Every setting of the topic, or those named; TopicError if there is no such topic."""
        topic = self.catalog.get(name)
        if topic is None:
            raise TopicError(UNKNOWN_TOPIC_OR_PARTITION)
        entries = self.defaults.describe(topic.overrides)
        return entries if only is None else [entry for entry in entries if entry.name in only]

    def replace_topic_configs(
        self, name: str, configs: Sequence[tuple[str, str | None]], *, validate_only: bool = False
    ) -> None:
        self._change(lambda: config_changes.replace_configs(self.catalog, name, configs, validate_only=validate_only))

    def alter_topic_configs(
        self, name: str, changes: Sequence[tuple[str, int, str | None]], *, validate_only: bool = False
    ) -> None:
        self._change(lambda: config_changes.alter_configs(self.catalog, name, changes, validate_only=validate_only))

    # Records

    def judging(self, name: str, index: int, records: bytes | None, terms: ProduceTerms, now_ms: int) -> Judging | None:
        """What a batch for this partition has to pass, for doing it in a thread; None if there is no such partition."""
        partition = self.catalog.partition(name, index)
        return None if partition is None else Judging(partition, records, terms, now_ms)

    def produce(
        self,
        name: str,
        index: int,
        records: bytes | None,
        terms: ProduceTerms,
        now_ms: int,
        *,
        effort: Effort = UNBOUNDED,
        judged: Judging | None = None,
    ) -> ProduceResult:
        """Append; never raises for what a client or a disk did. Answer once `end_offset` of `log` is durable.

        TooMuchWork if `effort` says so; `judged`: the batch was looked at before, in a thread. NotReadYet if a database has to be
        asked about its producer first: nothing was done then.
        """
        result = self._produce(name, index, records, terms, now_ms, effort, judged)
        if result.error_code in PASSING_ERRORS:
            self.refused_batches.note(name, index, records, now_ms)
        return result

    def _produce(
        self,
        name: str,
        index: int,
        records: bytes | None,
        terms: ProduceTerms,
        now_ms: int,
        effort: Effort,
        judged: Judging | None,
    ) -> ProduceResult:
        partition = self.catalog.partition(name, index)
        if partition is None:
            return ProduceResult(UNKNOWN_TOPIC_OR_PARTITION)
        if judged is not None and not judged.holds_for(partition):
            return ProduceResult(NOT_LEADER_OR_FOLLOWER)  # the client tries again
        judging = judged or Judging(partition, records, terms, now_ms)
        still_to_do = effort if judged is None else None
        expiration_ms = self.config.producer_id_expiration_ms
        try:
            return produce(partition, judging, terms, now_ms, expiration_ms, still_to_do, self.refused_batches)
        except NotReadYet:
            raise
        except StorageError as error:
            return ProduceResult(KAFKA_STORAGE_ERROR, str(error))

    def forget_unconfirmed(self, log: PartitionLog) -> None:
        """An append to this log failed. Never raises: if the log cannot be read either, the next produce finds out."""
        partition = self.catalog.partition(log.topic, log.partition)
        if partition is not None:
            with suppress(StorageError):
                notice_lost_appends(partition)

    def append_marker(
        self,
        name: str,
        index: int,
        producer_id: int,
        producer_epoch: int,
        *,
        commit: bool,
        coordinator_epoch: int,
        now_ms: int,
        transaction_version: int,
    ) -> tuple[PartitionLog, int]:
        """End a transaction in a partition: the log, and the offset up to which it has to become durable.

        TopicError if there is no such partition or the marker may not be appended. StorageError passes through.
        """
        partition = self.partition(name, index)
        end_offset = append_marker(
            partition,
            producer_id,
            producer_epoch,
            commit,
            coordinator_epoch,
            now_ms,
            transaction_version,
            self.config.producer_id_expiration_ms,
        )
        return partition.log, end_offset

    def describe_producers(self, name: str, index: int, now_ms: int) -> list[ActiveProducer]:
        """Those that the partition knows; TopicError if there is no such partition. StorageError passes through."""
        return describe_producers(self.partition(name, index), now_ms, self.config.producer_id_expiration_ms)

    def new_producer_id(self) -> int | None:
        """One that nobody has had before; None if there is none to be had at the moment."""
        try:
            return self.producer_ids.new_id()
        except TopicError as error:
            _failures.warning("no producer id can be given out: %s", error)
            return None

    def refill_producer_ids(self) -> None:
        """If it cannot be done, whoever wants an id finds that there is none."""
        with suppress(TopicError):
            self.producer_ids.refill()

    def read_producers(self, name: str, index: int, now_ms: int) -> None:
        """Have in memory what is needed to append for a producer with an id, if the partition is led here. StorageError passes
        through."""
        partition = self.catalog.partition(name, index)
        if partition is not None and partition.is_led_here:
            if not partition.topic.internal:
                notice_lost_appends(partition)
            partition.ledger(now_ms, self.config.producer_id_expiration_ms)

    def keep_producers(self) -> None:
        """Keep what is known of producers beside the logs, so that the next start need not read it out of them."""
        producer_snapshots.keep(self.store, self.catalog)

    def fetch(self, asks: Sequence[FetchAsk], max_bytes: int, *, read_committed: bool = False) -> FetchRead:
        self.before_reading()
        most = min(max_bytes, self.config.fetch_max_bytes)
        return read_partitions(self.catalog, asks, most, read_committed=read_committed)

    def fetch_wait(self, read: FetchRead, min_bytes: int, *, read_committed: bool = False) -> FetchWait:
        """To park with the runtime: `.logs()` to watch, `.ready()` to ask. `read`: what was there, and too little."""
        return FetchWait(self.catalog, read, min_bytes, read_committed=read_committed)

    def list_offset(
        self,
        name: str,
        index: int,
        timestamp_ms: int,
        *,
        current_epoch: int = -1,
        read_committed: bool = False,
        lowest_special: int = LATEST_TIERED,
    ) -> OffsetAnswer:
        self.before_reading()
        partition = self.catalog.partition(name, index)
        if partition is None:
            return OffsetAnswer(UNKNOWN_TOPIC_OR_PARTITION)
        return list_offset(
            partition,
            timestamp_ms,
            current_epoch=current_epoch,
            read_committed=read_committed,
            lowest_special=lowest_special,
        )

    def last_stable_offset(self, log: PartitionLog) -> int | None:
        """Of the partition that has this log; None if it has gone. StorageError passes through."""
        partition = self.catalog.partition(log.topic, log.partition)
        return partition.last_stable_offset if partition is not None and partition.log is log else None

    def end_of_epoch(
        self, name: str, index: int, current_epoch: int, epoch: int, search: EpochSearch | None = None
    ) -> EpochEnd:
        """`search`: for whoever has to ask again, because the log had to be read first."""
        self.before_reading()
        partition = self.catalog.partition(name, index)
        if partition is None:
            return EpochEnd(UNKNOWN_TOPIC_OR_PARTITION)
        return end_of_epoch(partition, current_epoch, epoch, search or EpochSearch())

    def delete_records(self, name: str, index: int, before_offset: int) -> int:
        """The new start of the log; TopicError if refused."""
        return delete_records(self.partition(name, index), before_offset)

    def log_dirs(self, wanted: Mapping[str, Collection[int]] | None = None) -> list[LogDirEntry]:
        """Sizes of all partitions, or of those wanted that exist."""
        return [
            LogDirEntry(partition.topic.name, partition.index, partition.log.size_bytes())
            for partition in self.catalog.partitions()
            if partition.is_led_here and (wanted is None or partition.index in wanted.get(partition.topic.name, ()))
        ]

    def apply_retention(self, now_ms: int) -> RetentionPass:
        """Also removes logs of deleted topics that could not be removed before."""
        self.catalog.retry_deletions()
        return apply_retention(self.catalog, now_ms, self.config.producer_id_expiration_ms)
