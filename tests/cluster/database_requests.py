"""Every request about topics, records, users and rights that has to ask the database of a cluster.

Of topic `old`, whose records this life of the node has not in memory; each request has a partition or a name of its own, so that
none finds what another one has read. Those to coordinators are in `coordinator_requests`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from muster.security.resources import Operation, Pattern, Permission, ResourceType
from muster.wire.batch import Record, encode_batch
from muster.wire.errors import NONE
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
from muster.wire.generated.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponsePartition,
)
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
from muster.wire.message import Message

OLD: Final = "old"
DOOMED: Final = "doomed"
GROWING: Final = "growing"
TAIL: Final = "tail"
"""Empty, until somebody writes to it in this life of the node."""
PARTITIONS: Final = 8
FIRST_PRODUCER_ID: Final = "InitProducerId that takes a block of ids"
TOPIC_CONFIGS, GROUP_CONFIGS = 2, 32
_TO_PRODUCE, _PLAIN, _TO_DESCRIBE, _TO_MARK, _TO_FETCH, _TO_POLL, _TO_LIST, _TO_CUT = range(PARTITIONS)


class Question(NamedTuple):
    name: str
    api: str
    version: int
    message: object
    code: int = NONE
    """In its answer, when it was served."""


def errors_in(answer: object) -> list[int]:
    """Every error code of an answer, wherever it stands; but not those of partitions in metadata."""
    return list(_errors_in(answer))


def _errors_in(value: object) -> Iterator[int]:
    if isinstance(value, MetadataResponsePartition):
        return  # nobody leads a new one yet, and its topic says whether it was made
    if isinstance(value, MetadataResponse):
        value = value.topics  # before version 13 nothing is said of the whole
    if isinstance(value, Message):
        for name, inner in value.fields():
            if name.endswith("error_code"):
                assert isinstance(inner, int)
                yield inner
            else:
                yield from _errors_in(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _errors_in(inner)


def batch(producer_id: int = -1) -> bytes:
    epoch, sequence = (-1, -1) if producer_id < 0 else (0, 0)
    return encode_batch(
        [Record(0, 1_000, b"k", b"v")], producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence
    )


def _acl_of(topic: str) -> tuple[int, str, int, str, str, int, int]:
    return ResourceType.TOPIC, topic, Pattern.LITERAL, "User:bob", "*", Operation.READ, Permission.ALLOW


def acl_to_be_deleted() -> CreateAclsRequest:
    return CreateAclsRequest([CreateAclsRequestCreation(*_acl_of("doomed"))])


def produce(topic: str, partition: int, records: bytes) -> ProduceRequest:
    data = [ProduceRequestTopic(name=topic, partition_data=[ProduceRequestPartition(partition, records)])]
    return ProduceRequest(acks=-1, timeout_ms=60_000, topic_data=data)


def fetch(topic: str, partition: int, min_bytes: int) -> FetchRequest:
    asked = FetchRequestPartition(partition=partition, fetch_offset=0, partition_max_bytes=1 << 20)
    return FetchRequest(
        max_wait_ms=500, min_bytes=min_bytes, topics=[FetchRequestTopic(topic=topic, partitions=[asked])]
    )


def _configs(resource_type: int, name: str, key: str, value: str) -> IncrementalAlterConfigsRequest:
    config = IncrementalAlterConfigsRequestConfig(key, 0, value)
    return IncrementalAlterConfigsRequest([IncrementalAlterConfigsRequestResource(resource_type, name, [config])])


def questions(epoch: int) -> list[Question]:
    """`epoch`: an earlier one of the topic's partitions."""
    return [
        Question(
            "CreateTopics",
            "CreateTopics",
            5,
            CreateTopicsRequest([CreateTopicsRequestTopic("new", 1, 1)]),
        ),
        Question(
            "Metadata that makes a topic",
            "Metadata",
            4,
            MetadataRequest([MetadataRequestTopic(name="made")]),
        ),
        Question(
            "CreatePartitions",
            "CreatePartitions",
            1,
            CreatePartitionsRequest([CreatePartitionsRequestTopic(GROWING, 2, None)]),
        ),
        Question(
            "AlterConfigs",
            "AlterConfigs",
            1,
            AlterConfigsRequest(
                [
                    AlterConfigsRequestResource(
                        TOPIC_CONFIGS, GROWING, [AlterConfigsRequestConfig("retention.ms", "1000")]
                    )
                ]
            ),
        ),
        Question(
            "IncrementalAlterConfigs of a topic",
            "IncrementalAlterConfigs",
            0,
            _configs(TOPIC_CONFIGS, GROWING, "retention.ms", "2000"),
        ),
        Question(
            "IncrementalAlterConfigs of a group",
            "IncrementalAlterConfigs",
            0,
            _configs(GROUP_CONFIGS, "some group", "consumer.session.timeout.ms", "50000"),
        ),
        Question(
            "DeleteTopics",
            "DeleteTopics",
            6,
            DeleteTopicsRequest(topics=[DeleteTopicsRequestTopic(name=DOOMED)]),
        ),
        Question(
            "DeleteRecords",
            "DeleteRecords",
            1,
            DeleteRecordsRequest([DeleteRecordsRequestTopic(OLD, [DeleteRecordsRequestPartition(_TO_CUT, 1)])]),
        ),
        Question(
            "AlterUserScramCredentials",
            "AlterUserScramCredentials",
            0,
            AlterUserScramCredentialsRequest(
                upsertions=[AlterUserScramCredentialsRequestUpsertion("alice", 1, 4096, b"salt", b"salted password")]
            ),
        ),
        Question(
            "CreateAcls",
            "CreateAcls",
            1,
            CreateAclsRequest([CreateAclsRequestCreation(*_acl_of("new"))]),
        ),
        Question(
            "DeleteAcls",
            "DeleteAcls",
            1,
            DeleteAclsRequest([DeleteAclsRequestFilter(*_acl_of("doomed"))]),
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
        ),
        Question(
            FIRST_PRODUCER_ID,
            "InitProducerId",
            1,
            InitProducerIdRequest(transactional_id=None),
        ),
        Question("Produce", "Produce", 9, produce(OLD, _PLAIN, batch())),
        Question(
            "Produce of an idempotent producer",
            "Produce",
            9,
            produce(OLD, _TO_PRODUCE, batch(producer_id=7_000_000)),
        ),
        Question(
            "DescribeProducers",
            "DescribeProducers",
            0,
            DescribeProducersRequest([DescribeProducersRequestTopic(OLD, [_TO_DESCRIBE])]),
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
        ),
        Question("Fetch of old records", "Fetch", 11, fetch(OLD, _TO_FETCH, 1)),
        Question("Fetch that waits for more than is there", "Fetch", 11, fetch(OLD, _TO_POLL, 1 << 19)),
        Question(
            "ListOffsets by time",
            "ListOffsets",
            1,
            ListOffsetsRequest(-1, 0, [ListOffsetsRequestTopic(OLD, [ListOffsetsRequestPartition(_TO_LIST, -1, 1)])]),
        ),
        Question(
            "ListOffsets of the earliest offset",
            "ListOffsets",
            4,
            ListOffsetsRequest(-1, 0, [ListOffsetsRequestTopic(OLD, [ListOffsetsRequestPartition(_TO_LIST, -1, -2)])]),
        ),
        Question(
            "OffsetForLeaderEpoch of an older epoch",
            "OffsetForLeaderEpoch",
            3,
            OffsetForLeaderEpochRequest(
                -1,
                [OffsetForLeaderEpochRequestTopic(OLD, [OffsetForLeaderEpochRequestPartition(_TO_LIST, -1, epoch)])],
            ),
        ),
    ]
