"""DeleteAcls (31), versions 1 to 3: delete whatever the filters match, and say what that was. v3 knows users.

An ACL that two filters match is told twice. What is answered without an error is gone for good and no longer in force.
"""

from __future__ import annotations

from muster.log.contract import StorageError
from muster.runtime.node import Node
from muster.security.acl_store import TooManyAcls
from muster.security.acls import Acl, AclFilter, AclRefused
from muster.security.audit import quoted
from muster.security.resources import Operation
from muster.server.authorize import tell_change
from muster.server.call import Call
from muster.server.handlers.acl_words import FilterFields, filter_of, refusal, says_unknown
from muster.wire.errors import INVALID_REQUEST, KAFKA_STORAGE_ERROR, NONE, POLICY_VIOLATION
from muster.wire.generated.delete_acls import (
    DeleteAclsRequest,
    DeleteAclsResponse,
    DeleteAclsResponseFilterResult,
    DeleteAclsResponseMatchingAcl,
)


def handle(call: Call, request: DeleteAclsRequest, node: Node) -> None:
    if any(says_unknown(each) for each in request.filters):
        call.close("a filter has a type, pattern, operation or permission of 0")
        return
    node.changes.request(call, lambda: _answer(call, request, node))


def _answer(call: Call, request: DeleteAclsRequest, node: Node) -> DeleteAclsResponse:
    error, message = refusal(call, node, Operation.ALTER)
    if error != NONE:
        results = [DeleteAclsResponseFilterResult(error, message) for _ in request.filters]
        return DeleteAclsResponse(filter_results=results)
    wanted = [_read(each) for each in request.filters]
    return DeleteAclsResponse(filter_results=_delete(call, node, wanted))


def _read(fields: FilterFields) -> AclFilter | AclRefused:
    read = filter_of(fields)
    try:
        read.check()
    except AclRefused as refused:
        return refused
    return read


def _delete(call: Call, node: Node, wanted: list[AclFilter | AclRefused]) -> list[DeleteAclsResponseFilterResult]:
    assert node.acls is not None
    filters = [each for each in wanted if isinstance(each, AclFilter)]
    try:
        deleted = node.acls.delete(filters)
    except (StorageError, TooManyAcls) as error:
        code = KAFKA_STORAGE_ERROR if isinstance(error, StorageError) else POLICY_VIOLATION
        failed = DeleteAclsResponseFilterResult(code, str(error))
        return [failed if isinstance(each, AclFilter) else _refused(each) for each in wanted]
    for acl in dict.fromkeys(acl for acls in deleted for acl in acls):
        tell_change(call, node, f"deleted ACL {quoted(str(acl))}")
    matched = iter(deleted)
    return [
        DeleteAclsResponseFilterResult(NONE, None, [_laid_out(acl) for acl in next(matched)])
        if isinstance(each, AclFilter)
        else _refused(each)
        for each in wanted
    ]


def _refused(why: AclRefused) -> DeleteAclsResponseFilterResult:
    return DeleteAclsResponseFilterResult(INVALID_REQUEST, str(why))


def _laid_out(acl: Acl) -> DeleteAclsResponseMatchingAcl:
    return DeleteAclsResponseMatchingAcl(
        NONE,
        None,
        acl.resource_type,
        acl.name,
        acl.pattern,
        acl.principal,
        acl.host,
        acl.operation,
        acl.permission,
    )
