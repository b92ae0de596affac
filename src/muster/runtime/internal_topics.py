"""The topics that a node makes by itself: for its coordinators, when the first client looks for one, and for the journal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final, Protocol

from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL, TRANSACTION_STATE
from muster.log.contract import LedElsewhere, PartitionLog, StorageError
from muster.log_limit import LogLimit
from muster.runtime.coordinator_shards import CoordinatorShards
from muster.runtime.journal_writer import JournalWriter
from muster.runtime.node_changes import NodeChanges
from muster.topics.broker import Broker
from muster.topics.refusal import TopicError
from muster.topics.topic import Topic

_log = logging.getLogger(__name__)

JOURNAL_CONFIGS: Final = {
    "cleanup.policy": "delete",
    "retention.ms": str(7 * 24 * 3_600_000),
    "retention.bytes": str(16 * 1024 * 1024),
    "segment.bytes": str(4 * 1024 * 1024),
}
"""The journal is bounded: a week, and no more than this a partition. Operators change it like any topic's settings."""


class Settings(Protocol):
    def integer(self, name: str) -> int: ...


class InternalTopics:
    def __init__(
        self, settings: Settings, broker: Broker, changes: NodeChanges, call_soon: Callable[..., object]
    ) -> None:
        self._settings = settings
        self._broker = broker
        self._changes = changes
        self._call_soon = call_soon
        self._coordinators: Mapping[str, CoordinatorShards[Any]] = {}
        self._journal: JournalWriter | None = None
        self._elect_all: Callable[[], None] = lambda: None
        self._being_created: set[str] = set()
        """Those that will be there in a moment."""
        self._failures = LogLimit(_log, "attempts to create an internal topic that failed", monotonic)
        """Every client that looks for a coordinator makes an attempt."""

    def attach(
        self,
        coordinators: Mapping[str, CoordinatorShards[Any]],
        journal: JournalWriter,
        elect_all: Callable[[], None],
    ) -> None:
        """Once, before anything is made. `elect_all`: has the coordinators lead what is led here."""
        self._coordinators = coordinators
        self._journal = journal
        self._elect_all = elect_all

    def create_offsets_soon(self) -> None:
        self._create_soon(CONSUMER_OFFSETS, self._create_offsets)

    def create_transactions_soon(self) -> None:
        self._create_soon(TRANSACTION_STATE, self._create_transactions)

    def journal_logs(self) -> list[tuple[PartitionLog, int]]:
        """Of the journal's partitions, with their epochs. LedElsewhere: the topic is being made."""
        topic = self._broker.topic(GROUP_JOURNAL)
        if topic is None and self._changes.apart is not None:
            self._create_soon(GROUP_JOURNAL, self._create_journal)
            raise LedElsewhere(f"{GROUP_JOURNAL} is being made")
        if topic is None:
            topic = self._broker.ensure_internal(GROUP_JOURNAL, self._journal_partitions(), JOURNAL_CONFIGS)
        return [(partition.log, partition.leader_epoch) for partition in topic.partitions]

    def _create_soon(self, name: str, create: Callable[[], None]) -> None:
        if name not in self._being_created and self._broker.topic(name) is None:
            self._being_created.add(name)
            self._call_soon(create)

    def _create_offsets(self) -> None:
        configs = self._compacted("offsets.topic.segment.bytes")
        # Made now rather than by the first event, which comes while a group is waiting.
        self._create(
            CONSUMER_OFFSETS, self._coordinators[CONSUMER_OFFSETS].partition_count, configs, self._open_journal
        )

    def _create_transactions(self) -> None:
        configs = self._compacted("transaction.state.log.segment.bytes")
        self._create(TRANSACTION_STATE, self._coordinators[TRANSACTION_STATE].partition_count, configs)

    def _create_journal(self) -> None:
        self._create(GROUP_JOURNAL, self._journal_partitions(), JOURNAL_CONFIGS, self._open_journal_anew)

    def _journal_partitions(self) -> int:
        return self._coordinators[CONSUMER_OFFSETS].partition_count

    def _open_journal(self) -> None:
        assert self._journal is not None
        self._call_soon(self._journal.open)

    def _open_journal_anew(self) -> None:
        assert self._journal is not None
        self._journal.forget_logs()
        self._open_journal()

    def _compacted(self, segment_bytes: str) -> dict[str, str]:
        return {
            "cleanup.policy": "compact",
            "compression.type": "producer",
            "segment.bytes": str(self._settings.integer(segment_bytes)),
        }

    def _create(
        self, name: str, partitions: int, configs: Mapping[str, str], then: Callable[[], None] | None = None
    ) -> None:
        def created(outcome: Callable[[], Topic]) -> None:
            self._being_created.discard(name)
            try:
                outcome()
            except (StorageError, TopicError) as error:
                self._failures.error("%s cannot be created: %s; it is tried again when a client asks", name, error)
                return
            self._changes.follow_new_topics()
            self._elect_all()
            if then is not None:
                then()

        self._changes.in_turns(lambda: self._broker.ensure_internal(name, partitions, configs), created)
