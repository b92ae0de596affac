"""WriteTxnMarkers (27), versions 1 and 2: end transactions in partitions of this node.

Asked by transaction coordinators, and by operators for transactions that hang (`kafka-transactions.sh abort`). It ends a
transaction behind its coordinator's back. v2 says which transaction version the epoch follows (KIP-890).
"""

from __future__ import annotations

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.core.records import EndTransactionMarker
from muster.core.replies import MarkerReply
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster
from muster.server.call import Call
from muster.server.parts import Parts, PartTicket
from muster.wire.errors import CLUSTER_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_OR_PARTITION
from muster.wire.generated.write_txn_markers import (
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
    WriteTxnMarkersResponseMarker,
    WriteTxnMarkersResponsePartition,
    WriteTxnMarkersResponseTopic,
)


def handle(call: Call, request: WriteTxnMarkersRequest, node: Node) -> None:
    parts: Parts[MarkerReply] = Parts(call, lambda replies: _laid_out(request, replies))
    is_allowed = authorize_cluster(call, node, Operation.ALTER, quietly=True) or authorize_cluster(
        call, node, Operation.CLUSTER_ACTION
    )
    for marker in request.markers:
        end = EndTransactionMarker(
            marker.producer_id, marker.producer_epoch, marker.transaction_result, marker.coordinator_epoch
        )
        for topic in marker.topics:
            for index in topic.partition_indexes:
                if is_allowed:
                    _write(node, topic.name, index, end, marker.transaction_version, parts.ticket())
                else:
                    parts.settled(MarkerReply(CLUSTER_AUTHORIZATION_FAILED))
    parts.seal()


def _write(
    node: Node, topic: str, index: int, end: EndTransactionMarker, version: int, ticket: PartTicket[MarkerReply]
) -> None:
    if topic == CONSUMER_OFFSETS and not 0 <= index < node.coordinator.partition_count:
        ticket.redeem(MarkerReply(UNKNOWN_TOPIC_OR_PARTITION))
        return
    node.marker_writer.write_once(topic, index, end, version, lambda error: ticket.redeem(MarkerReply(error)))


def _laid_out(request: WriteTxnMarkersRequest, replies: list[MarkerReply]) -> WriteTxnMarkersResponse:
    each = iter(replies)
    return WriteTxnMarkersResponse(
        [
            WriteTxnMarkersResponseMarker(
                marker.producer_id,
                [
                    WriteTxnMarkersResponseTopic(
                        topic.name,
                        [
                            WriteTxnMarkersResponsePartition(index, next(each).error)
                            for index in topic.partition_indexes
                        ],
                    )
                    for topic in marker.topics
                ],
            )
            for marker in request.markers
            if any(topic.partition_indexes for topic in marker.topics)
        ]
    )
