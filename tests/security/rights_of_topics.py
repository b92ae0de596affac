"""The rights that the APIs about topics and records ask for (spec 9, and what 4.3.1 was seen to do)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from muster.security.resources import Operation
from muster.wire.batch import Record, encode_batch
from muster.wire.errors import TOPIC_AUTHORIZATION_FAILED, TRANSACTIONAL_ID_AUTHORIZATION_FAILED
from muster.wire.generated.alter_configs import AlterConfigsRequest, AlterConfigsRequestResource
from muster.wire.generated.create_partitions import CreatePartitionsRequest, CreatePartitionsRequestTopic
from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestTopic
from muster.wire.generated.delete_records import (
    DeleteRecordsRequest,
    DeleteRecordsRequestPartition,
    DeleteRecordsRequestTopic,
)
from muster.wire.generated.delete_topics import DeleteTopicsRequest, DeleteTopicsRequestTopic
from muster.wire.generated.describe_configs import DescribeConfigsRequest, DescribeConfigsRequestResource
from muster.wire.generated.describe_producers import DescribeProducersRequest, DescribeProducersRequestTopic
from muster.wire.generated.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsRequestTopic,
)
from muster.wire.generated.fetch import FetchRequest, FetchRequestPartition, FetchRequestTopic
from muster.wire.generated.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequestResource,
)
from muster.wire.generated.list_offsets import ListOffsetsRequest, ListOffsetsRequestPartition, ListOffsetsRequestTopic
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from muster.wire.generated.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochRequestPartition,
    OffsetForLeaderEpochRequestTopic,
)
from muster.wire.generated.produce import ProduceRequest, ProduceRequestPartition, ProduceRequestTopic
from tests.security.rights import CLUSTER, LEFT_OUT, MINE, TOPIC, TRANSACTIONAL_ID, Right, shown
from tests.server.broker.whole_server import batch

READ, WRITE, DESCRIBE, CREATE = Operation.READ, Operation.WRITE, Operation.DESCRIBE, Operation.CREATE
_DENIED = TOPIC_AUTHORIZATION_FAILED
_TOPIC_CONFIGS = 2
NEW = "new-"
"""Before the names of topics that do not exist: CreateTopics and Metadata make them."""


def _produce(names: Iterable[str]) -> ProduceRequest:
    topics = [ProduceRequestTopic(name, partition_data=[ProduceRequestPartition(0, batch(b"x"))]) for name in names]
    return ProduceRequest(None, -1, 1_000, topics)


def _produce_in_transaction(names: Iterable[str]) -> ProduceRequest:
    records = encode_batch([Record(0, 1_000, None, b"x")], producer_id=1, producer_epoch=0, transactional=True)
    topics = [ProduceRequestTopic(name, partition_data=[ProduceRequestPartition(0, records)]) for name in names]
    return ProduceRequest(MINE, -1, 1_000, topics)


def _produced(reply: Any) -> dict[str, int]:
    return {topic.name: topic.partition_responses[0].error_code for topic in reply.responses}


def _fetch(names: Iterable[str]) -> FetchRequest:
    topics = [FetchRequestTopic(name, partitions=[FetchRequestPartition(0, partition_max_bytes=9)]) for name in names]
    return FetchRequest(max_wait_ms=0, max_bytes=9, topics=topics)


def _fetched(reply: Any) -> dict[str, int]:
    return {topic.topic: topic.partitions[0].error_code for topic in reply.responses}


def _by_topic(reply: Any) -> dict[str, int]:
    return {topic.name: topic.partitions[0].error_code for topic in reply.topics}


def _by_name(entries: Any) -> dict[str, int]:
    return {entry.name.removeprefix(NEW): entry.error_code for entry in entries}


def _by_resource(entries: Any) -> dict[str, int]:
    return {entry.resource_name: entry.error_code for entry in entries}


def _offsets(names: Iterable[str]) -> ListOffsetsRequest:
    topics = [ListOffsetsRequestTopic(name, [ListOffsetsRequestPartition(0, -1, -1)]) for name in names]
    return ListOffsetsRequest(-1, 0, topics)


def _epochs(names: Iterable[str]) -> OffsetForLeaderEpochRequest:
    partitions = [OffsetForLeaderEpochRequestPartition(0, -1, 0)]
    return OffsetForLeaderEpochRequest(-1, [OffsetForLeaderEpochRequestTopic(name, partitions) for name in names])


def _producers(names: Iterable[str]) -> DescribeProducersRequest:
    return DescribeProducersRequest([DescribeProducersRequestTopic(name, [0]) for name in names])


def _records(names: Iterable[str]) -> DeleteRecordsRequest:
    partitions = [DeleteRecordsRequestPartition(0, 0)]
    return DeleteRecordsRequest([DeleteRecordsRequestTopic(name, partitions) for name in names])


def _metadata(names: Iterable[str], before: str = "") -> MetadataRequest:
    return MetadataRequest([MetadataRequestTopic(name=before + name) for name in names], bool(before))


RIGHTS: Final = (
    Right("Produce", (WRITE, TOPIC), _DENIED, 12, _produce, _produced, several=True),
    Right(
        "Produce",
        (WRITE, TRANSACTIONAL_ID),
        TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        12,
        _produce_in_transaction,
        _produced,
        also=((WRITE, TOPIC),),
        about="of transactional records",
    ),
    Right("Fetch", (READ, TOPIC), _DENIED, 12, _fetch, _fetched, several=True),
    Right("ListOffsets", (DESCRIBE, TOPIC), _DENIED, 10, _offsets, _by_topic, several=True),
    Right(
        "Metadata",
        (DESCRIBE, TOPIC),
        _DENIED,
        12,
        _metadata,
        lambda reply: _by_name(reply.topics),
        several=True,
        about="by name",
    ),
    Right(
        "Metadata",
        (DESCRIBE, TOPIC),
        LEFT_OUT,
        12,
        lambda _: MetadataRequest(None),
        lambda reply: shown(_by_name(reply.topics)),
        several=True,
        about="of all topics",
    ),
    Right(
        "Metadata",
        (CREATE, TOPIC),
        _DENIED,
        12,
        lambda names: _metadata(names, NEW),
        lambda reply: _by_name(reply.topics),
        also=((DESCRIBE, TOPIC),),
        instead=(CREATE, CLUSTER),
        several=True,
        about="that makes topics",
    ),
    Right(
        "DescribeTopicPartitions",
        (DESCRIBE, TOPIC),
        _DENIED,
        0,
        lambda names: DescribeTopicPartitionsRequest([DescribeTopicPartitionsRequestTopic(name) for name in names]),
        lambda reply: _by_name(reply.topics),
        several=True,
        about="by name",
    ),
    Right(
        "DescribeTopicPartitions",
        (DESCRIBE, TOPIC),
        LEFT_OUT,
        0,
        lambda _: DescribeTopicPartitionsRequest([]),
        lambda reply: shown(_by_name(reply.topics)),
        several=True,
        about="of all topics",
    ),
    Right(
        "CreateTopics",
        (CREATE, TOPIC),
        _DENIED,
        7,
        lambda names: CreateTopicsRequest([CreateTopicsRequestTopic(NEW + name, 1, 1) for name in names]),
        lambda reply: _by_name(reply.topics),
        instead=(CREATE, CLUSTER),
        several=True,
    ),
    Right(
        "DeleteTopics",
        (Operation.DELETE, TOPIC),
        _DENIED,
        6,
        lambda names: DeleteTopicsRequest([DeleteTopicsRequestTopic(name) for name in names]),
        lambda reply: _by_name(reply.responses),
        instead=(Operation.DELETE, CLUSTER),
        several=True,
    ),
    Right("DeleteRecords", (Operation.DELETE, TOPIC), _DENIED, 2, _records, _by_topic, several=True),
    Right(
        "CreatePartitions",
        (Operation.ALTER, TOPIC),
        _DENIED,
        3,
        lambda names: CreatePartitionsRequest([CreatePartitionsRequestTopic(name, 9, None) for name in names]),
        lambda reply: _by_name(reply.results),
        several=True,
    ),
    Right("DescribeProducers", (READ, TOPIC), _DENIED, 0, _producers, _by_topic, several=True),
    Right(
        "OffsetForLeaderEpoch",
        (DESCRIBE, TOPIC),
        _DENIED,
        4,
        _epochs,
        lambda reply: {topic.topic: topic.partitions[0].error_code for topic in reply.topics},
        instead=(Operation.CLUSTER_ACTION, CLUSTER),
        several=True,
    ),
    Right(
        "DescribeConfigs",
        (Operation.DESCRIBE_CONFIGS, TOPIC),
        _DENIED,
        4,
        lambda names: DescribeConfigsRequest(
            [DescribeConfigsRequestResource(_TOPIC_CONFIGS, name, None) for name in names]
        ),
        lambda reply: _by_resource(reply.results),
        several=True,
        about="of topics",
    ),
    Right(
        "AlterConfigs",
        (Operation.ALTER_CONFIGS, TOPIC),
        _DENIED,
        2,
        lambda names: AlterConfigsRequest([AlterConfigsRequestResource(_TOPIC_CONFIGS, name) for name in names]),
        lambda reply: _by_resource(reply.responses),
        several=True,
        about="of topics",
    ),
    Right(
        "IncrementalAlterConfigs",
        (Operation.ALTER_CONFIGS, TOPIC),
        _DENIED,
        1,
        lambda names: IncrementalAlterConfigsRequest(
            [IncrementalAlterConfigsRequestResource(_TOPIC_CONFIGS, name) for name in names]
        ),
        lambda reply: _by_resource(reply.responses),
        several=True,
        about="of topics",
    ),
)
