"""Committed offsets and lag for the metrics page, by group, topic and partition, as far as there is room for so many series.

Nothing is kept for this: a scrape reads the committed offsets and the ends of the logs that this node leads. An end that is not
here gives no lag: what is unknown must not look like zero. With more offsets than `muster.metrics.max.offsets` none is shown,
so that a scrape takes neither much time nor a Prometheus server's memory; the gauge of hidden offsets says so.

A None between the metrics is a place where the loop may serve others. What is committed or deleted meanwhile is seen or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from muster.runtime.metrics import SAMPLES_A_PIECE, Metric, plain

if TYPE_CHECKING:
    from muster.core.offsets.partition_offsets import PartitionOffsets
    from muster.core.shard import Shard
    from muster.runtime.node import Node

Samples = list[tuple[dict[str, str], float]]


def group_offset_metrics(node: Node, max_offsets: int, now_ms: int) -> Iterator[Metric | None]:
    shards = node.coordinator.shards()
    count = sum(shard.offsets.count for shard in shards)
    is_shown = count <= max_offsets
    hidden = "Committed offsets that are not shown below, because there are more than muster.metrics.max.offsets."
    yield plain("hidden_offsets", "gauge", hidden, 0 if is_shown else count)
    if is_shown:
        yield from _offsets(node, shards, now_ms)


def _offsets(node: Node, shards: list[Shard], now_ms: int) -> Iterator[Metric | None]:
    committed: Samples = []
    lag: Samples = []
    lag_of_groups: dict[str, float] = {}
    unknown: dict[str, int] = {}
    committed_ms: dict[str, int] = {}
    for group, topic, partitions in _topics_of_groups(shards):
        for partition in partitions.partitions():
            stored = partitions.get(partition)
            if stored is None:
                continue
            labels = {"group": group, "topic": topic, "partition": str(partition)}
            committed.append((labels, float(stored.offset)))
            committed_ms[group] = max(committed_ms.get(group, 0), stored.committed_ms)
            end = _end_of(node, topic, partition)
            unknown[group] = unknown.get(group, 0) + (end is None)
            if end is not None:
                behind = float(max(0, end - stored.offset))
                lag.append((labels, behind))
                lag_of_groups[group] = lag_of_groups.get(group, 0.0) + behind
            if not len(committed) % SAMPLES_A_PIECE:
                yield None
    yield _gauge("group_committed_offset", "The committed offset of a group.", committed)
    yield _gauge("group_lag", "Records behind the committed offset, where this node leads the partition.", lag)
    sums: Samples = [({"group": group}, value) for group, value in lag_of_groups.items()]
    yield _gauge("group_total_lag", "The lag of a group in all partitions that this node leads.", sums)
    gaps: Samples = [({"group": group}, float(partitions)) for group, partitions in unknown.items()]
    yield _gauge(
        "group_unknown_lag", "Committed partitions of a group that are not in its lag: no end is known here.", gaps
    )
    # A commit may be later than the beginning of the scrape.
    ages: Samples = [({"group": group}, max(0, now_ms - at_ms) / 1000) for group, at_ms in committed_ms.items()]
    yield _gauge("group_last_commit_age_seconds", "How long ago a group committed an offset.", ages)


def _topics_of_groups(shards: list[Shard]) -> Iterator[tuple[str, str, PartitionOffsets]]:
    """Groups and topics may come and go between two of them: only what does not change is gone through."""
    for shard in shards:
        for group in shard.offsets.group_ids():
            for topic, partitions in list(shard.offsets.of_group(group).items()):
                yield group, topic, partitions


def _end_of(node: Node, name: str, partition: int) -> int | None:
    """The high watermark; None if it is not known here."""
    topic = node.broker.topic(name)
    if topic is None or partition >= len(topic.partitions) or not topic.partitions[partition].is_led_here:
        return None
    return topic.partitions[partition].high_watermark


def _gauge(name: str, meaning: str, samples: Samples) -> Metric:
    return Metric(f"muster_{name}", "gauge", meaning, tuple(samples))
