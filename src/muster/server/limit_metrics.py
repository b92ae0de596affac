"""What quotas and limits tell the metrics page: who was slowed down, turned away or refused, and by what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from muster.runtime.metrics import SAMPLES_A_PIECE, Metric

if TYPE_CHECKING:
    from muster.runtime.node import Node
    from muster.server.listener import Listener

_QUOTAS = ("produce", "fetch", "request_time", "requests", "address_requests", "mutations")


def limit_metrics(listener: Listener, node: Node) -> Iterator[Metric | None]:
    """None between metrics: others may be served, and may change what is counted."""
    throttling, admission = listener.throttling, listener.admission
    throttled = dict.fromkeys(_QUOTAS, 0) if throttling is None else throttling.throttled
    yield Metric(
        "muster_throttled_requests_total",
        "counter",
        "Replies after which the connection was muted, by the quota that asked for the longest time.",
        tuple(({"quota": name}, float(count)) for name, count in throttled.items()),
    )
    for name, meaning, value in (
        ("throttle_time_ms", "Throttle times, summed up.", throttling.throttled_ms if throttling else 0),
        (
            "refused_mutations",
            "Topics that were not made, deleted or enlarged because of controller_mutation_rate.",
            throttling.mutations_refused if throttling else 0,
        ),
        (
            "connections_over_address_limit",
            "Connections closed because of max.connections.per.ip.",
            admission.over_address_limit,
        ),
        (
            "connections_over_address_rate",
            "Connections closed because of the connection_creation_rate of their address.",
            admission.over_address_rate,
        ),
        (
            "connections_kept_waiting",
            "Connections served late because of max.connection.creation.rate.",
            admission.kept_waiting,
        ),
        (
            "requests_crowded_out",
            "Connections closed in the middle of a request, because others waited for queued.max.request.bytes.",
            listener.request_budget.crowded_out + listener.newcomer_budget.crowded_out,
        ),
    ):
        yield Metric(f"muster_{name}_total", "counter", meaning, (({}, float(value)),))
    muted = 0
    for number, connection in enumerate(list(listener.connections), start=1):
        muted += connection.is_muted
        if not number % SAMPLES_A_PIECE:
            yield None
    yield Metric("muster_muted_connections", "gauge", "Connections that are muted now.", (({}, float(muted)),))
    held = listener.request_budget.used + listener.newcomer_budget.used
    yield Metric(
        "muster_request_bytes_held", "gauge", "Bytes of large requests that are held now.", (({}, float(held)),)
    )
    yield from holding_metrics(node)


_HOLDINGS = ("groups", "members", "offsets", "parked_joins", "transactional_ids")


def holding_metrics(node: Node) -> Iterator[Metric]:
    refused = {} if node.principal_usage is None else dict(node.principal_usage.refused)
    if node.transactional_id_usage is not None:
        refused["transactional_ids"] = node.transactional_id_usage.refused
    yield Metric(
        "muster_limit_refusals_total",
        "counter",
        "Requests refused because their principal would hold too much, by what it would be.",
        tuple(({"limit": name}, float(refused.get(name, 0))) for name in _HOLDINGS),
    )
