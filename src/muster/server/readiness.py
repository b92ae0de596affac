"""Whether a server may be sent clients: `/readyz` on the metrics address, for a load balancer or Kubernetes.

`/healthz` needs nothing of this: a process that answers it is alive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.runtime.coordinator_shards import ShardState

if TYPE_CHECKING:
    from muster.runtime.node import Node


def reasons_not_ready(node: Node, *, is_accepting: bool) -> list[str]:
    """Empty if clients are served: it listens, and no coordinator partition of this node is still being loaded."""
    reasons = [] if is_accepting else ["it starts or stops: no client is accepted"]
    for topic, coordinator in node.coordinators.items():
        loading = sum(place.state is ShardState.LOADING for place in coordinator.places.values())
        if loading:
            reasons.append(f"{loading} {'partition' if loading == 1 else 'partitions'} of {topic} still to be loaded")
    return reasons
