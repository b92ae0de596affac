"""Committed offsets and lag for the metrics page, by group, topic and partition, as far as there is room for so many series.

Nothing is kept for this: a scrape reads the committed offsets and the ends of the logs that this node leads. An end that is not
here gives no lag: what is unknown must not look like zero. With more offsets than `muster.metrics.max.offsets` none is shown,
so that a scrape takes neither the loop's time nor a Prometheus server's memory; the gauge of hidden offsets says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from muster.runtime.metrics import Metric, plain

if TYPE_CHECKING:
    from muster.core.shard import Shard
    from muster.runtime.node import Node

Samples = list[tuple[dict[str, str], float]]


def group_offset_metrics(node: Node, max_offsets: int, now_ms: int) -> Iterator[Metric]:
    shards = node.coordinator.shards()
    count = sum(shard.offsets.count for shard in shards)
    is_shown = count <= max_offsets
    hidden = "Committed offsets that are not shown below, because there are more than muster.metrics.max.offsets."
    yield plain("hidden_offsets", "gauge", hidden, 0 if is_shown else count)
    if is_shown:
        yield from _offsets(node, shards, now_ms)


def _offsets(node: Node, shards: list[Shard], now_ms: int) -> Iterator[Metric]:
    committed: Samples = []
    lag: Samples = []
    lag_of_groups: dict[str, float] = {}
    unknown: dict[str, int] = {}
    committed_ms: dict[str, int] = {}
    for shard in shards:
        for group, topic, partition, stored in shard.offsets:
            labels = {"group": group, "topic": topic, "partition": str(partition)}
            committed.append((labels, float(stored.offset)))
            committed_ms[group] = max(committed_ms.get(group, 0), stored.committed_ms)
            end = _end_of(node, topic, partition)
            unknown[group] = unknown.get(group, 0) + (end is None)
            if end is not None:
                behind = float(max(0, end - stored.offset))
                lag.append((labels, behind))
                lag_of_groups[group] = lag_of_groups.get(group, 0.0) + behind
    yield _gauge("group_committed_offset", "The committed offset of a group.", committed)
    yield _gauge("group_lag", "Records behind the committed offset, where this node leads the partition.", lag)
    sums: Samples = [({"group": group}, value) for group, value in lag_of_groups.items()]
    yield _gauge("group_total_lag", "The lag of a group in all partitions that this node leads.", sums)
    gaps: Samples = [({"group": group}, float(partitions)) for group, partitions in unknown.items()]
    yield _gauge(
        "group_unknown_lag", "Committed partitions of a group that are not in its lag: no end is known here.", gaps
    )
    ages: Samples = [({"group": group}, (now_ms - at_ms) / 1000) for group, at_ms in committed_ms.items()]
    yield _gauge("group_last_commit_age_seconds", "How long ago a group committed an offset.", ages)


def _end_of(node: Node, name: str, partition: int) -> int | None:
    """The high watermark; None if it is not known here."""
    topic = node.broker.topic(name)
    if topic is None or partition >= len(topic.partitions) or not topic.partitions[partition].is_led_here:
        return None
    return topic.partitions[partition].high_watermark


def _gauge(name: str, meaning: str, samples: Samples) -> Metric:
    return Metric(f"muster_{name}", "gauge", meaning, tuple(samples))
