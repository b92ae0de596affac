"""What every node of a cluster says about transactions, for the failure of a test that waited for one: read, not judged."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable, Iterator

from tests.cluster.stage import ClusterStage
from tests.cluster.transactional_stage import Nodes

_TOLD = (
    "muster_transactional_ids",
    "muster_open_transactions",
    "muster_oldest_transaction",
    "muster_transaction_markers",
)
_NEWEST_LINES = 15


def stall_report(stage: ClusterStage, transactional_id: str) -> str:
    """Leases and owners; of each node the transactional id, all open transactions, the markers that wait, the end of its log."""
    lines = [f"node {node_id}: {row}" for node_id, row in stage.status().items()]
    for node_id in stage.running:
        lines += _of_node(stage, node_id, transactional_id)
    return "\n".join(lines)


def _of_node(stage: ClusterStage, node_id: int, transactional_id: str) -> Iterator[str]:
    node = stage.nodes[node_id]
    nodes = Nodes({node_id: node.port})

    def described() -> str:
        with nodes.client(node_id) as client:
            return f"{client.describe_txns(transactional_id)}; all: {client.list_txns().transaction_states}"

    def metrics() -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{node.metrics_port}/metrics", timeout=2) as reply:
            told = reply.read().decode().splitlines()
        return ", ".join(line for line in told if line.startswith(_TOLD))

    yield f"node {node_id} says of it: {_or_why_not(described)}"
    yield f"node {node_id} counts: {_or_why_not(metrics)}"
    yield f"node {node_id} logged last:"
    yield from node.log.splitlines()[-_NEWEST_LINES:]


def _or_why_not(question: Callable[[], str]) -> str:
    try:
        return question()
    except (OSError, EOFError) as error:
        return repr(error)
