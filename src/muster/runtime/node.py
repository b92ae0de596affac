"""Everything behind the sockets: topics, group commit, long polls, the coordinator, and the order of their start and stop.

Handlers get a Node and nothing else. It does not know TCP, API versions or flags.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from muster.core.config import GroupConfig
from muster.core.hashing import partition_for
from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL, TRANSACTION_STATE
from muster.core.transactions.config import TransactionConfig
from muster.log.contract import NOBODY, NotReadYet, PartitionLog, StorageError
from muster.runtime.alarm import Alarm
from muster.runtime.clock import Clock
from muster.runtime.compaction import Compactor
from muster.runtime.coordinator import Coordinator, CoordinatorConfig
from muster.runtime.coordinator_shards import CoordinatorShards
from muster.runtime.group_commit import Background, GroupCommit
from muster.runtime.group_configs import GroupConfigs
from muster.runtime.internal_topics import InternalTopics
from muster.runtime.journal_writer import JournalWriter
from muster.runtime.leftovers import Leftovers
from muster.runtime.long_poll import LongPolls
from muster.runtime.marker_writer import MarkerWriter
from muster.runtime.node_changes import NodeChanges
from muster.runtime.other_nodes import Answered, NoOtherNodes, OtherNodes
from muster.runtime.periodic import Periodic
from muster.runtime.remote_markers import RemoteMarkers
from muster.runtime.remote_questions import RemoteQuestions
from muster.runtime.retention_lines import RetentionLines
from muster.runtime.retries import Retries
from muster.runtime.transaction_coordinator import TransactionCoordinator
from muster.runtime.writer_thread import Step, WriterThread
from muster.security.audit import Audit
from muster.security.authorizer import Authorizer
from muster.topics.broker import Broker
from muster.topics.catalog_topics import CatalogTopics
from muster.topics.config_types import INT_MAX
from muster.topics.retention import RetentionPass
from muster.topics.topic import Topic

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from muster.runtime.cluster_seat import ClusterSeat
    from muster.runtime.principal_usage import PrincipalUsage
    from muster.runtime.reads_apart import ReadsApart
    from muster.runtime.transactional_id_usage import TransactionalIdUsage
    from muster.security.acl_store import AclStore
    from muster.security.quota_store import QuotaStore
    from muster.security.users import Users

T = TypeVar("T")

_log = logging.getLogger(__name__)

_LIMITED: Final = ("groups", "members", "offsets", "parked.joins")


class NodeSettings(Protocol):
    """The part of the server's settings that is needed here."""

    def integer(self, name: str) -> int: ...

    def group_config(self) -> GroupConfig: ...

    def transaction_config(self) -> TransactionConfig: ...


class Node:
    def __init__(
        self,
        settings: NodeSettings,
        broker: Broker,
        clock: Clock,
        loop: AbstractEventLoop,
        authorizer: Authorizer,
        new_id: Callable[[], str],
        background: Background | None = None,
    ) -> None:
        self.settings = settings
        self.broker = broker
        self.clock = clock
        self.authorizer = authorizer
        self.acls: AclStore | None = None
        """None: ACLs are not kept here, whatever the authorizer decides by."""
        self.host = ""
        self.port = -1
        self._loop = loop
        self.alarm = Alarm(clock)
        self.long_polls = LongPolls(self.alarm)
        self.durable = GroupCommit(broker.store, loop, self.long_polls.on_advance, background)
        self.changes = NodeChanges(broker.catalog, lambda: self.cluster)
        self.leftovers = Leftovers(broker.store, self.changes)
        self._retention_lines = RetentionLines(lambda: clock.ticks_ms() / 1000)
        self.internal_topics = InternalTopics(settings, broker, self.changes, loop.call_soon)
        self.journal = JournalWriter(self.internal_topics.journal_logs, self.durable, clock, loop.call_soon)
        self.audit = Audit(
            clock.ticks_ms, clock.now_ms, self.journal.write, settings.integer("muster.audit.interval.ms")
        )
        self.coordinator = Coordinator(
            CoordinatorConfig(
                groups=settings.group_config(),
                load_buffer_bytes=settings.integer("offsets.load.buffer.size"),
                commit_timeout_ms=settings.integer("offsets.commit.timeout.ms"),
                compression_codec=settings.integer("offsets.topic.compression.codec"),
            ),
            clock,
            self.alarm,
            self.durable,
            self.journal,
            new_id,
            self._open_offsets_log,
            loop.call_soon,
            CatalogTopics(broker.catalog),
        )
        self.other_nodes: OtherNodes = NoOtherNodes(loop.call_soon)
        """Set before `start` where there are some."""
        self.node_secret: bytes | None = None
        """By which nodes of the cluster know each other; None: there are no others."""
        self.marker_writer = MarkerWriter(
            broker, self.coordinator, self.durable, clock, RemoteMarkers(self._ask_node, loop.call_soon, clock)
        )
        self.remote_questions = RemoteQuestions(self._ask_node, loop.call_soon)
        self.verification_retries = Retries(
            clock,
            settings.integer("add.partitions.to.txn.retry.backoff.ms"),
            settings.integer("add.partitions.to.txn.retry.backoff.max.ms"),
        )
        """Of partitions that want to join a transaction while the one before is being ended."""
        self.transactions = TransactionCoordinator(
            settings.transaction_config(),
            clock,
            self.alarm,
            self.durable,
            self.journal,
            self._new_producer_id,
            self._open_transactions_log,
            loop.call_soon,
            self.marker_writer,
        )
        self.coordinators: Mapping[str, CoordinatorShards[Any]] = {
            CONSUMER_OFFSETS: self.coordinator,
            TRANSACTION_STATE: self.transactions,
        }
        """By the topic whose partitions they lead."""
        self.internal_topics.attach(self.coordinators, self.journal, self._elect_all)
        self.principal_usage = _principal_usage(settings, self.coordinator, clock)
        """What each principal holds here, counted against its limits; None if no principal has a limit."""
        self.transactional_id_usage = _transactional_id_usage(settings, self.transactions, clock)
        self._retention = Periodic(
            self.alarm, clock, settings.integer("log.retention.check.interval.ms"), self._apply_retention
        )
        self.compactor = Compactor(
            self._all_logs,
            clock,
            loop,
            background,
            settings.integer("log.cleaner.backoff.ms"),
            self._stable_offset,
        )
        self.call_soon = loop.call_soon
        self._background = background
        self._validation: WriterThread | None = None
        """Made when it is first needed."""
        self.is_stopping = False
        self.cluster: ClusterSeat | None = None
        """Set before `start` where several nodes share the store."""
        self.reads_apart: ReadsApart | None = None
        """Where reading old records may take long: requests that do it are worked out apart from the loop."""
        self._users: Users | None = None
        self._quotas: QuotaStore | None = None
        self.group_configs = GroupConfigs(broker.store, settings, self.coordinator.times)
        """Read when the node starts."""
        self.on_quotas_changed: Callable[[], None] = lambda: None
        """Called after every change of them; set by the part that enforces them."""

    @property
    def users(self) -> Users:
        """Who may come in. Made when first asked for: most servers ask nobody who they are, and hashing is slow to import."""
        if self._users is None:
            from muster.security.users import Users

            self._users = Users(self.broker.store)
        return self._users

    @property
    def quotas(self) -> QuotaStore:
        """What is set for whom. Made when first asked for: most servers have no quotas. StorageError if it cannot be read."""
        if self._quotas is None:
            from muster.security.quota_store import QuotaStore

            self._quotas = QuotaStore(self.broker.store, self._tell_quotas_changed)
        return self._quotas

    def _tell_quotas_changed(self) -> None:
        self.on_quotas_changed()

    @property
    def node_id(self) -> int:
        return self.broker.node_id

    def _ask_node(self, node_id: int, api: str, version: int, request: object, then: Answered) -> None:
        self.other_nodes.ask(node_id, api, version, request, then)

    # -- start and stop

    def advertise(self, host: str, port: int) -> None:
        """The address that clients are told."""
        self.host, self.port = host, port

    def start(self) -> None:
        """Open what is there and begin to load it. Serving may begin at once: loading shards say so."""
        self.broker.start()
        self.group_configs.reload()
        topic = self.broker.topic(CONSUMER_OFFSETS)
        wanted = self.settings.integer("offsets.topic.num.partitions")
        self.coordinator.start(len(topic.partitions) if topic is not None else wanted)
        transactions = self.broker.topic(TRANSACTION_STATE)
        wanted = self.settings.integer("transaction.state.log.num.partitions")
        self.transactions.start(len(transactions.partitions) if transactions is not None else wanted)
        self._elect_all()
        self._retention.start()
        self.compactor.start()
        if self.cluster is not None:
            for coordinator in self.coordinators.values():
                coordinator.may_speak = self.cluster.may_speak
            self.broker.on_topics_gone = self._tell_topics_gone_elsewhere
            self.broker.before_reading = self.cluster.step_down_if_late
            self.alarm.join(self.cluster.on_alarm)  # before any shard: sleepers are asked in the order of their coming
            self.cluster.start()
        self.leftovers.clear()

    async def stop(self) -> None:
        """Answer the requests that wait, make durable what is staged, leave the directory clean."""
        self.is_stopping = True
        if self.cluster is not None:
            await self.cluster.hand_over()
        if self._validation is not None:
            self._validation.close()
        self.other_nodes.close()
        self.transactions.stop()
        self.coordinator.stop()
        self.long_polls.fire_all()
        compacted = self._loop.create_future()
        self.compactor.stop(lambda: compacted.set_result(None))
        await compacted
        self.journal.close()
        idle = self._loop.create_future()
        self.durable.when_idle(lambda: idle.set_result(None))
        await idle
        self.durable.close()
        self.alarm.stop()
        self._keep_producers()
        self.broker.store.close()
        if self.cluster is not None:
            await self.cluster.leave()

    def validate_apart(self, work: Step, then: Step) -> None:
        """Do `work` in a thread, after what was given before, then call `then` in the loop. `work` does not raise.

        One thread for all: what it unpacks is in memory once, and the loop keeps its share of the interpreter.
        """
        if self._background is not None:
            self._background(work, then)
            return
        if self._validation is None:
            self._validation = WriterThread(self._loop.call_soon_threadsafe, "muster-validation")
        self._validation.run(work, then)

    # -- the coordinator's topics

    def coordinator_id(self, topic_name: str, key: str) -> int:
        """The node that leads the partition of this key (a group, a transactional id); NOBODY while none does."""
        coordinator = self.coordinators[topic_name]
        if self.cluster is None:
            is_led = partition_for(key, coordinator.partition_count) in coordinator.places
            return self.node_id if is_led else NOBODY
        topic = self.broker.topic(topic_name)
        return NOBODY if topic is None else topic.partitions[partition_for(key, len(topic.partitions))].leader_id

    def create_offsets_topic_soon(self) -> None:
        """The first client that looks for a coordinator makes the topic, and is told to come again (spec 1.3)."""
        self.internal_topics.create_offsets_soon()

    def create_transactions_topic_soon(self) -> None:
        """The same for a coordinator of transactions."""
        self.internal_topics.create_transactions_soon()

    def _elect_all(self) -> None:
        for name, coordinator in self.coordinators.items():
            topic = self.broker.topic(name)
            for partition in () if topic is None else topic.partitions:
                if partition.is_led_here:
                    coordinator.elect(partition.index, partition.leader_epoch)

    def _open_offsets_log(self, index: int) -> tuple[PartitionLog, int]:
        partition = self.broker.partition(CONSUMER_OFFSETS, index)
        return partition.log, partition.topic.settings.max_message_bytes

    def _new_producer_id(self) -> int | None:
        """For one that has had all its epochs. None while ids are fetched from a database: whoever wanted one asks again."""
        if self.changes.apart is not None and self.broker.producer_ids.is_used_up:
            self.changes.in_turns(self.broker.refill_producer_ids, lambda _: None)
            return None
        return self.broker.new_producer_id()

    def _open_transactions_log(self, index: int) -> tuple[PartitionLog, int]:
        partition = self.broker.partition(TRANSACTION_STATE, index)
        return partition.log, partition.topic.settings.max_message_bytes

    def _tell_topics_gone_elsewhere(self, topics: Sequence[Topic]) -> None:
        logs = [partition.log for topic in topics for partition in topic.partitions]
        self._tell_topics_gone(frozenset(topic.name for topic in topics), logs)

    def tell_topics_deleted(self, names: frozenset[str], logs: list[PartitionLog]) -> None:
        """By whoever has deleted them here."""
        self._tell_topics_gone(names, logs)
        self._loop.call_soon_threadsafe(self.leftovers.clear)

    def _tell_topics_gone(self, names: frozenset[str], logs: list[PartitionLog]) -> None:
        """As `topics_deleted`, by whoever may have the turn of another thread: answers leave in the loop's own."""
        if self.changes.apart is None:
            self.topics_deleted(names, logs)
        else:
            self._loop.call_soon_threadsafe(self.topics_deleted, names, logs)

    def topics_deleted(self, names: frozenset[str], logs: Iterable[PartitionLog]) -> None:
        """Called after topics were deleted. Requests that wait for their logs are answered now."""
        for log in logs:
            self.durable.give_up(log, StorageError(f"{log.topic} was deleted"))
            self.long_polls.on_advance(log)
        for name in names & self.coordinators.keys():
            for partition in list(self.coordinators[name].places):
                self.coordinators[name].resign(partition)
        if GROUP_JOURNAL in names:
            self.journal.forget_logs()
        self.coordinator.topics_deleted(names)

    # -- upkeep

    def _all_logs(self) -> Iterable[PartitionLog]:
        return (partition.log for partition in self.broker.catalog.partitions())

    def _stable_offset(self, log: PartitionLog) -> int | None:
        """NotReadYet: it is asked for, and known soon."""
        try:
            return self.broker.last_stable_offset(log)
        except NotReadYet:
            if self.reads_apart is not None:
                self.reads_apart.run_unhurried(lambda: self._look_for_stable_offset(log), lambda: None)
            raise

    def _look_for_stable_offset(self, log: PartitionLog) -> None:
        with suppress(StorageError):
            self.broker.last_stable_offset(log)

    def _keep_producers(self) -> None:
        if self.cluster is not None:
            return  # one document for all nodes would be everybody's quarrel: the next leader reads the log's headers
        try:
            self.broker.keep_producers()
        except StorageError as error:
            _log.warning("what is known of producers cannot be kept: %s; a start reads it from the logs", error)

    def _apply_retention(self, now_ms: int) -> None:
        self.changes.in_turns(lambda: self.broker.apply_retention(now_ms), self._tell_retention)

    def _tell_retention(self, outcome: Callable[[], RetentionPass]) -> None:
        self.leftovers.clear()
        done = outcome()
        self._keep_producers()
        self._retention_lines.tell(done)


def _principal_usage(settings: NodeSettings, coordinator: Coordinator, clock: Clock) -> PrincipalUsage | None:
    most = [settings.integer(f"muster.max.{what}.per.principal") for what in _LIMITED]
    if all(each == INT_MAX for each in most):
        return None
    from muster.runtime.principal_usage import PrincipalUsage, UsageLimits

    return PrincipalUsage(UsageLimits(*most), coordinator.shard_of, clock.ticks_ms)


def _transactional_id_usage(
    settings: NodeSettings, transactions: TransactionCoordinator, clock: Clock
) -> TransactionalIdUsage | None:
    most = settings.integer("muster.max.transactional.ids.per.principal")
    if most == INT_MAX:
        return None
    from muster.runtime.transactional_id_usage import TransactionalIdUsage

    return TransactionalIdUsage(most, transactions.is_known, clock.ticks_ms)
