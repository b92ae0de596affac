"""May this principal do this? The question, asked by the handlers, and two answers: everybody may, or rules decide.

As in Kafka's own authorizer: a denial beats every permission, a permission to READ, WRITE, DELETE or ALTER is one to DESCRIBE,
ALTER_CONFIGS is one to DESCRIBE_CONFIGS, super users may do everything, and what no rule allows is denied (unless
`allow.everyone.if.no.acl.found`, which opens resources that no rule names). Where rules come from is `rules`' business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from muster.security.resources import ALLOWED_BY, OPERATIONS_ON, Operation, ResourceType, bit_field

ANY = "*"
ANY_USER = "User:*"
_REMEMBERED_ANSWERS = 10_000


class Authorizer(Protocol):
    def allows(
        self, principal: str, host: str, operation: Operation, resource_type: ResourceType, resource_name: str
    ) -> bool:
        """`principal` such as `User:alice`; `host` is the client's address, with or without Java's leading slash."""
        ...

    def authorized_operations(self, principal: str, host: str, resource_type: ResourceType, resource_name: str) -> int:
        """The bit field that DescribeGroups, Metadata and DescribeCluster show (spec 3.13)."""
        ...


class AllowAll:
    """No authorizer configured: everybody may do everything."""

    __slots__ = ()

    def allows(
        self, principal: str, host: str, operation: Operation, resource_type: ResourceType, resource_name: str
    ) -> bool:
        return True

    def authorized_operations(self, principal: str, host: str, resource_type: ResourceType, resource_name: str) -> int:
        return bit_field(OPERATIONS_ON[resource_type])


@dataclass(slots=True, frozen=True)
class Rule:
    """One permission or denial. `*` as principal (`User:*`), host or literal name stands for all of them."""

    is_denial: bool
    principal: str
    host: str
    operations: frozenset[Operation]
    resource_type: ResourceType
    name: str
    is_prefix: bool = False

    def names(self, resource_type: ResourceType, resource_name: str) -> bool:
        if resource_type != self.resource_type:
            return False
        if self.is_prefix:
            return resource_name.startswith(self.name)
        return self.name in (ANY, resource_name)

    def is_about(self, principal: str, host: str) -> bool:
        return self.principal in (ANY_USER, principal) and self.host in (ANY, host)


class RuleAuthorizer:
    """Rules do not change while it lives, so answers are remembered, up to a limit."""

    __slots__ = ("_answers", "_is_open_without_rules", "_rules", "_super_users")

    def __init__(
        self,
        rules: Sequence[Rule],
        super_users: frozenset[str] = frozenset(),
        *,
        allow_everyone_if_no_acl_found: bool = False,
    ) -> None:
        self._rules = tuple(rules)
        self._super_users = super_users
        self._is_open_without_rules = allow_everyone_if_no_acl_found
        self._answers: dict[tuple[str, str, Operation, ResourceType, str], bool] = {}

    def allows(
        self, principal: str, host: str, operation: Operation, resource_type: ResourceType, resource_name: str
    ) -> bool:
        question = (principal, host, operation, resource_type, resource_name)
        answer = self._answers.get(question)
        if answer is None:
            if len(self._answers) >= _REMEMBERED_ANSWERS:
                self._answers.clear()
            answer = self._answers[question] = self._decide(*question)
        return answer

    def authorized_operations(self, principal: str, host: str, resource_type: ResourceType, resource_name: str) -> int:
        return bit_field(
            tuple(
                operation
                for operation in OPERATIONS_ON[resource_type]
                if self.allows(principal, host, operation, resource_type, resource_name)
            )
        )

    def _decide(
        self, principal: str, host: str, operation: Operation, resource_type: ResourceType, resource_name: str
    ) -> bool:
        if principal in self._super_users:
            return True
        naming = [rule for rule in self._rules if rule.names(resource_type, resource_name)]
        if not naming:
            return self._is_open_without_rules
        about = [rule for rule in naming if rule.is_about(principal, host.removeprefix("/"))]
        denied_by = {operation, Operation.ALL}
        if any(rule.is_denial and rule.operations & denied_by for rule in about):
            return False
        allowed_by = ALLOWED_BY.get(operation, denied_by)
        return any(not rule.is_denial and rule.operations & allowed_by for rule in about)

    def __repr__(self) -> str:
        return f"<RuleAuthorizer {len(self._rules)} rules, {len(self._super_users)} super users>"
