"""DescribeAcls (29), versions 1 to 3: the ACLs that a filter matches, by resource. v3 knows resources of type user.

Rules from the operator's file and super users are not ACLs: they decide as well and are not shown, as Kafka does it with
its super users.
"""

from __future__ import annotations

from muster.runtime.node import Node
from muster.security.resources import Operation, Pattern, ResourceType
from muster.server.call import Call
from muster.server.handlers.acl_words import filter_of, refusal, says_unknown
from muster.wire.errors import NONE, SECURITY_DISABLED
from muster.wire.generated.describe_acls import (
    DescribeAclsRequest,
    DescribeAclsResponse,
    DescribeAclsResponseAcl,
    DescribeAclsResponseResource,
)


def handle(call: Call, request: DescribeAclsRequest, node: Node) -> None:
    if says_unknown(request):
        call.close("the filter has a type, pattern, operation or permission of 0")
        return
    error, message = refusal(call, node, Operation.DESCRIBE)
    if error != NONE:
        if error == SECURITY_DISABLED:
            message = "No Authorizer is configured on the broker"  # as Kafka words it here
        call.reply(DescribeAclsResponse(error_code=error, error_message=message))
        return
    assert node.acls is not None
    resources: dict[tuple[ResourceType, str, Pattern], list[DescribeAclsResponseAcl]] = {}
    for acl in node.acls.matching(filter_of(request)):
        resources.setdefault((acl.resource_type, acl.name, acl.pattern), []).append(
            DescribeAclsResponseAcl(acl.principal, acl.host, acl.operation, acl.permission)
        )
    call.reply(
        DescribeAclsResponse(
            error_message="",  # not null: observed on a real broker
            resources=[DescribeAclsResponseResource(*resource, acls) for resource, acls in resources.items()],
        )
    )
