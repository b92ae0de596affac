"""DescribeCluster (60), versions 0 to 2: who is in the cluster. v1+ brokers or controllers, v2+ fenced brokers too."""

from __future__ import annotations

from muster.runtime.node import Node
from muster.security.resources import CLUSTER_NAME, Operation, ResourceType
from muster.server.authorize import authorize_cluster, operations_on
from muster.server.brokers import controller_id, live_brokers
from muster.server.call import Call
from muster.server.handlers.metadata import NOT_ASKED
from muster.wire.errors import MISMATCHED_ENDPOINT_TYPE, UNSUPPORTED_ENDPOINT_TYPE
from muster.wire.generated.describe_cluster import (
    DescribeClusterRequest,
    DescribeClusterResponse,
    DescribeClusterResponseBroker,
)

BROKERS, CONTROLLERS = 1, 2


def handle(call: Call, request: DescribeClusterRequest, node: Node) -> None:
    if request.endpoint_type != BROKERS:
        call.reply(_wrong_endpoint(request.endpoint_type))
        return
    operations = NOT_ASKED
    if request.include_cluster_authorized_operations:
        operations = 0
        if authorize_cluster(call, node, Operation.DESCRIBE, quietly=True):
            operations = operations_on(call, node, ResourceType.CLUSTER, CLUSTER_NAME)
    call.reply(
        DescribeClusterResponse(
            endpoint_type=BROKERS,
            cluster_id=node.broker.cluster_id,
            controller_id=controller_id(node),
            brokers=[DescribeClusterResponseBroker(*broker) for broker in live_brokers(call, node)],
            cluster_authorized_operations=operations,
        )
    )


def _wrong_endpoint(endpoint_type: int) -> DescribeClusterResponse:
    """KIP-919: a broker tells a client that looks for controllers that it came to the wrong place."""
    if endpoint_type == CONTROLLERS:
        return DescribeClusterResponse(
            error_code=MISMATCHED_ENDPOINT_TYPE,
            error_message="The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type CONTROLLER",
        )
    return DescribeClusterResponse(
        error_code=UNSUPPORTED_ENDPOINT_TYPE, error_message=f"Unsupported endpoint type {endpoint_type}"
    )
