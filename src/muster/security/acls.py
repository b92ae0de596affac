"""One ACL as clients make and list it, the filters that choose among them, and what is wrong with those that cannot be.

Codes and semantics are Kafka's (KIP-140, KIP-290). Knows nothing of where ACLs are kept (`acl_store`) or of how they
decide (`authorizer`). Handlers turn messages into these.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

from muster.security.resources import ANY_CODE, CLUSTER_NAME, Operation, Pattern, Permission, ResourceType
from muster.security.rule import ANY, Rule

_E = TypeVar("_E", bound=IntEnum)


class AclRefused(Exception):
    """An ACL or a filter that cannot be: says which part of it."""


@dataclass(slots=True, frozen=True)
class Acl:
    resource_type: ResourceType
    name: str
    pattern: Pattern
    principal: str
    host: str
    operation: Operation
    permission: Permission

    @property
    def rule(self) -> Rule:
        return Rule(
            self.permission is Permission.DENY,
            self.principal,
            self.host,
            frozenset((self.operation,)),
            self.resource_type,
            self.name,
            self.pattern is Pattern.PREFIXED,
        )

    def __str__(self) -> str:
        kind = self.resource_type.name.lower().replace("_", "-")
        at = "" if self.host == ANY else f" from {self.host}"
        prefix = "prefix " if self.pattern is Pattern.PREFIXED else ""
        return f"{self.permission.name} {self.principal}{at} {self.operation.name} {kind} {prefix}{self.name}"


def acl_from_codes(
    resource_type: int, name: str, pattern: int, principal: str, host: str, operation: int, permission: int
) -> Acl:
    """AclRefused in Kafka's words, in the order in which Kafka looks.

    Deviates: Kafka answers UNKNOWN_SERVER_ERROR for all ACLs of a request of which one says ANY or MATCH; here that one
    is refused with INVALID_REQUEST.
    """
    if resource_type == ResourceType.CLUSTER and name != CLUSTER_NAME:
        raise AclRefused(f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}")
    if not name:
        raise AclRefused("Invalid empty resource name")
    acl = Acl(
        _known(ResourceType, resource_type, "resourceType"),
        name,
        _concrete(pattern),
        principal,
        host,
        _known(Operation, operation, "operation"),
        _known(Permission, permission, "permissionType"),
    )
    if ":" not in principal:
        raise AclRefused(
            f"Could not parse principal from `{principal}` (no colon is present separating the principal type from the "
            "principal name)"
        )
    return acl


def _known(kind: type[_E], code: int, what: str) -> _E:
    try:
        return kind(code)
    except ValueError:
        raise AclRefused(f"Invalid {what} {'ANY' if code == ANY_CODE else 'UNKNOWN'}") from None


def _concrete(code: int) -> Pattern:
    pattern = _pattern(code)
    if pattern is None or pattern in (Pattern.ANY, Pattern.MATCH):
        raise AclRefused(f"Invalid patternType {'UNKNOWN' if pattern is None else pattern.name}")
    return pattern


def _pattern(code: int) -> Pattern | None:
    try:
        return Pattern(code)
    except ValueError:
        return None


@dataclass(slots=True, frozen=True)
class AclFilter:
    """None or ANY: whatever it is. Codes are kept as they came: one that nobody knows matches nothing."""

    resource_type: int = ANY_CODE
    name: str | None = None
    pattern: int = Pattern.ANY
    principal: str | None = None
    host: str | None = None
    operation: int = ANY_CODE
    permission: int = ANY_CODE

    def check(self) -> None:
        """AclRefused if a code is unknown. Kafka looks only before it deletes."""
        known_resources = (ANY_CODE, *ResourceType)
        if self.resource_type not in known_resources or _pattern(self.pattern) is None:
            raise AclRefused("Unknown patternFilter.")
        if self.operation not in (ANY_CODE, *Operation) or self.permission not in (ANY_CODE, *Permission):
            raise AclRefused("Unknown entryFilter.")

    def only(self) -> Acl | None:
        """The one ACL that can match, if everything is said: what most deletions are."""
        try:
            if self.name is not None and self.principal is not None and self.host is not None:
                return Acl(
                    ResourceType(self.resource_type),
                    self.name,
                    _concrete(self.pattern),
                    self.principal,
                    self.host,
                    Operation(self.operation),
                    Permission(self.permission),
                )
        except (ValueError, AclRefused):
            pass
        return None

    def matches(self, acl: Acl) -> bool:
        return (
            self.resource_type in (ANY_CODE, acl.resource_type)
            and self._matches_name(acl)
            and self.principal in (None, acl.principal)
            and self.host in (None, acl.host)
            and self.operation in (ANY_CODE, acl.operation)
            and self.permission in (ANY_CODE, acl.permission)
        )

    def _matches_name(self, acl: Acl) -> bool:
        """KIP-290: MATCH finds every ACL that bears upon the name, the others find the name as it is written."""
        if self.pattern not in (Pattern.ANY, Pattern.MATCH, acl.pattern):
            return False
        if self.name is None:
            return True
        if self.pattern != Pattern.MATCH:
            return self.name == acl.name
        if acl.pattern is Pattern.PREFIXED:
            return self.name.startswith(acl.name)
        return acl.name in (self.name, ANY)
