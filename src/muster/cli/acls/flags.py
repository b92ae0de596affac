"""From the flags of `muster acls` to ACLs and filters. The flags are those of Kafka's own `kafka-acls`.

`UsageError` says which flag is wrong and what it must be. Knows no cluster.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

from muster.cli.support.usage_error import UsageError
from muster.security.acls import Acl, AclFilter
from muster.security.resources import (
    ANY_CODE,
    CLUSTER_NAME,
    OPERATIONS_ON,
    Operation,
    Pattern,
    Permission,
    ResourceType,
)

Resource = tuple[ResourceType, str, Pattern]

_TYPES: Final = {
    "topic": ResourceType.TOPIC,
    "group": ResourceType.GROUP,
    "transactional_id": ResourceType.TRANSACTIONAL_ID,
}
_PRODUCER_ON_TOPIC: Final = (Operation.WRITE, Operation.DESCRIBE, Operation.CREATE)
_PRODUCER_ON_TRANSACTIONAL_ID: Final = (Operation.WRITE, Operation.DESCRIBE)
_CONSUMER_ON_TOPIC: Final = (Operation.READ, Operation.DESCRIBE)


def acls_of(arguments: argparse.Namespace) -> list[Acl]:
    """What `add` makes and `remove` takes away, each once."""
    who = list(_who(arguments))
    if not who:
        raise UsageError("say who: --allow-principal User:NAME or --deny-principal User:NAME")
    if arguments.producer or arguments.consumer:
        what = list(_convenience(arguments))
    else:
        what = [
            (resource, operation)
            for resource in _resources(arguments)
            for operation in _operations(arguments, resource[0]) or (Operation.ALL,)
        ]
    if not what:
        raise UsageError("say what: --topic NAME, --group NAME, --transactional-id NAME or --cluster")
    return list(
        dict.fromkeys(
            Acl(kind, name, pattern, principal, host, operation, permission)
            for (kind, name, pattern), operation in what
            for permission, principal, host in who
        )
    )


def filters_of(arguments: argparse.Namespace) -> list[AclFilter]:
    """What `list` asks for, and `remove` without operations and principals: one filter for each resource and principal."""
    resources: list[tuple[int, str | None, int]] = list(_resources(arguments)) or [(ANY_CODE, None, Pattern.ANY)]
    principals: list[str | None] = [checked_principal(each) for each in arguments.principal] or [None]
    return [AclFilter(*resource, principal) for resource in resources for principal in principals]


def _who(arguments: argparse.Namespace) -> Iterator[tuple[Permission, str, str]]:
    for permission, principals, hosts, flag in (
        (Permission.ALLOW, arguments.allow_principal, arguments.allow_host, "allow"),
        (Permission.DENY, arguments.deny_principal, arguments.deny_host, "deny"),
    ):
        if hosts and not principals:
            raise UsageError(f"--{flag}-host needs --{flag}-principal: User:* stands for everybody")
        for principal in principals:
            for host in hosts or ("*",):
                yield permission, checked_principal(principal), host


def checked_principal(text: str) -> str:
    kind, colon, name = text.partition(":")
    if not (kind and colon and name):
        raise UsageError(f"{text!r} is no principal: it must be a type and a name, such as User:alice or User:*")
    return text


def _resources(arguments: argparse.Namespace) -> Iterator[Resource]:
    pattern = Pattern[arguments.resource_pattern_type.upper()]
    for flag, kind in _TYPES.items():
        for name in getattr(arguments, flag):
            if not name:
                raise UsageError(f"--{flag.replace('_', '-')} needs a name; * stands for all of them")
            yield kind, name, pattern
    if arguments.cluster:
        yield ResourceType.CLUSTER, CLUSTER_NAME, Pattern.LITERAL


def _operations(arguments: argparse.Namespace, kind: ResourceType) -> list[Operation]:
    allowed = {each.name: each for each in (*OPERATIONS_ON[kind], Operation.ALL)}
    found = []
    for text in arguments.operation:
        operation = allowed.get(text.upper().replace("-", "_"))
        if operation is None:
            kind_name = kind.name.lower().replace("_", " ")
            raise UsageError(f"--operation {text} does not exist for a {kind_name}: choose from {', '.join(allowed)}")
        found.append(operation)
    return found


def _convenience(arguments: argparse.Namespace) -> Iterator[tuple[Resource, Operation]]:
    """--producer and --consumer: what a program of that kind needs, as kafka-acls has it."""
    if arguments.operation:
        raise UsageError("--producer and --consumer bring their operations: leave --operation out")
    if arguments.deny_principal:
        raise UsageError("--producer and --consumer are about what is allowed: leave --deny-principal out")
    if not arguments.topic or (arguments.consumer and not arguments.group):
        raise UsageError("--producer needs --topic; --consumer needs --topic and --group")
    if arguments.cluster or (arguments.group and not arguments.consumer):
        raise UsageError("--producer takes --topic and --transactional-id, --consumer takes --topic and --group")
    for resource in _resources(arguments):
        wanted: list[Operation] = []
        match resource[0]:
            case ResourceType.TOPIC:
                wanted += _PRODUCER_ON_TOPIC if arguments.producer else ()
                wanted += _CONSUMER_ON_TOPIC if arguments.consumer else ()
            case ResourceType.GROUP:
                wanted.append(Operation.READ)
            case ResourceType.TRANSACTIONAL_ID:
                if not arguments.producer:
                    raise UsageError("--transactional-id goes with --producer")
                wanted += _PRODUCER_ON_TRANSACTIONAL_ID
        for operation in wanted:
            yield resource, operation
