"""What CreateAcls, DescribeAcls and DeleteAcls share: the refusals that stand before any ACL is looked at."""

from __future__ import annotations

from typing import Protocol

from muster.runtime.node import Node
from muster.security.acls import AclFilter
from muster.security.resources import UNKNOWN_CODE, Operation
from muster.server.authorize import authorize_cluster
from muster.server.call import Call
from muster.wire.errors import CLUSTER_AUTHORIZATION_FAILED, NONE, SECURITY_DISABLED


class FilterFields(Protocol):
    """The request of DescribeAcls, and one filter of DeleteAcls."""

    resource_type_filter: int
    resource_name_filter: str | None
    pattern_type_filter: int
    principal_filter: str | None
    host_filter: str | None
    operation: int
    permission_type: int


def filter_of(fields: FilterFields) -> AclFilter:
    return AclFilter(
        fields.resource_type_filter,
        fields.resource_name_filter,
        fields.pattern_type_filter,
        fields.principal_filter,
        fields.host_filter,
        fields.operation,
        fields.permission_type,
    )


def says_unknown(fields: FilterFields) -> bool:
    """Kafka cannot read a request with a code of 0 and closes the connection; any other code that nobody knows is read."""
    codes = (fields.resource_type_filter, fields.pattern_type_filter, fields.operation, fields.permission_type)
    return UNKNOWN_CODE in codes


def refusal(call: Call, node: Node, operation: Operation) -> tuple[int, str]:
    """(error, message), the error NONE if the one who calls may go on."""
    if not authorize_cluster(call, node, operation):
        return CLUSTER_AUTHORIZATION_FAILED, f"Request {call.route.name} needs {operation.name} permission."
    if node.acls is None:
        return SECURITY_DISABLED, "No Authorizer is configured."
    return NONE, ""
