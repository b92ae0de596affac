"""Which ACLs a filter finds (KIP-140, KIP-290), and which ACLs cannot be. What Kafka answers word for word: conformance scripts."""

from __future__ import annotations

import pytest

from muster.security.acls import Acl, AclFilter, AclRefused, acl_from_codes
from muster.security.resources import Operation, Pattern, Permission, ResourceType

LITERAL = Acl(ResourceType.TOPIC, "orders", Pattern.LITERAL, "User:a", "*", Operation.READ, Permission.ALLOW)
PREFIX = Acl(ResourceType.TOPIC, "ord", Pattern.PREFIXED, "User:b", "10.0.0.1", Operation.ALL, Permission.DENY)
WILDCARD = Acl(ResourceType.TOPIC, "*", Pattern.LITERAL, "User:*", "*", Operation.DESCRIBE, Permission.ALLOW)
GROUP = Acl(ResourceType.GROUP, "orders", Pattern.LITERAL, "User:a", "*", Operation.READ, Permission.ALLOW)
ALL = (LITERAL, PREFIX, WILDCARD, GROUP)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (AclFilter(), ALL),
        (AclFilter(resource_type=ResourceType.TOPIC), (LITERAL, PREFIX, WILDCARD)),
        (AclFilter(name="orders"), (LITERAL, GROUP)),
        (AclFilter(name="ord"), (PREFIX,)),
        (AclFilter(name="ord", pattern=Pattern.LITERAL), ()),
        (AclFilter(name="ord", pattern=Pattern.PREFIXED), (PREFIX,)),
        (AclFilter(name="orders", pattern=Pattern.MATCH), (LITERAL, PREFIX, WILDCARD, GROUP)),
        (AclFilter(resource_type=ResourceType.TOPIC, name="x", pattern=Pattern.MATCH), (WILDCARD,)),
        (AclFilter(name="*", pattern=Pattern.LITERAL), (WILDCARD,)),
        (AclFilter(pattern=Pattern.PREFIXED), (PREFIX,)),
        (AclFilter(principal="User:a"), (LITERAL, GROUP)),
        (AclFilter(principal="User:*"), (WILDCARD,)),
        (AclFilter(host="10.0.0.1"), (PREFIX,)),
        (AclFilter(host="*"), (LITERAL, WILDCARD, GROUP)),
        (AclFilter(operation=Operation.ALL), (PREFIX,)),
        (AclFilter(permission=Permission.DENY), (PREFIX,)),
        (AclFilter(resource_type=77), ()),
        (AclFilter(operation=77), ()),
    ],
)
def test_a_filter_finds_what_it_names(wanted: AclFilter, found: tuple[Acl, ...]) -> None:
    """MATCH finds what bears upon the name; every other pattern finds the name as it is written."""
    assert tuple(acl for acl in ALL if wanted.matches(acl)) == found


@pytest.mark.parametrize(
    "wanted",
    [AclFilter(resource_type=77), AclFilter(pattern=9), AclFilter(operation=77), AclFilter(permission=4)],
)
def test_a_filter_with_a_code_that_nobody_knows_is_refused_before_deleting(wanted: AclFilter) -> None:
    with pytest.raises(AclRefused, match="Unknown"):
        wanted.check()
    AclFilter().check()


def test_an_acl_from_its_codes_and_one_line_for_people() -> None:
    acl = acl_from_codes(3, "billing-", 4, "User:a", "10.0.0.1", 3, 2)
    assert str(acl) == "DENY User:a from 10.0.0.1 READ group prefix billing-"
    assert str(acl_from_codes(5, "tx", 3, "User:a", "*", 4, 3)) == "ALLOW User:a WRITE transactional-id tx"


def test_the_cluster_has_one_name() -> None:
    with pytest.raises(AclRefused, match="kafka-cluster"):
        acl_from_codes(4, "my-cluster", 3, "User:a", "*", 7, 3)
    assert acl_from_codes(4, "kafka-cluster", 3, "User:a", "*", 7, 3).resource_type is ResourceType.CLUSTER
