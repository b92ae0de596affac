"""What rules allow. The semantics are those of Kafka's own authorizer (spec 9)."""

from __future__ import annotations

import pytest

from muster.security.authorizer import AllowAll, Authorizer
from muster.security.resources import CLUSTER_NAME, Operation, ResourceType
from muster.security.rules import rules_from_toml

ALICE = "User:alice"
HOST = "10.0.0.7"
GROUP = ResourceType.GROUP
TOPIC = ResourceType.TOPIC


def rules(*sections: str) -> Authorizer:
    return rules_from_toml("\n".join(sections)).authorizer()


def allow(operation: str, where: str, who: str = ALICE) -> str:
    return f'[[allow]]\nprincipal = "{who}"\noperation = "{operation}"\n{where}\n'


def deny(operation: str, where: str, who: str = ALICE) -> str:
    return allow(operation, where, who).replace("[[allow]]", "[[deny]]")


ORDERS = 'resource = "group"\nname = "orders"'
ALL_GROUPS = 'resource = "group"\nname = "*"'


def test_without_rules_for_a_resource_it_is_denied() -> None:
    """Kafka's default: `allow.everyone.if.no.acl.found` is false."""
    authorizer = rules(allow("ALL", ORDERS))
    assert authorizer.allows(ALICE, HOST, Operation.READ, GROUP, "orders")
    assert not authorizer.allows(ALICE, HOST, Operation.READ, GROUP, "other")
    assert not authorizer.allows("User:bob", HOST, Operation.READ, GROUP, "orders")
    assert not authorizer.allows(ALICE, HOST, Operation.READ, TOPIC, "orders")


def test_no_rules_at_all_denies_everything() -> None:
    assert not rules("").allows(ALICE, HOST, Operation.DESCRIBE, GROUP, "orders")


def test_open_without_rules_opens_only_resources_that_no_rule_names() -> None:
    authorizer = rules('"allow.everyone.if.no.acl.found" = true', allow("READ", ORDERS, "User:bob"))
    assert authorizer.allows(ALICE, HOST, Operation.READ, GROUP, "unnamed")
    assert not authorizer.allows(ALICE, HOST, Operation.READ, GROUP, "orders")


def test_a_denial_beats_every_permission_in_whatever_order() -> None:
    for sections in (
        (allow("ALL", ALL_GROUPS), deny("READ", ORDERS)),
        (deny("READ", ORDERS), allow("ALL", ALL_GROUPS)),
    ):
        authorizer = rules(*sections)
        assert not authorizer.allows(ALICE, HOST, Operation.READ, GROUP, "orders")
        assert authorizer.allows(ALICE, HOST, Operation.DELETE, GROUP, "orders")
        assert authorizer.allows(ALICE, HOST, Operation.READ, GROUP, "other")


def test_denying_all_operations_denies_each_one() -> None:
    authorizer = rules(allow("READ", ORDERS), deny("ALL", ALL_GROUPS))
    assert not authorizer.allows(ALICE, HOST, Operation.READ, GROUP, "orders")
    assert authorizer.authorized_operations(ALICE, HOST, GROUP, "orders") == 0


def test_denying_read_does_not_deny_describe() -> None:
    """Implication works for permissions only."""
    authorizer = rules(allow("DELETE", ORDERS), deny("READ", ORDERS))
    assert authorizer.allows(ALICE, HOST, Operation.DESCRIBE, GROUP, "orders")


@pytest.mark.parametrize("operation", ["READ", "WRITE", "DELETE", "ALTER"])
def test_permission_to_touch_a_topic_implies_describe(operation: str) -> None:
    authorizer = rules(allow(operation, 'resource = "topic"\nname = "t"'))
    assert authorizer.allows(ALICE, HOST, Operation.DESCRIBE, TOPIC, "t")
    assert not authorizer.allows(ALICE, HOST, Operation.DESCRIBE_CONFIGS, TOPIC, "t")


def test_create_implies_nothing_and_alter_configs_implies_describe_configs() -> None:
    created = rules(allow("CREATE", 'resource = "topic"\nname = "t"'))
    assert not created.allows(ALICE, HOST, Operation.DESCRIBE, TOPIC, "t")
    configured = rules(allow("ALTER_CONFIGS", 'resource = "topic"\nname = "t"'))
    assert configured.allows(ALICE, HOST, Operation.DESCRIBE_CONFIGS, TOPIC, "t")
    assert not configured.allows(ALICE, HOST, Operation.DESCRIBE, TOPIC, "t")


def test_a_prefix_names_everything_that_starts_so() -> None:
    authorizer = rules(allow("READ", 'resource = "topic"\nprefix = "billing-"'))
    assert authorizer.allows(ALICE, HOST, Operation.READ, TOPIC, "billing-2024")
    assert authorizer.allows(ALICE, HOST, Operation.READ, TOPIC, "billing-")
    assert not authorizer.allows(ALICE, HOST, Operation.READ, TOPIC, "billing")


def test_a_literal_name_is_no_prefix() -> None:
    authorizer = rules(allow("READ", ORDERS))
    assert not authorizer.allows(ALICE, HOST, Operation.READ, GROUP, "orders-2")


def test_every_user_and_one_host() -> None:
    authorizer = rules(allow("READ", ORDERS + f'\nhost = "{HOST}"', "User:*"))
    assert authorizer.allows("User:anybody", HOST, Operation.READ, GROUP, "orders")
    assert authorizer.allows("User:anybody", "/" + HOST, Operation.READ, GROUP, "orders")
    assert not authorizer.allows("User:anybody", "10.0.0.8", Operation.READ, GROUP, "orders")


def test_super_users_may_do_what_is_denied() -> None:
    authorizer = rules('"super.users" = "User:admin; User:ops"', deny("ALL", ALL_GROUPS, "User:*"))
    assert authorizer.allows("User:ops", HOST, Operation.DELETE, GROUP, "orders")
    assert not authorizer.allows(ALICE, HOST, Operation.DELETE, GROUP, "orders")


def test_the_cluster_needs_no_name() -> None:
    authorizer = rules(allow("DESCRIBE", 'resource = "cluster"'))
    assert authorizer.allows(ALICE, HOST, Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME)


@pytest.mark.parametrize(("operation", "bits"), [("ALL", 3400), ("READ", 264), ("DESCRIBE", 256), ("DELETE", 64 + 256)])
def test_operations_on_a_group_as_a_bit_field(operation: str, bits: int) -> None:
    """Spec 3.13 and 9: observed on 4.3.1."""
    assert rules(allow(operation, ORDERS)).authorized_operations(ALICE, HOST, GROUP, "orders") == bits


def test_allow_all_shows_all_operations_of_each_type() -> None:
    everybody = AllowAll()
    assert everybody.allows(ALICE, HOST, Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME)
    assert everybody.authorized_operations(ALICE, HOST, GROUP, "g") == 3400
    assert everybody.authorized_operations(ALICE, HOST, TOPIC, "t") == 3576


def test_answers_stay_right_when_more_are_asked_than_are_remembered() -> None:
    authorizer = rules(allow("READ", 'resource = "topic"\nprefix = "a"'))
    for number in range(10_050):
        assert authorizer.allows(ALICE, HOST, Operation.READ, TOPIC, f"a{number}")
        assert not authorizer.allows(ALICE, HOST, Operation.READ, TOPIC, f"b{number}")
