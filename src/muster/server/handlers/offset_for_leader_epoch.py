"""OffsetForLeaderEpoch (23), versions 2 to 4: where an epoch ended. v3+ may come from consumers (KIP-320)."""

from __future__ import annotations

from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster, authorize_topic
from muster.server.call import Call
from muster.wire.errors import TOPIC_AUTHORIZATION_FAILED
from muster.wire.generated.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderEpochResponsePartition,
    OffsetForLeaderEpochResponseTopic,
)


def handle(call: Call, request: OffsetForLeaderEpochRequest, node: Node) -> None:
    everything = authorize_cluster(call, node, Operation.CLUSTER_ACTION, quietly=True)
    topics = []
    for topic in request.topics:
        allowed = everything or authorize_topic(call, node, Operation.DESCRIBE, topic.topic)
        partitions = []
        for partition in topic.partitions:
            if not allowed:
                partitions.append(
                    OffsetForLeaderEpochResponsePartition(TOPIC_AUTHORIZATION_FAILED, partition.partition)
                )
                continue
            end = node.broker.end_of_epoch(
                topic.topic, partition.partition, partition.current_leader_epoch, partition.leader_epoch
            )
            partitions.append(
                OffsetForLeaderEpochResponsePartition(
                    end.error_code, partition.partition, end.leader_epoch, end.end_offset
                )
            )
        topics.append(OffsetForLeaderEpochResponseTopic(topic.topic, partitions))
    call.reply(OffsetForLeaderEpochResponse(topics=topics))
