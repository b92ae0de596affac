"""May the one who calls do this? The authorizer's question in the words of the handlers (spec 9), and the audit of the answers.

A denial is told to the audit, unless it is asked `quietly`: where a missing right only leaves something out of an answer, or
where another right will do as well. Kafka draws the same line between what it logs and what it does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muster.security.audit import Asked
from muster.security.authorizer import AllowAll
from muster.security.resources import CLUSTER_NAME, Operation, ResourceType
from muster.security.sasl import is_node

_ALLOW_ALL: Final = AllowAll
_GROUP: Final = ResourceType.GROUP
_TOPIC: Final = ResourceType.TOPIC

if TYPE_CHECKING:
    from muster.runtime.node import Node
    from muster.server.call import Call


def authorize_group(call: Call, node: Node, operation: Operation, group_id: str, *, quietly: bool = False) -> bool:
    authorizer = node.authorizer
    # The usual case first: asking somebody who always says yes takes longer than the rest of a heartbeat's handler.
    if type(authorizer) is _ALLOW_ALL or authorizer.allows(call.principal, call.host, operation, _GROUP, group_id):
        return True
    return _no(call, node, operation, ResourceType.GROUP, group_id, quietly)


def authorize_topic(call: Call, node: Node, operation: Operation, topic: str, *, quietly: bool = False) -> bool:
    authorizer = node.authorizer
    if type(authorizer) is _ALLOW_ALL or authorizer.allows(call.principal, call.host, operation, _TOPIC, topic):
        return True
    return _no(call, node, operation, ResourceType.TOPIC, topic, quietly)


def authorize_cluster(call: Call, node: Node, operation: Operation, *, quietly: bool = False) -> bool:
    if operation is Operation.CLUSTER_ACTION and is_node(call.principal):
        return True  # nodes need no ACL for what nodes ask of each other, and have no other right by that
    if node.authorizer.allows(call.principal, call.host, operation, ResourceType.CLUSTER, CLUSTER_NAME):
        return True
    return _no(call, node, operation, ResourceType.CLUSTER, CLUSTER_NAME, quietly)


def may_use_transactional_id(
    call: Call, node: Node, operation: Operation, transactional_id: str, *, quietly: bool = False
) -> bool:
    authorizer = node.authorizer
    if type(authorizer) is _ALLOW_ALL or authorizer.allows(
        call.principal, call.host, operation, ResourceType.TRANSACTIONAL_ID, transactional_id
    ):
        return True
    return _no(call, node, operation, ResourceType.TRANSACTIONAL_ID, transactional_id, quietly)


def may_write_some_topic(call: Call, node: Node) -> bool:
    """KIP-679. Quiet: there is no topic to name; who may not even this is denied IDEMPOTENT_WRITE."""
    return node.authorizer.allows_some(call.principal, call.host, Operation.WRITE, ResourceType.TOPIC)


def operations_on(call: Call, node: Node, resource_type: ResourceType, name: str) -> int:
    """What the one who calls may do with this, as the bit field that several APIs show (spec 3.13)."""
    return node.authorizer.authorized_operations(call.principal, call.host, resource_type, name)


def tell_change(call: Call, node: Node, what: str) -> None:
    """The audit of an allowed change, after it was made: `what` has a verb and names, no values and no secrets."""
    node.audit.changed(_asked(call), what)


def tell_group_change(call: Call, node: Node, what: str) -> None:
    """The same for changes that the right to read a group is enough for: so many lines in an interval, then none."""
    node.audit.group_changed(_asked(call), what)


def _no(call: Call, node: Node, operation: Operation, resource_type: ResourceType, name: str, quietly: bool) -> bool:
    if not quietly:
        node.audit.denied(_asked(call), operation, resource_type, name)
    return False


def _asked(call: Call) -> Asked:
    return Asked(call.principal, call.host, call.route.name, call.client_id)
