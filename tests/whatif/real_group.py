"""A group of real clients on a real broker: a rolling restart, one member that flaps, one that polls late."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from muster.testing import Broker

PARTITIONS = 6
PATIENCE_SECONDS = 60
HEARTBEAT_MS = 500
"""Of the new protocol: long enough that a busy machine does not matter."""


class RealGroup:
    """Three consumers, dynamic or static. `change` is what is different from before."""

    def __init__(
        self,
        *,
        static: bool = False,
        session_ms: int = 10_000,
        delay_ms: int = 500,
        max_poll_ms: int = 300_000,
        protocol: str = "classic",
        assignor: str | None = None,
    ) -> None:
        self._static = static
        self._session_ms = session_ms
        self._max_poll_ms = max_poll_ms
        self._protocol = protocol
        self._assignor = assignor
        self.broker = Broker(
            {
                "group.initial.rebalance.delay.ms": delay_ms,
                "group.min.session.timeout.ms": 100,
                "group.consumer.heartbeat.interval.ms": HEARTBEAT_MS,
            },
            topics={"orders": PARTITIONS},
        )
        self._running: dict[str, Any] = {}
        self._down: list[tuple[float, int]] = []
        """Of each that was stopped and is not back: since when, and how many partitions it had."""
        self.down_ms = 0.0
        """How long partitions of stopped members had nobody who read them, by the clock, summed over partitions."""

    def __enter__(self) -> RealGroup:
        self.broker.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        for consumer in self._running.values():
            consumer.close()
        self.broker.__exit__(*error)

    def start(self, name: str) -> None:
        from confluent_kafka import Consumer

        settings: dict[str, Any] = {
            "bootstrap.servers": self.broker.bootstrap_servers,
            "group.id": "billing",
            "client.id": name,
            "max.poll.interval.ms": self._max_poll_ms,
            "group.protocol": self._protocol,
            "log_level": 0,
        }
        if self._protocol == "classic":
            settings |= {"session.timeout.ms": self._session_ms, "heartbeat.interval.ms": 200}
        if self._assignor is not None:
            settings["partition.assignment.strategy"] = self._assignor
        if self._static:
            settings["group.instance.id"] = name
        self._running[name] = consumer = Consumer(settings)
        # With a callback librdkafka joins again when the application polls, as Java's consumer does.
        consumer.subscribe(["orders"], on_revoke=lambda _, __: None)

    def stop(self, name: str) -> None:
        consumer = self._running.pop(name)
        self._down.append((time.monotonic(), len(consumer.assignment())))
        consumer.close()

    def restart(self, name: str) -> None:
        """Down for a while, as a process is that is replaced by its next version."""
        self.stop(name)
        self.busy("", DOWN_SECONDS)
        self.start(name)
        self.settle()

    def busy(self, name: str, seconds: float) -> None:
        """Everybody polls but this one, if it is one, whose application is busy for so long."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for other, consumer in self._running.items():
                if other != name:
                    consumer.poll(0.02)

    def settle(self) -> None:
        """Everybody polls until all partitions are theirs."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not self._is_settled():
            assert time.monotonic() < until, self.broker.group("billing").explain()
            for consumer in self._running.values():
                consumer.poll(0.02)
        self.down_ms += sum((time.monotonic() - since) * 1000 * count for since, count in self._down)
        self._down = []

    def _is_settled(self) -> bool:
        held = [(part.topic, part.partition) for each in self._running.values() for part in each.assignment()]
        is_spread = all(each.assignment() for each in self._running.values())
        return is_spread and len(set(held)) == len(held) == PARTITIONS and self._state() == "Stable"

    def _state(self) -> str:
        return str(self.broker.group("billing").state())

    def payloads(self) -> list[str]:
        return [json.dumps(event.to_json()) for event in self.broker.group("billing").journal()]


@dataclass(frozen=True)
class Happened:
    payloads: list[str]
    down_ms: float


def rolling_restart(**change: Any) -> Happened:
    return _restarts("anna", "boris", "clara", **change)


def cooperative_restart(**change: Any) -> Happened:
    return rolling_restart(assignor="cooperative-sticky", **change)


def flapping_member(**change: Any) -> Happened:
    return _restarts("clara", "clara", "clara", "clara", **change)


def _restarts(*restarted: str, **change: Any) -> Happened:
    with RealGroup(**change) as group:
        for name in ("anna", "boris", "clara"):
            group.start(name)
        group.settle()
        for name in restarted:
            group.restart(name)
        return Happened(group.payloads(), group.down_ms)


DOWN_SECONDS = 0.5
BUSY_SECONDS = 4.0
CALM_SECONDS = 2.0
SLOW_TIMES = 2


def slow_poller(**change: Any) -> list[str]:
    """Clara comes and goes; each time that she comes Boris is busy, and the others wait for him, as long as they do."""
    with RealGroup(session_ms=1_000, **change) as group:
        for name in ("anna", "boris"):
            group.start(name)
        group.settle()
        for _ in range(SLOW_TIMES):
            group.start("clara")
            group.busy("boris", BUSY_SECONDS)
            group.settle()
            group.busy("", CALM_SECONDS)
            group.stop("clara")
            group.settle()
        return group.payloads()
