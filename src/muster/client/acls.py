"""ACLs of a cluster, Muster's or any Kafka's: list, create, delete. Each takes the cluster first and raises ClientError."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.security.acls import Acl, AclFilter, AclRefused, acl_from_codes
from muster.wire.errors import NONE, SECURITY_DISABLED
from muster.wire.generated.create_acls import CreateAclsRequest, CreateAclsRequestCreation, CreateAclsResponse
from muster.wire.generated.delete_acls import DeleteAclsRequest, DeleteAclsRequestFilter, DeleteAclsResponse
from muster.wire.generated.describe_acls import DescribeAclsRequest, DescribeAclsResponse

_NO_ACLS: Final = "The server keeps no ACLs: set its authorizer.class.name to switch them on"


async def list_acls(cluster: Cluster, wanted: AclFilter) -> list[Acl]:
    """Of types that this release knows; by resource, as the server lists them."""

    async def attempt() -> list[Acl]:
        reply: DescribeAclsResponse = await cluster.ask_any("DescribeAcls", DescribeAclsRequest(*_fields(wanted)))
        _raise_for(reply.error_code, "list ACLs", reply.error_message)
        found = []
        for resource in reply.resources:
            for acl in resource.acls:
                try:
                    found.append(
                        acl_from_codes(
                            resource.resource_type,
                            resource.resource_name,
                            resource.pattern_type,
                            acl.principal,
                            acl.host,
                            acl.operation,
                            acl.permission_type,
                        )
                    )
                except AclRefused:
                    continue  # a type or operation of a newer broker
        return found

    return await cluster.persist(attempt)


async def create_acls(cluster: Cluster, acls: Sequence[Acl]) -> None:
    """Those that are there already stay. The first refusal is raised; the others may have been made all the same."""
    creations = [
        CreateAclsRequestCreation(
            acl.resource_type, acl.name, acl.pattern, acl.principal, acl.host, acl.operation, acl.permission
        )
        for acl in acls
    ]

    async def attempt() -> None:
        reply: CreateAclsResponse = await cluster.ask_controller("CreateAcls", CreateAclsRequest(creations))
        for acl, result in zip(acls, reply.results, strict=True):
            _raise_for(result.error_code, f"create the ACL {acl}", result.error_message)

    await cluster.persist(attempt)


async def delete_acls(cluster: Cluster, acls: Sequence[Acl]) -> list[Acl]:
    """Exactly these, as far as they are there. Returns those that went."""
    filters = [
        DeleteAclsRequestFilter(
            acl.resource_type, acl.name, acl.pattern, acl.principal, acl.host, acl.operation, acl.permission
        )
        for acl in acls
    ]

    async def attempt() -> list[Acl]:
        reply: DeleteAclsResponse = await cluster.ask_controller("DeleteAcls", DeleteAclsRequest(filters))
        gone = []
        for acl, result in zip(acls, reply.filter_results, strict=True):
            _raise_for(result.error_code, f"delete the ACL {acl}", result.error_message)
            for matching in result.matching_acls:
                _raise_for(matching.error_code, f"delete the ACL {acl}", matching.error_message)
                gone.append(acl)
        return gone

    return await cluster.persist(attempt)


def _fields(wanted: AclFilter) -> tuple[int, str | None, int, str | None, str | None, int, int]:
    return (
        wanted.resource_type,
        wanted.name,
        wanted.pattern,
        wanted.principal,
        wanted.host,
        wanted.operation,
        wanted.permission,
    )


def _raise_for(code: int, asked: str, detail: str | None) -> None:
    if code != NONE:
        raise ClientError(code, asked, detail, _NO_ACLS if code == SECURITY_DISABLED else None)
