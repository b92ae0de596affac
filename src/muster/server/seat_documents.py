"""What a node reads again when another one has changed a shared document, beside the topics."""

from __future__ import annotations

from muster.runtime.cluster_seat import ClusterSeat
from muster.runtime.node import Node


def follow_documents(seat: ClusterSeat, node: Node) -> None:
    def read_users() -> None:  # not before somebody is asked who they are: see Node.users
        node.users.load()

    def read_quotas() -> None:
        node.quotas.reload()

    seat.on_document["group-configs.json"] = node.group_configs.reload
    seat.on_document["users.json"] = read_users
    seat.on_document["quotas.json"] = read_quotas
    if node.acls is not None:
        seat.on_document["acls.json"] = node.acls.reload
