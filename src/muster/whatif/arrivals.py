"""How many records come to each partition of a group, from its commits: between the first and the last of a partition, on average.

Pure. What is committed was produced, and in the long run a group reads what comes; when within that time it came is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from muster.explain.facts import Gap, Partition
from muster.whatif.partition_counts import count_partitions, multiply


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Records a millisecond, by partition."""

    rates: Mapping[Partition, float]

    def within(self, gaps: Iterable[Gap]) -> int:
        return round(sum(self.rates.get(gap.partition, 0.0) * gap.length_ms for gap in gaps))

    def spread(self, times: int) -> Arrivals:
        """The same records over so many times as many partitions: each topic's, evenly. CannotReplay if these are too many."""
        if times == 1:
            return self
        by_topic: dict[str, list[float]] = {}
        for (topic, _), rate in self.rates.items():
            by_topic.setdefault(topic, []).append(rate)
        return Arrivals(
            {
                (topic, number): sum(by_topic[topic]) / count
                for topic, count in multiply(count_partitions(self.rates), times).items()
                for number in range(count)
            }
        )


def arrivals_of(commits: Iterable[Mapping[str, Any]] | None) -> Arrivals | None:
    """`commits`: of each partition its first and last time and offset. None if no partition has two that differ in time."""
    rates: dict[Partition, float] = {}
    for each in commits or ():
        took_ms = each["last_ms"] - each["first_ms"]
        if took_ms > 0:
            read = max(0, each["last_offset"] - each["first_offset"])
            rates[each["topic"], each["partition"]] = read / took_ms
    return Arrivals(rates) if rates else None
