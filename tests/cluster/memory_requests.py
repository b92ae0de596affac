"""Every request that a node answers by itself, while the database says nothing: of what it leads and of what it has read."""

from __future__ import annotations

from muster.security.resources import ANY_CODE, Pattern
from muster.wire.errors import ILLEGAL_SASL_STATE, INVALID_TOPIC_EXCEPTION, MEMBER_ID_REQUIRED
from muster.wire.generated.api_versions import ApiVersionsRequest
from muster.wire.generated.consumer_group_describe import ConsumerGroupDescribeRequest
from muster.wire.generated.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from muster.wire.generated.describe_acls import DescribeAclsRequest
from muster.wire.generated.describe_client_quotas import DescribeClientQuotasRequest
from muster.wire.generated.describe_cluster import DescribeClusterRequest
from muster.wire.generated.describe_configs import DescribeConfigsRequest, DescribeConfigsRequestResource
from muster.wire.generated.describe_groups import DescribeGroupsRequest
from muster.wire.generated.describe_log_dirs import DescribeLogDirsRequest
from muster.wire.generated.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsRequestTopic,
)
from muster.wire.generated.describe_transactions import DescribeTransactionsRequest
from muster.wire.generated.describe_user_scram_credentials import DescribeUserScramCredentialsRequest
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.init_producer_id import InitProducerIdRequest
from muster.wire.generated.list_config_resources import ListConfigResourcesRequest
from muster.wire.generated.list_groups import ListGroupsRequest
from muster.wire.generated.list_offsets import ListOffsetsRequest, ListOffsetsRequestPartition, ListOffsetsRequestTopic
from muster.wire.generated.list_transactions import ListTransactionsRequest
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from muster.wire.generated.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from muster.wire.generated.sasl_authenticate import SaslAuthenticateRequest
from muster.wire.generated.sasl_handshake import SaslHandshakeRequest
from tests.cluster.coordinator_requests import (
    CONSUMERS,
    GENERATION,
    JOINS_AGAIN,
    NOTHING,
    QUIET,
    Prepared,
    joins,
    syncs,
)
from tests.cluster.database_requests import GROUP_CONFIGS, OLD, TAIL, TOPIC_CONFIGS, Question, fetch


def memory_questions(prepared: Prepared = NOTHING) -> list[Question]:
    return [*_of_topics(), *_of_groups(prepared), *_of_the_cluster()]


def _of_topics() -> list[Question]:
    latest = ListOffsetsRequest(-1, 0, [ListOffsetsRequestTopic(OLD, [ListOffsetsRequestPartition(0, -1, -1)])])
    return [
        Question("Metadata", "Metadata", 7, MetadataRequest([MetadataRequestTopic(name=OLD)])),
        Question(
            "Metadata of a name that no topic can have",
            "Metadata",
            7,
            MetadataRequest([MetadataRequestTopic(name="no name")]),
            INVALID_TOPIC_EXCEPTION,
        ),
        Question(
            "DescribeTopicPartitions",
            "DescribeTopicPartitions",
            0,
            DescribeTopicPartitionsRequest([DescribeTopicPartitionsRequestTopic(OLD)]),
        ),
        Question("Fetch of what was just produced", "Fetch", 11, fetch(TAIL, 0, 1)),
        Question("ListOffsets of the latest offset", "ListOffsets", 4, latest),
        Question("DescribeLogDirs", "DescribeLogDirs", 3, DescribeLogDirsRequest(None)),
        Question(
            "DescribeConfigs",
            "DescribeConfigs",
            1,
            DescribeConfigsRequest(
                [
                    DescribeConfigsRequestResource(TOPIC_CONFIGS, OLD, None),
                    DescribeConfigsRequestResource(GROUP_CONFIGS, QUIET, None),
                ]
            ),
        ),
        Question("ListConfigResources", "ListConfigResources", 1, ListConfigResourcesRequest()),
    ]


def _of_groups(prepared: Prepared) -> list[Question]:
    member_id = prepared.members[QUIET]
    return [
        Question("FindCoordinator", "FindCoordinator", 3, FindCoordinatorRequest(QUIET)),
        Question("Heartbeat", "Heartbeat", 2, HeartbeatRequest(QUIET, GENERATION, member_id)),
        Question("JoinGroup that is given a member id", "JoinGroup", 4, joins("given an id"), MEMBER_ID_REQUIRED),
        Question(
            "JoinGroup of a known member",
            "JoinGroup",
            3,
            joins(JOINS_AGAIN, member_id=prepared.members[JOINS_AGAIN]),
        ),
        Question("SyncGroup of a stable group", "SyncGroup", 3, syncs(QUIET, member_id)),
        Question("OffsetFetch", "OffsetFetch", 5, OffsetFetchRequest(QUIET, [OffsetFetchRequestTopic(OLD, [0])])),
        Question("DescribeGroups", "DescribeGroups", 4, DescribeGroupsRequest([QUIET])),
        Question("ListGroups", "ListGroups", 4, ListGroupsRequest()),
        Question(
            "ConsumerGroupHeartbeat",
            "ConsumerGroupHeartbeat",
            1,
            ConsumerGroupHeartbeatRequest(CONSUMERS, CONSUMERS, prepared.epoch),
        ),
        Question("ConsumerGroupDescribe", "ConsumerGroupDescribe", 1, ConsumerGroupDescribeRequest([CONSUMERS])),
        Question("DescribeTransactions", "DescribeTransactions", 0, DescribeTransactionsRequest([QUIET])),
        Question("InitProducerId of a block that is there", "InitProducerId", 1, InitProducerIdRequest(None)),
        Question("ListTransactions", "ListTransactions", 1, ListTransactionsRequest()),
    ]


def _of_the_cluster() -> list[Question]:
    acls = DescribeAclsRequest(ANY_CODE, None, Pattern.ANY, None, None, ANY_CODE, ANY_CODE)
    return [
        Question("ApiVersions", "ApiVersions", 2, ApiVersionsRequest()),
        Question("SaslHandshake", "SaslHandshake", 1, SaslHandshakeRequest("PLAIN"), ILLEGAL_SASL_STATE),
        Question("SaslAuthenticate", "SaslAuthenticate", 1, SaslAuthenticateRequest(), ILLEGAL_SASL_STATE),
        Question("DescribeCluster", "DescribeCluster", 0, DescribeClusterRequest()),
        Question("DescribeAcls", "DescribeAcls", 1, acls),
        Question("DescribeClientQuotas", "DescribeClientQuotas", 0, DescribeClientQuotasRequest()),
        Question(
            "DescribeUserScramCredentials",
            "DescribeUserScramCredentials",
            0,
            DescribeUserScramCredentialsRequest(None),
        ),
    ]
