"""Which APIs are served, and by which module. Exactly these are advertised by ApiVersions; any other is unknown.

Modules are named, not imported: `server.routes` imports one when its first request comes.
"""

from __future__ import annotations

from typing import Final

from muster.wire.apis import API_KEYS, APIS, Api

_PACKAGE: Final = "muster.server.handlers"

SERVED: Final = (
    "Produce",
    "Fetch",
    "ListOffsets",
    "Metadata",
    "OffsetCommit",
    "OffsetFetch",
    "FindCoordinator",
    "JoinGroup",
    "Heartbeat",
    "LeaveGroup",
    "SyncGroup",
    "DescribeGroups",
    "ListGroups",
    "SaslHandshake",
    "ApiVersions",
    "CreateTopics",
    "DeleteTopics",
    "DeleteRecords",
    "InitProducerId",
    "AddPartitionsToTxn",
    "AddOffsetsToTxn",
    "EndTxn",
    "WriteTxnMarkers",
    "TxnOffsetCommit",
    "OffsetForLeaderEpoch",
    "DescribeAcls",
    "CreateAcls",
    "DeleteAcls",
    "DescribeConfigs",
    "AlterConfigs",
    "DescribeLogDirs",
    "SaslAuthenticate",
    "CreatePartitions",
    "DeleteGroups",
    "IncrementalAlterConfigs",
    "OffsetDelete",
    "DescribeClientQuotas",
    "AlterClientQuotas",
    "DescribeUserScramCredentials",
    "AlterUserScramCredentials",
    "DescribeCluster",
    "DescribeProducers",
    "DescribeTransactions",
    "ListTransactions",
    "ConsumerGroupHeartbeat",
    "ConsumerGroupDescribe",
    "ListConfigResources",
    "DescribeTopicPartitions",
)
"""A handler's module has the name of the API's generated module."""

HANDLERS: Final[dict[int, str]] = {API_KEYS[name]: f"{_PACKAGE}.{APIS[API_KEYS[name]].module}" for name in SERVED}

ADVERTISED_FROM: Final = {API_KEYS["Produce"]: 0}
"""KAFKA-18659: brokers show Produce from 0 on, although they read it from 3 on, because librdkafka took a higher minimum
for a broker that cannot compress (its issue 4956), and sent everything uncompressed."""


def advertised_range(api: Api) -> tuple[int, int]:
    """The versions that ApiVersions shows."""
    return ADVERTISED_FROM.get(api.key, api.min_version), api.max_version
