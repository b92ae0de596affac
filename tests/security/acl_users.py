"""Three users of a server with ACLs.

`admin` is a super user, `alice` may read `orders` in the group `billing`, `bob` may do nothing.
"""

from __future__ import annotations

from muster.client.security import Security
from muster.security.acls import Acl
from muster.security.resources import Operation, Pattern, Permission, ResourceType

PASSWORDS = {"admin": "a-secret", "alice": "b-secret", "bob": "c-secret"}
SETTINGS = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:admin",
    "offsets.topic.num.partitions": "1",
}
ALICE_MAY = [
    Acl(kind, name, Pattern.LITERAL, "User:alice", "*", Operation.READ, Permission.ALLOW)
    for kind, name in ((ResourceType.TOPIC, "orders"), (ResourceType.GROUP, "billing"))
]


def security_of(user: str) -> Security:
    """What one of them talks to the server with, through `muster.client`."""
    return Security(protocol="SASL_PLAINTEXT", mechanism="SCRAM-SHA-512", username=user, password=PASSWORDS[user])
