"""From settings and store to who decides: Kafka's authorizer with ACLs, a file of rules, both, or nobody.

| `authorizer.class.name` | `muster.rules` | decides | ACL APIs |
|---|---|---|---|
| not set | not set | everything is allowed | SECURITY_DISABLED, as Kafka says without an authorizer |
| not set | a file | its rules | SECURITY_DISABLED |
| Kafka's | not set | ACLs | served |
| Kafka's | a file | ACLs and rules, alike | served; the file's rules are neither listed nor deleted |
"""

from __future__ import annotations

from muster.log.contract import LogStore
from muster.security.acl_store import AclStore
from muster.security.authorizer import RuleAuthorizer
from muster.security.rules import SUPER_USERS, RuleError, WrittenRules, rules_from_toml, super_users_from
from muster.server.settings import Settings
from muster.topics.config_types import ConfigError


def authorization_from(settings: Settings, store: LogStore) -> tuple[RuleAuthorizer, AclStore | None]:
    """If one of the two is set. ConfigError for what the operator wrote, StorageError for what the store cannot give."""
    path = settings.string("muster.rules")
    written = _read_rules(path) if path else WrittenRules()
    try:
        super_users = super_users_from(settings.string(SUPER_USERS))
    except RuleError as error:
        raise ConfigError(f"{settings.origin(SUPER_USERS)}: {error}") from None
    authorizer = RuleAuthorizer(
        written.rules,
        written.super_users | super_users,
        allow_everyone_if_no_acl_found=(
            written.is_open_without_rules or settings.boolean("allow.everyone.if.no.acl.found")
        ),
    )
    return authorizer, AclStore(store, authorizer) if settings.string("authorizer.class.name") else None


def _read_rules(path: str) -> WrittenRules:
    try:
        with open(path, encoding="utf-8") as file:
            return rules_from_toml(file.read(), path)
    except OSError as error:
        raise ConfigError(f"muster.rules: cannot read {path}: {error.strerror}") from None
    except (RuleError, UnicodeDecodeError) as error:
        raise ConfigError(f"muster.rules: {error}") from None
