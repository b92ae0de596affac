"""One pass over all logs: drop what is too old or too much, forget producers that fell silent.

The runtime calls it every `log.retention.check.interval.ms`. One log's broken disk does not stop the others.
"""

from __future__ import annotations

from dataclasses import field

from muster.log.contract import StorageError
from muster.topics.catalog import Catalog
from muster.topics.topic import Partition
from muster.wire.late_dataclass import dataclass


@dataclass(slots=True)
class RetentionPass:
    """What a pass did, for a log line and for metrics."""

    segments_dropped: dict[Partition, int] = field(default_factory=dict)
    failures: list[tuple[Partition, StorageError]] = field(default_factory=list)
    producers_forgotten: int = 0


def apply_retention(catalog: Catalog, now_ms: int, producer_expiration_ms: int) -> RetentionPass:
    done = RetentionPass()
    for partition in catalog.partitions():
        try:
            dropped = partition.log.apply_retention(now_ms)
        except StorageError as error:
            done.failures.append((partition, error))
        else:
            if dropped:
                done.segments_dropped[partition] = dropped
        if partition.producers is not None:
            done.producers_forgotten += partition.producers.expire(now_ms, producer_expiration_ms)
    return done
