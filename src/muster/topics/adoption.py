"""Logs that a Kafka broker left in the data directory become topics of this node (design, law 9).

Their settings are not in their directories, so they are kept for ever until somebody says otherwise. Called by the
catalog while it loads.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from contextlib import suppress

from muster.core.internal_topics import CLUSTER_METADATA
from muster.log.contract import LogStore, StorageError
from muster.topics.catalog_document import StoredTopic
from muster.topics.names import COMPACTED_INTERNALS, INTERNAL_TOPICS
from muster.topics.topic import Topic
from muster.wire.late_dataclass import dataclass


@dataclass(slots=True)
class Found:
    """A topic that was in the data directory but not in the catalog."""

    stored: StoredTopic
    highest_producer_id: int = -1
    """Handed out by the other broker: ours must begin above it."""


def find_unknown_topics(store: LogStore, known: Container[str], new_topic_id: Callable[[], bytes]) -> list[Found]:
    """The topics whose logs exist although nobody knows them, by name."""
    highest: dict[str, int] = {}
    ids: dict[str, bytes] = {}
    for name, index in store.partitions():
        if name in known or name == CLUSTER_METADATA:
            continue
        highest[name] = max(index, highest.get(name, 0))
        with suppress(StorageError):  # opening it says what is wrong, and takes this one partition offline
            topic_id = store.topic_id_of(name, index)
            if topic_id is not None:
                ids.setdefault(name, topic_id)
    return [
        Found(StoredTopic(name, ids.get(name) or new_topic_id(), highest[name] + 1, _found_configs(name)))
        for name in sorted(highest)
    ]


def _found_configs(name: str) -> dict[str, str]:
    if name in INTERNAL_TOPICS:
        return dict(COMPACTED_INTERNALS.get(name, {}))
    # Deviates: Kafka's default would drop records after a week, also those of a topic that was meant to keep them.
    return {"retention.ms": "-1"}


def survey(topic: Topic, found: Found) -> None:
    """Learn from the batches which leader epochs and producer ids the other broker got to, and where it had transactions."""
    for partition in topic.partitions:
        if partition.is_offline:
            continue
        for _, header in partition.log.read_headers(partition.log.start_offset):
            partition.leader_epoch = max(partition.leader_epoch, header.partition_leader_epoch)
            found.highest_producer_id = max(found.highest_producer_id, header.producer_id)
            if header.is_transactional and not partition.log.has_transactions:
                partition.log.mark_transactional()
