"""Every request that has to ask the database of a cluster, and how its answer tells whether it was served.

Of topic `old`, whose records this life of the node has not in memory; each request has a partition or a name of its own, so that
none finds what another one has read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from muster.security.resources import Operation, Pattern, Permission, ResourceType
from muster.wire.batch import Record, encode_batch
from muster.wire.generated.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntity,
    AlterClientQuotasRequestEntry,
    AlterClientQuotasRequestOp,
)
from muster.wire.generated.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsRequestConfig,
    AlterConfigsRequestResource,
)
from muster.wire.generated.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsRequestUpsertion,
)
from muster.wire.generated.create_acls import CreateAclsRequest, CreateAclsRequestCreation
from muster.wire.generated.create_partitions import CreatePartitionsRequest, CreatePartitionsRequestTopic
from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestTopic
from muster.wire.generated.delete_acls import DeleteAclsRequest, DeleteAclsRequestFilter
from muster.wire.generated.delete_records import (
    DeleteRecordsRequest,
    DeleteRecordsRequestPartition,
    DeleteRecordsRequestTopic,
)
from muster.wire.generated.delete_topics import DeleteTopicsRequest, DeleteTopicsRequestTopic
from muster.wire.generated.describe_producers import DescribeProducersRequest, DescribeProducersRequestTopic
from muster.wire.generated.fetch import FetchRequest, FetchRequestPartition, FetchRequestTopic
from muster.wire.generated.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequestConfig,
    IncrementalAlterConfigsRequestResource,
)
from muster.wire.generated.init_producer_id import InitProducerIdRequest
from muster.wire.generated.list_offsets import ListOffsetsRequest, ListOffsetsRequestPartition, ListOffsetsRequestTopic
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from muster.wire.generated.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochRequestPartition,
    OffsetForLeaderEpochRequestTopic,
)
from muster.wire.generated.produce import ProduceRequest, ProduceRequestPartition, ProduceRequestTopic
from muster.wire.generated.write_txn_markers import (
    WriteTxnMarkersRequest,
    WriteTxnMarkersRequestMarker,
    WriteTxnMarkersRequestTopic,
)

OLD: Final = "old"
DOOMED: Final = "doomed"
GROWING: Final = "growing"
PARTITIONS: Final = 8
_TOPIC_CONFIGS, _GROUP_CONFIGS = 2, 32
_TO_PRODUCE, _PLAIN, _TO_DESCRIBE, _TO_MARK, _TO_FETCH, _TO_POLL, _TO_LIST, _TO_CUT = range(PARTITIONS)


class Question(NamedTuple):
    name: str
    api: str
    version: int
    message: object
    errors: Callable[[Any], list[int]]
    """Of its answer."""


def _batch(producer_id: int = -1) -> bytes:
    epoch, sequence = (-1, -1) if producer_id < 0 else (0, 0)
    return encode_batch(
        [Record(0, 1_000, b"k", b"v")], producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence
    )


def _acl_of(topic: str) -> tuple[int, str, int, str, str, int, int]:
    return ResourceType.TOPIC, topic, Pattern.LITERAL, "User:bob", "*", Operation.READ, Permission.ALLOW


def acl_to_be_deleted() -> CreateAclsRequest:
    return CreateAclsRequest([CreateAclsRequestCreation(*_acl_of("doomed"))])


def _produce(partition: int, records: bytes) -> ProduceRequest:
    data = [ProduceRequestTopic(name=OLD, partition_data=[ProduceRequestPartition(partition, records)])]
    return ProduceRequest(acks=-1, timeout_ms=60_000, topic_data=data)


def _fetch(partition: int, min_bytes: int) -> FetchRequest:
    asked = FetchRequestPartition(partition=partition, fetch_offset=0, partition_max_bytes=1 << 20)
    return FetchRequest(max_wait_ms=500, min_bytes=min_bytes, topics=[FetchRequestTopic(topic=OLD, partitions=[asked])])


def _configs(resource_type: int, name: str, key: str, value: str) -> IncrementalAlterConfigsRequest:
    config = IncrementalAlterConfigsRequestConfig(key, 0, value)
    return IncrementalAlterConfigsRequest([IncrementalAlterConfigsRequestResource(resource_type, name, [config])])


def _of_partitions(answer: Any) -> list[int]:
    return [each.error_code for topic in answer.topics for each in topic.partitions]


def _of_produced(answer: Any) -> list[int]:
    return [each.error_code for topic in answer.responses for each in topic.partition_responses]


def _of_fetched(answer: Any) -> list[int]:
    return [each.error_code for topic in answer.responses for each in topic.partitions]


def _of_topics(answer: Any) -> list[int]:
    return [each.error_code for each in answer.topics]


def _of_responses(answer: Any) -> list[int]:
    return [each.error_code for each in answer.responses]


def _of_results(answer: Any) -> list[int]:
    return [each.error_code for each in answer.results]


def questions(epoch: int) -> list[Question]:
    """`epoch`: an earlier one of the topic's partitions."""
    return [
        Question(
            "CreateTopics",
            "CreateTopics",
            5,
            CreateTopicsRequest([CreateTopicsRequestTopic("new", 1, 1)]),
            _of_topics,
        ),
        Question(
            "Metadata that makes a topic",
            "Metadata",
            4,
            MetadataRequest([MetadataRequestTopic(name="made")]),
            _of_topics,
        ),
        Question(
            "CreatePartitions",
            "CreatePartitions",
            1,
            CreatePartitionsRequest([CreatePartitionsRequestTopic(GROWING, 2, None)]),
            _of_results,
        ),
        Question(
            "AlterConfigs",
            "AlterConfigs",
            1,
            AlterConfigsRequest(
                [
                    AlterConfigsRequestResource(
                        _TOPIC_CONFIGS, GROWING, [AlterConfigsRequestConfig("retention.ms", "1000")]
                    )
                ]
            ),
            _of_responses,
        ),
        Question(
            "IncrementalAlterConfigs of a topic",
            "IncrementalAlterConfigs",
            0,
            _configs(_TOPIC_CONFIGS, GROWING, "retention.ms", "2000"),
            _of_responses,
        ),
        Question(
            "IncrementalAlterConfigs of a group",
            "IncrementalAlterConfigs",
            0,
            _configs(_GROUP_CONFIGS, "some group", "consumer.session.timeout.ms", "50000"),
            _of_responses,
        ),
        Question(
            "DeleteTopics",
            "DeleteTopics",
            6,
            DeleteTopicsRequest(topics=[DeleteTopicsRequestTopic(name=DOOMED)]),
            _of_responses,
        ),
        Question(
            "DeleteRecords",
            "DeleteRecords",
            1,
            DeleteRecordsRequest([DeleteRecordsRequestTopic(OLD, [DeleteRecordsRequestPartition(_TO_CUT, 1)])]),
            _of_partitions,
        ),
        Question(
            "AlterUserScramCredentials",
            "AlterUserScramCredentials",
            0,
            AlterUserScramCredentialsRequest(
                upsertions=[AlterUserScramCredentialsRequestUpsertion("alice", 1, 4096, b"salt", b"salted password")]
            ),
            _of_results,
        ),
        Question(
            "CreateAcls",
            "CreateAcls",
            1,
            CreateAclsRequest([CreateAclsRequestCreation(*_acl_of("new"))]),
            _of_results,
        ),
        Question(
            "DeleteAcls",
            "DeleteAcls",
            1,
            DeleteAclsRequest([DeleteAclsRequestFilter(*_acl_of("doomed"))]),
            lambda answer: [each.error_code for each in answer.filter_results],
        ),
        Question(
            "AlterClientQuotas",
            "AlterClientQuotas",
            0,
            AlterClientQuotasRequest(
                [
                    AlterClientQuotasRequestEntry(
                        [AlterClientQuotasRequestEntity("user", "bob")],
                        [AlterClientQuotasRequestOp("consumer_byte_rate", 1e6)],
                    )
                ]
            ),
            lambda answer: [each.error_code for each in answer.entries],
        ),
        Question(
            "InitProducerId",
            "InitProducerId",
            1,
            InitProducerIdRequest(transactional_id=None),
            lambda answer: [answer.error_code],
        ),
        Question("Produce", "Produce", 9, _produce(_PLAIN, _batch()), _of_produced),
        Question(
            "Produce of an idempotent producer",
            "Produce",
            9,
            _produce(_TO_PRODUCE, _batch(producer_id=7_000_000)),
            _of_produced,
        ),
        Question(
            "DescribeProducers",
            "DescribeProducers",
            0,
            DescribeProducersRequest([DescribeProducersRequestTopic(OLD, [_TO_DESCRIBE])]),
            _of_partitions,
        ),
        Question(
            "WriteTxnMarkers",
            "WriteTxnMarkers",
            1,
            WriteTxnMarkersRequest(
                [
                    WriteTxnMarkersRequestMarker(
                        7_000_000, 0, False, [WriteTxnMarkersRequestTopic(OLD, [_TO_MARK])], 0, 0
                    )
                ]
            ),
            lambda answer: [
                each.error_code for marker in answer.markers for topic in marker.topics for each in topic.partitions
            ],
        ),
        Question("Fetch of old records", "Fetch", 11, _fetch(_TO_FETCH, 1), _of_fetched),
        Question("Fetch that waits for more than is there", "Fetch", 11, _fetch(_TO_POLL, 1 << 19), _of_fetched),
        Question(
            "ListOffsets by time",
            "ListOffsets",
            1,
            ListOffsetsRequest(-1, 0, [ListOffsetsRequestTopic(OLD, [ListOffsetsRequestPartition(_TO_LIST, -1, 1)])]),
            _of_partitions,
        ),
        Question(
            "ListOffsets of the earliest offset",
            "ListOffsets",
            4,
            ListOffsetsRequest(-1, 0, [ListOffsetsRequestTopic(OLD, [ListOffsetsRequestPartition(_TO_LIST, -1, -2)])]),
            _of_partitions,
        ),
        Question(
            "OffsetForLeaderEpoch of an older epoch",
            "OffsetForLeaderEpoch",
            3,
            OffsetForLeaderEpochRequest(
                -1,
                [OffsetForLeaderEpochRequestTopic(OLD, [OffsetForLeaderEpochRequestPartition(_TO_LIST, -1, epoch)])],
            ),
            _of_partitions,
        ),
    ]
