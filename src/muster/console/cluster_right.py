"""Whether a user may see what is told of the cluster itself: the right DESCRIBE on it, as the cluster says."""

from __future__ import annotations

from muster.client.cluster import Cluster
from muster.client.failure import ClientError, raise_for
from muster.security.resources import Operation, bit_field
from muster.wire.generated.describe_cluster import DescribeClusterRequest, DescribeClusterResponse


async def refusal_to_describe(cluster: Cluster) -> str:
    """Why not, as a sentence; empty if the user may."""
    try:
        reply: DescribeClusterResponse = await cluster.ask_any(
            "DescribeCluster", DescribeClusterRequest(include_cluster_authorized_operations=True)
        )
        raise_for(reply.error_code, "describe the cluster", reply.error_message)
    except ClientError as failure:
        return str(failure)
    if reply.cluster_authorized_operations & bit_field((Operation.DESCRIBE,)):
        return ""
    return "The user lacks the right to describe the cluster: ask for an ACL."
