"""Authorization rules as an operator writes them, in TOML. A bad rule is refused with its number, its key and what is allowed.

    "super.users" = "User:admin;User:backup"
    "allow.everyone.if.no.acl.found" = false

    [[allow]]
    principal = "User:alice"            # or "User:*"
    host = "10.0.0.7"                   # the default is "*", any
    operation = ["READ", "DESCRIBE"]    # or one: "ALL"
    resource = "topic"                  # topic, group, cluster, transactional-id
    name = "orders"                     # exactly this one; "*" is all of them; not needed for the cluster

    [[deny]]
    principal = "User:*"
    operation = "DELETE"
    resource = "group"
    prefix = "billing-"                 # every name that starts so

The server reads it once, at start; `authorizer` decides with it, beside the ACLs that clients make.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches

from muster.security.authorizer import RuleAuthorizer
from muster.security.resources import CLUSTER_NAME, OPERATIONS_ON, Operation, ResourceType
from muster.security.rule import ANY, Rule

SUPER_USERS = "super.users"
OPEN_WITHOUT_RULES = "allow.everyone.if.no.acl.found"

_TOP_KEYS = (SUPER_USERS, OPEN_WITHOUT_RULES, "allow", "deny")
_RULE_KEYS = ("principal", "host", "operation", "resource", "name", "prefix")
_RESOURCES = {
    "topic": ResourceType.TOPIC,
    "group": ResourceType.GROUP,
    "cluster": ResourceType.CLUSTER,
    "transactional-id": ResourceType.TRANSACTIONAL_ID,
}


class RuleError(ValueError):
    """The operator's fault: says which rule, which key, and what is allowed there."""


@dataclass(slots=True, frozen=True)
class WrittenRules:
    """What a file says."""

    rules: tuple[Rule, ...] = ()
    super_users: frozenset[str] = frozenset()
    is_open_without_rules: bool = False

    def authorizer(self) -> RuleAuthorizer:
        return RuleAuthorizer(self.rules, self.super_users, allow_everyone_if_no_acl_found=self.is_open_without_rules)


def rules_from_toml(text: str, origin: str = "rules") -> WrittenRules:
    """`origin` names the file in errors."""
    try:
        return _written(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise RuleError(
            f'{origin}: not readable as TOML: {error}. Keys with dots need quotes: "{OPEN_WITHOUT_RULES}" = true'
        ) from None
    except RuleError as error:
        raise RuleError(f"{origin}: {error}") from None


def _written(document: dict[str, object]) -> WrittenRules:
    for key in document:
        if key not in _TOP_KEYS:
            raise RuleError(f"unknown key {key!r}{_suggestion(key, _TOP_KEYS)}; keys with dots need quotes")
    is_open = document.get(OPEN_WITHOUT_RULES, False)
    if not isinstance(is_open, bool):
        raise RuleError(f"{OPEN_WITHOUT_RULES} is {is_open!r}, it must be true or false")
    rules = tuple(
        _rule(entry, f"[[{section}]] rule {number}", is_denial=section == "deny")
        for section in ("deny", "allow")
        for number, entry in enumerate(_entries(document, section), start=1)
    )
    return WrittenRules(rules, _super_users(document), is_open)


def _entries(document: dict[str, object], section: str) -> list[object]:
    entries = document.get(section, [])
    if not isinstance(entries, list):
        raise RuleError(f"{section!r} must be written as [[{section}]], with two brackets, once for each rule")
    return entries


def _super_users(document: dict[str, object]) -> frozenset[str]:
    text = document.get(SUPER_USERS, "")
    if not isinstance(text, str):
        raise RuleError(f'{SUPER_USERS} is {text!r}, it must be text such as "User:admin;User:backup"')
    return super_users_from(text)


def super_users_from(text: str) -> frozenset[str]:
    """Principals with semicolons between them, as Kafka's setting has them: a name may hold a comma."""
    users = [user.strip() for user in text.split(";") if user.strip()]
    return frozenset(_principal(user, SUPER_USERS) for user in users)


def _rule(entry: object, where: str, *, is_denial: bool) -> Rule:
    if not isinstance(entry, dict):
        raise RuleError(f"{where} is {entry!r}, it must be a table with the keys {', '.join(_RULE_KEYS)}")
    for key in entry:
        if key not in _RULE_KEYS:
            raise RuleError(f"{where}: unknown key {key!r}{_suggestion(key, _RULE_KEYS)}")
    resource_type = _resource_type(entry, where)
    name, is_prefix = _name(entry, where, resource_type)
    return Rule(
        is_denial=is_denial,
        principal=_principal(_text(entry, "principal", where), f"{where}: principal"),
        host=_text(entry, "host", where) if "host" in entry else ANY,
        operations=_operations(entry, where, resource_type),
        resource_type=resource_type,
        name=name,
        is_prefix=is_prefix,
    )


def _resource_type(entry: dict[str, object], where: str) -> ResourceType:
    text = _text(entry, "resource", where)
    found = _RESOURCES.get(text.lower().replace("_", "-"))
    if found is None:
        raise RuleError(f"{where}: resource is {text!r}, it must be one of {', '.join(_RESOURCES)}")
    return found


def _name(entry: dict[str, object], where: str, resource_type: ResourceType) -> tuple[str, bool]:
    if "name" in entry and "prefix" in entry:
        raise RuleError(f"{where}: has both name and prefix, it must have one of them")
    if "prefix" in entry:
        return _text(entry, "prefix", where), True
    if "name" in entry:
        return _text(entry, "name", where), False
    if resource_type is ResourceType.CLUSTER:
        return CLUSTER_NAME, False
    raise RuleError(f"{where}: needs name (exactly one, or {ANY!r} for all) or prefix (all that start so)")


def _operations(entry: dict[str, object], where: str, resource_type: ResourceType) -> frozenset[Operation]:
    if "operation" not in entry:
        raise RuleError(f'{where}: operation is missing, it must be text or a list such as ["READ", "WRITE"]')
    given = entry["operation"]
    allowed = {operation.name: operation for operation in (*OPERATIONS_ON[resource_type], Operation.ALL)}
    operations = set()
    for name in given if isinstance(given, list) else [given]:
        if not isinstance(name, str):
            raise RuleError(f'{where}: operation is {given!r}, it must be text or a list such as ["READ", "WRITE"]')
        operation = allowed.get(name.upper().replace("-", "_"))
        if operation is None:
            raise RuleError(
                f"{where}: operation {name!r} does not exist for resource {resource_type.name.lower()}, "
                f"it must be one of {', '.join(allowed)}"
            )
        operations.add(operation)
    if not operations:
        raise RuleError(f"{where}: operation is an empty list, it must name at least one of {', '.join(allowed)}")
    return frozenset(operations)


def _principal(text: str, where: str) -> str:
    kind, colon, name = text.partition(":")
    if not colon or not kind or not name:
        raise RuleError(f"{where} is {text!r}, it must be a type and a name such as 'User:alice' or 'User:*'")
    return text


def _text(entry: dict[str, object], key: str, where: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value:
        problem = "is missing" if key not in entry else f"is {value!r}"
        raise RuleError(f"{where}: {key} {problem}, it must be a text that is not empty")
    return value


def _suggestion(key: str, allowed: tuple[str, ...]) -> str:
    close = get_close_matches(key, allowed, n=1)
    return f" (did you mean {close[0]!r}?)" if close else f", allowed are {', '.join(allowed)}"
