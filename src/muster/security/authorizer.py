"""May this principal do this? The question, asked by the handlers, and two answers: everybody may, or rules decide.

As in Kafka's own authorizer: a denial beats every permission, a permission to READ, WRITE, DELETE or ALTER is one to DESCRIBE,
ALTER_CONFIGS is one to DESCRIBE_CONFIGS, super users may do everything, and what no rule allows is denied (unless
`allow.everyone.if.no.acl.found`, which opens resources that no rule names). Rules from a file (`rules`) and ACLs (`acl_store`)
count alike; `rule_index` finds those that bear upon a resource.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from muster.security.resources import ALLOWED_BY, OPERATIONS_ON, Operation, ResourceType, bit_field
from muster.security.rule import ANY, ANY_USER, Rule
from muster.security.rule_index import ByPrincipal, RuleIndex

__all__ = ["ANY", "ANY_USER", "AllowAll", "Authorizer", "Rule", "RuleAuthorizer"]

_REMEMBERED_ANSWERS = 10_000
_REMEMBERED_NAME_CHARS = 255
"""Topics and sensible groups have shorter names; longer ones, which a client may invent, are not kept in memory."""
_NAMED_BY_NO_RULE = ""


class Authorizer(Protocol):
    def allows(
        self, principal: str, host: str, operation: Operation, resource_type: ResourceType, resource_name: str
    ) -> bool:
        """`principal` such as `User:alice`; `host` is the client's address, with or without Java's leading slash."""
        ...

    def allows_some(self, principal: str, host: str, operation: Operation, resource_type: ResourceType) -> bool:
        """Whether there is, or could be, a resource of this type with which the principal may do this (KIP-679)."""
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

    def allows_some(self, principal: str, host: str, operation: Operation, resource_type: ResourceType) -> bool:
        return True

    def authorized_operations(self, principal: str, host: str, resource_type: ResourceType, resource_name: str) -> int:
        return bit_field(OPERATIONS_ON[resource_type])


class RuleAuthorizer:
    """Answers are remembered, up to a limit, until the rules change."""

    __slots__ = ("_answers", "_index", "_is_open_without_rules", "_super_users")

    def __init__(
        self,
        rules: Iterable[Rule],
        super_users: frozenset[str] = frozenset(),
        *,
        allow_everyone_if_no_acl_found: bool = False,
    ) -> None:
        self._index = RuleIndex()
        self._super_users = super_users
        self._is_open_without_rules = allow_everyone_if_no_acl_found
        self._answers: dict[tuple[str, str, Operation, ResourceType, str], bool] = {}
        self.change(added=rules)

    def change(self, added: Iterable[Rule] = (), removed: Iterable[Rule] = ()) -> None:
        """In force from the next question on. What is removed must be there."""
        for rule in removed:
            self._index.remove(rule)
        for rule in added:
            self._index.add(rule)
        self._answers.clear()

    def allows(
        self, principal: str, host: str, operation: Operation, resource_type: ResourceType, resource_name: str
    ) -> bool:
        question = (principal, host, operation, resource_type, resource_name)
        answer = self._answers.get(question)
        if answer is None:
            answer = self._decide(*question)
            if len(resource_name) <= _REMEMBERED_NAME_CHARS:
                if len(self._answers) >= _REMEMBERED_ANSWERS:
                    self._answers.clear()
                self._answers[question] = answer
        return answer

    def authorized_operations(self, principal: str, host: str, resource_type: ResourceType, resource_name: str) -> int:
        return bit_field(
            tuple(
                operation
                for operation in OPERATIONS_ON[resource_type]
                if self.allows(principal, host, operation, resource_type, resource_name)
            )
        )

    def allows_some(self, principal: str, host: str, operation: Operation, resource_type: ResourceType) -> bool:
        """As Kafka has it: allowed for all names, or by a rule whose name no denial covers whole."""
        if self.allows(principal, host, operation, resource_type, _NAMED_BY_NO_RULE):
            return True
        wanted = {operation, Operation.ALL}
        about = [
            rule
            for by_principal in self._index.of_type(resource_type)
            for rule in _about(by_principal, principal, host.removeprefix("/"))
            if rule.operations & wanted
        ]
        denied_names = {rule.name for rule in about if rule.is_denial and not rule.is_prefix}
        denied_prefixes = tuple(rule.name for rule in about if rule.is_denial and rule.is_prefix)
        if ANY in denied_names:
            return False
        return any(
            not rule.name.startswith(denied_prefixes) and (rule.is_prefix or rule.name not in denied_names)
            for rule in about
            if not rule.is_denial
        )

    def _decide(
        self, principal: str, host: str, operation: Operation, resource_type: ResourceType, resource_name: str
    ) -> bool:
        if principal in self._super_users:
            return True
        denied_by = {operation, Operation.ALL}
        allowed_by = ALLOWED_BY.get(operation, denied_by)
        is_named = is_allowed = False
        for by_principal in self._index.naming(resource_type, resource_name):
            is_named = True
            for rule in _about(by_principal, principal, host.removeprefix("/")):
                if rule.is_denial:
                    if rule.operations & denied_by:
                        return False
                elif rule.operations & allowed_by:
                    is_allowed = True
        return is_allowed if is_named else self._is_open_without_rules

    def __repr__(self) -> str:
        return f"<RuleAuthorizer {self._index.count} rules, {len(self._super_users)} super users>"


def _about(by_principal: ByPrincipal, principal: str, host: str) -> Iterator[Rule]:
    for who in (principal, ANY_USER):
        for rule in by_principal.get(who, ()):
            if rule.host in (ANY, host):
                yield rule
