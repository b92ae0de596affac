"""As much of Spark as `Tracking` asks: a session with queries and what they told last. No Java."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

MICRO_BATCHES = "MicroBatchExecution"
KAFKA = "KafkaV2[Subscribe[orders]]"


def progress(
    batch: int,
    *sources: tuple[str, str | None],
    run: str = "r1",
    query: str = "q1",
    name: str | None = "orders",
    idle: bool = False,
) -> Any:
    """`sources`: description and offset. `idle`: nothing was read, and `batch` is the number that is waited for."""
    took = {"latestOffset": 4, "triggerExecution": 5}
    return SimpleNamespace(
        id=query,
        runId=run,
        name=name,
        batchId=batch,
        batchDuration=5,
        durationMs=took if idle else {**took, "addBatch": 3, "commitOffsets": 1},
        sources=[
            SimpleNamespace(description=about, startOffset=offset if idle else "{}", endOffset=offset)
            for about, offset in sources
        ],
    )


def at(offset: int, topic: str = "orders") -> tuple[str, str]:
    """A Kafka source that has come so far."""
    return KAFKA, json.dumps({topic: {"0": offset}})


class FakeQuery:
    def __init__(self, run: str = "r1", query: str = "q1", kind: str = MICRO_BATCHES) -> None:
        self.runId, self.id = run, query
        self.lastProgress: Any = None
        java_class = SimpleNamespace(getSimpleName=lambda: kind)
        java_query = SimpleNamespace(getClass=lambda: java_class)
        self._jsq = SimpleNamespace(streamingQuery=lambda: java_query)


@dataclass
class FakeStreams:
    running: list[FakeQuery] = field(default_factory=list)
    is_gone: bool = False
    listeners: list[Any] = field(default_factory=list)

    @property
    def active(self) -> list[FakeQuery]:
        self._ask()
        return list(self.running)

    def get(self, query_id: str) -> FakeQuery | None:
        self._ask()
        return next((each for each in self.running if each.id == query_id), None)

    def addListener(self, listener: Any) -> None:
        self.listeners.append(listener)

    def removeListener(self, listener: Any) -> None:
        self._ask()
        self.listeners.remove(listener)

    def _ask(self) -> None:
        if self.is_gone:
            raise ConnectionRefusedError("the JVM is gone")


class FakeSpark:
    def __init__(self, *running: FakeQuery) -> None:
        self.streams = FakeStreams(list(running))
