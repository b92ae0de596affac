"""Everything that tools ask of a cluster, one async function a question. The front door; the rooms behind it do the work.

    async with Cluster("127.0.0.1:9092") as cluster:
        for group in await admin.list_groups(cluster):
            offsets = await admin.committed_offsets(cluster, group.group_id)
            ends = await admin.list_offsets(cluster, dict.fromkeys(offsets, admin.LATEST))

Each takes the cluster first, tries again what fails for a passing reason, and raises ClientError. Where many things are
asked at once and each may fail by itself, the answer has a ClientError in its place. Those of `best_effort` ask once.
"""

from __future__ import annotations

from muster.client.best_effort import (
    committed_offsets_of,
    describe_each,
    known_ends,
    list_groups_by_node,
)
from muster.client.configs import (
    ConfigEntry,
    alter_group_configs,
    alter_topic_configs,
    broker_configs,
    group_configs,
    topic_configs,
)
from muster.client.fetching import Fetched, fetch_records, read_records
from muster.client.groups import (
    GroupDescription,
    GroupListing,
    GroupMember,
    delete_groups,
    describe_group,
    describe_groups,
    list_groups,
    remove_member,
)
from muster.client.offsets import (
    EARLIEST,
    LATEST,
    MAX_TIMESTAMP,
    CommittedOffset,
    ListedOffset,
    commit_offsets,
    committed_offsets,
    delete_offsets,
    list_offsets,
    log_ends,
    unstable_partitions,
)
from muster.client.partitions import TopicPartition
from muster.client.producing import NewRecord, Producer
from muster.client.topics import (
    PartitionDescription,
    TopicDescription,
    add_partitions,
    create_topic,
    delete_topics,
    describe_topics,
    list_topics,
    partition_counts,
)
from muster.client.transactions import (
    ProducerState,
    TransactionDescription,
    TransactionListing,
    describe_producers,
    describe_transaction,
    fence_producer,
    list_transactions,
    write_abort_marker,
)

__all__ = [
    "EARLIEST",
    "LATEST",
    "MAX_TIMESTAMP",
    "CommittedOffset",
    "ConfigEntry",
    "Fetched",
    "GroupDescription",
    "GroupListing",
    "GroupMember",
    "ListedOffset",
    "NewRecord",
    "PartitionDescription",
    "Producer",
    "ProducerState",
    "TopicDescription",
    "TopicPartition",
    "TransactionDescription",
    "TransactionListing",
    "add_partitions",
    "alter_group_configs",
    "alter_topic_configs",
    "broker_configs",
    "commit_offsets",
    "committed_offsets",
    "committed_offsets_of",
    "create_topic",
    "delete_groups",
    "delete_offsets",
    "delete_topics",
    "describe_each",
    "describe_group",
    "describe_groups",
    "describe_producers",
    "describe_topics",
    "describe_transaction",
    "fence_producer",
    "fetch_records",
    "group_configs",
    "known_ends",
    "list_groups",
    "list_groups_by_node",
    "list_offsets",
    "list_topics",
    "list_transactions",
    "log_ends",
    "partition_counts",
    "read_records",
    "remove_member",
    "topic_configs",
    "unstable_partitions",
    "write_abort_marker",
]
