"""CreateAcls (30), versions 1 to 3: make ACLs, each answered for itself. v3 knows resources of type user.

One that is there already is made again without an error. What is answered without an error is durable and in force.
"""

from __future__ import annotations

from muster.log.contract import StorageError
from muster.runtime.node import Node
from muster.security.acl_store import TooManyAcls
from muster.security.acls import Acl, AclRefused, acl_from_codes
from muster.security.audit import quoted
from muster.security.resources import UNKNOWN_CODE, Operation
from muster.server.authorize import tell_change
from muster.server.call import Call
from muster.server.handlers.acl_words import refusal
from muster.wire.errors import INVALID_REQUEST, KAFKA_STORAGE_ERROR, NONE, POLICY_VIOLATION
from muster.wire.generated.create_acls import (
    CreateAclsRequest,
    CreateAclsRequestCreation,
    CreateAclsResponse,
    CreateAclsResponseResult,
)


def handle(call: Call, request: CreateAclsRequest, node: Node) -> None:
    if any(UNKNOWN_CODE in _codes(creation) for creation in request.creations):
        call.close("an ACL has a type, pattern, operation or permission of 0")
        return
    node.changes.request(call, lambda: _answer(call, request, node))


def _answer(call: Call, request: CreateAclsRequest, node: Node) -> CreateAclsResponse:
    error, message = refusal(call, node, Operation.ALTER)
    if error != NONE:
        return CreateAclsResponse(results=[CreateAclsResponseResult(error, message) for _ in request.creations])
    wanted = [_read(creation) for creation in request.creations]
    failure = _create(call, node, [each for each in wanted if isinstance(each, Acl)])
    return CreateAclsResponse(
        results=[
            failure if isinstance(each, Acl) else CreateAclsResponseResult(INVALID_REQUEST, str(each))
            for each in wanted
        ]
    )


def _codes(creation: CreateAclsRequestCreation) -> tuple[int, ...]:
    return creation.resource_type, creation.resource_pattern_type, creation.operation, creation.permission_type


def _read(creation: CreateAclsRequestCreation) -> Acl | AclRefused:
    try:
        return acl_from_codes(
            creation.resource_type,
            creation.resource_name,
            creation.resource_pattern_type,
            creation.principal,
            creation.host,
            creation.operation,
            creation.permission_type,
        )
    except AclRefused as refused:
        return refused


def _create(call: Call, node: Node, acls: list[Acl]) -> CreateAclsResponseResult:
    """The answer that all of them get: they are made together."""
    assert node.acls is not None
    try:
        made = node.acls.create(acls)
    except TooManyAcls as refused:
        return CreateAclsResponseResult(POLICY_VIOLATION, str(refused))
    except StorageError as error:
        return CreateAclsResponseResult(KAFKA_STORAGE_ERROR, str(error))
    for acl in made:
        tell_change(call, node, f"created ACL {quoted(str(acl))}")
    return CreateAclsResponseResult(NONE, "")  # not null: observed on a real broker
