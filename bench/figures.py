"""The figures that `make bench` prints: what each is called, in which unit, and how good it must be.

A limit is a number in the figure's unit, or a share of what Kafka needs for the same on the same machine. Every figure is a
cost: less is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Figure:
    name: str
    unit: str
    floor: float
    target: float
    of_kafka: bool = False
    """The limits are shares of Kafka's figure."""
    decimals: int = 1

    def limit(self, limit: float, kafka: float | None) -> float | None:
        """In the figure's unit; None if it depends on Kafka and Kafka did not run."""
        if not self.of_kafka:
            return limit
        return None if kafka is None else limit * kafka

    def limit_text(self, limit: float) -> str:
        return f"{limit:g}x" if self.of_kafka else f"{limit:g}"

    def verdict(self, muster: float, kafka: float | None) -> str:
        floor, target = self.limit(self.floor, kafka), self.limit(self.target, kafka)
        if floor is None or target is None:
            return "needs Kafka to say"
        if muster <= target:
            return "target met"
        return "floor met" if muster <= floor else "NOT MET"


HEARTBEAT: Final = Figure("heartbeat", "µs CPU", 8, 4)
HEARTBEAT_MANY: Final = Figure("heartbeat, 2,000 connections, 10k/s in all", "µs CPU", 30, 16)
COMMITS: Final = {
    1: Figure("commit of 1 partition", "µs CPU", 12, 6),
    10: Figure("commit of 10 partitions", "µs CPU", 20, 10),
    100: Figure("commit of 100 partitions", "µs CPU", 80, 35),
}
COMMIT_SPREAD: Final = Figure("commit of 10 partitions, 100 groups over 50 coordinator partitions", "µs CPU", 15, 13)
FETCH: Final = Figure("OffsetFetch of 100 partitions", "µs CPU", 0.5, 0.2, of_kafka=True)
DESCRIBE: Final = Figure("DescribeGroups of 100 members", "µs CPU", 0.5, 0.2, of_kafka=True)
REBALANCE_WALL: Final = Figure("rebalance of 1,000 members by a newcomer", "ms", 135, 70, decimals=0)
REBALANCE_CPU: Final = Figure("the same, for each member", "µs CPU", 90, 36)
CONSUMER_HEARTBEAT: Final = Figure("ConsumerGroupHeartbeat", "µs CPU", 0.5, 0.25, of_kafka=True)
CONSUMER_HEARTBEAT_MANY: Final = Figure(
    "ConsumerGroupHeartbeat, 2,000 connections, 10k/s in all", "µs CPU", 0.5, 0.25, of_kafka=True
)
NEWCOMER_WALL: Final = Figure(
    "a newcomer among 1,000 consumers of 10,000 partitions, until all have their assignment", "ms", 1, 0.5, True, 0
)
NEWCOMER_CPU: Final = Figure("the same, for each member", "µs CPU", 1, 0.5, of_kafka=True)
TRANSACTION: Final = Figure("transaction of ten records and one offset commit", "µs CPU", 0.5, 0.25, of_kafka=True)
START: Final = Figure("start to first reply, fresh directory", "s", 0.15, 0.1, decimals=3)
IDLE: Final = Figure("memory idle", "MB", 1 / 5, 1 / 10, of_kafka=True)
WITH_MEMBERS: Final = Figure("memory with 10,000 members in 1,000 groups", "MB", 1 / 5, 1 / 10, of_kafka=True)
WITH_CONSUMERS: Final = Figure(
    "memory with 10,000 consumers in 1,000 consumer groups", "MB", 1 / 5, 1 / 10, of_kafka=True
)
WITH_OFFSETS: Final = Figure("memory with 1,000,000 offsets", "MB", 1 / 5, 1 / 10, of_kafka=True)
LOAD: Final = Figure("load of 1,000,000 offsets", "s", 1.5, 0.5, decimals=2)
WITH_IDS: Final = Figure("memory with 100,000 transactional ids", "MB", 1 / 2, 1 / 5, of_kafka=True)
LOAD_IDS: Final = Figure("load of 100,000 transactional ids", "s", 1, 0.5, of_kafka=True, decimals=2)

FIGURES: Final = (
    HEARTBEAT,
    HEARTBEAT_MANY,
    *COMMITS.values(),
    COMMIT_SPREAD,
    FETCH,
    DESCRIBE,
    REBALANCE_WALL,
    REBALANCE_CPU,
    CONSUMER_HEARTBEAT,
    CONSUMER_HEARTBEAT_MANY,
    NEWCOMER_WALL,
    NEWCOMER_CPU,
    TRANSACTION,
    START,
    IDLE,
    WITH_MEMBERS,
    WITH_CONSUMERS,
    WITH_OFFSETS,
    LOAD,
    WITH_IDS,
    LOAD_IDS,
)
