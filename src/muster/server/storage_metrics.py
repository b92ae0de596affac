"""What storage tells the metrics page: partitions whose logs cannot be used, records and events that were passed over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from muster.runtime.metrics import SAMPLES_A_PIECE, Metric

if TYPE_CHECKING:
    from muster.runtime.node import Node


def storage_metrics(node: Node) -> Iterator[Metric | None]:
    """None between metrics: others may be served, and may change what is counted."""
    offline = 0
    for number, partition in enumerate(node.broker.catalog.partitions(), start=1):
        offline += partition.is_offline
        if not number % SAMPLES_A_PIECE:
            yield None
    yield Metric(
        "muster_offline_partitions",
        "gauge",
        "Partitions of this node whose log is damaged or cannot be read.",
        (({}, float(offline)),),
    )
    yield Metric(
        "muster_undecodable_records_total",
        "counter",
        "Records of __consumer_offsets that cannot be decoded and were skipped when their partition was loaded.",
        (({}, float(node.coordinator.undecodable_records)),),
    )
    yield Metric(
        "muster_journal_events_lost_total",
        "counter",
        "Events of groups that could not be written to __group_journal.",
        (({}, float(node.journal.dropped)),),
    )
