"""Which cluster and node a data directory belongs to: `meta.properties`, as Kafka writes it.

A directory that says another cluster or node than the operator does is somebody else's: it is refused, not rewritten.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final, Protocol

from muster.topics.config_types import ConfigError
from muster.wire.late_dataclass import dataclass

DOCUMENT: Final = "meta.properties"


class Documents(Protocol):
    """The part of a log store that is needed here."""

    def read_document(self, name: str) -> bytes | None: ...

    def write_document(self, name: str, content: bytes) -> None: ...


@dataclass(slots=True, frozen=True)
class Identity:
    cluster_id: str
    node_id: int


def claim(documents: Documents, node_id: int, cluster_id: str, new_id: Callable[[], str]) -> Identity:
    """Check the directory's identity against the operator's, or write it. An empty `cluster_id` takes what is there."""
    content = documents.read_document(DOCUMENT)
    if content is None:
        identity = Identity(cluster_id or new_id(), node_id)
        documents.write_document(DOCUMENT, _encode(identity, new_id()))
        return identity
    properties = _decode(content)
    kept_cluster = properties.get("cluster.id")
    if not kept_cluster:
        raise ConfigError(f"{DOCUMENT} in the data directory has no cluster.id: it is damaged or not Kafka's")
    if cluster_id and cluster_id != kept_cluster:
        raise ConfigError(
            f"the data directory belongs to cluster {kept_cluster}, not to {cluster_id}:"
            " use another directory (--data) or leave --cluster-id out"
        )
    kept_node = properties.get("node.id", properties.get("broker.id", str(node_id)))
    if kept_node != str(node_id):
        raise ConfigError(
            f"the data directory belongs to node {kept_node}, not to {node_id}:"
            f" use another directory (--data) or --node-id {kept_node}"
        )
    return Identity(kept_cluster, node_id)


def _encode(identity: Identity, directory_id: str) -> bytes:
    lines = (
        f"cluster.id={identity.cluster_id}",
        f"directory.id={directory_id}",
        f"node.id={identity.node_id}",
        "version=1",
    )
    return ("\n".join(lines) + "\n").encode()


def _decode(content: bytes) -> dict[str, str]:
    properties = {}
    for line in content.decode("utf-8", "replace").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith(("#", "!")):
            properties[name.strip()] = value.strip()
    return properties


def random_id() -> str:
    """A random id in the text form that Kafka uses: 22 characters of URL-safe base64, not beginning with `-`."""
    import base64

    while True:
        text = base64.urlsafe_b64encode(_random_uuid()).decode().rstrip("=")
        if not text.startswith("-"):
            return text


def random_uuid_text() -> str:
    """As `str(uuid.uuid4())`, of which every new member id ends in one. Not with `uuid`: that takes 2 ms to import."""
    text = _random_uuid().hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _random_uuid() -> bytes:
    """RFC 9562, version 4."""
    octets = bytearray(os.urandom(16))
    octets[6] = octets[6] & 0x0F | 0x40
    octets[8] = octets[8] & 0x3F | 0x80
    return bytes(octets)
