"""Real consumers on a test broker whose clock stands still: every duration that is explained is one that the test moved.

confluent-kafka for what needs its rebalance callbacks or a process to kill, aiokafka for the rest. A member that stalls has
callbacks and is not polled: librdkafka then cannot join again, as an application that is busy with a record.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from aiokafka import AIOKafkaConsumer
from confluent_kafka import Consumer

from muster.explain.event import events_of
from muster.explain.explanation import Explanation, explain
from muster.explain.facts import Rebalance
from muster.explain.fold import fold
from muster.explain.names import Names
from muster.explain.sentences import tell_rebalance
from muster.testing import Broker
from tests.testing.confluent_members import PROCESS, configured, consumer_process

GROUP = "g"


def consumer_protocol(broker: Broker, name: str, **settings: Any) -> dict[str, Any]:
    """`group.protocol=consumer`: timeouts and heartbeats are the broker's business there."""
    classic = ("session.timeout.ms", "heartbeat.interval.ms")
    common = {key: value for key, value in configured(broker, name, GROUP).items() if key not in classic}
    return {**common, "group.protocol": "consumer", **{key.replace("_", "."): value for key, value in settings.items()}}


@contextmanager
def new_member(broker: Broker, name: str, *topics: str, **settings: Any) -> Iterator[Application]:
    """A member of a consumer group (KIP-848) that gives partitions up when its application polls, and not before."""
    member = Consumer(consumer_protocol(broker, name, **settings))
    member.subscribe(
        list(topics or ("orders",)),
        on_assign=lambda consumer, partitions: consumer.incremental_assign(partitions),
        on_revoke=lambda consumer, partitions: consumer.incremental_unassign(partitions),
    )
    application = Application(member)
    try:
        yield application
    finally:
        application.end()
        member.close()


@contextmanager
def killable_new_member(broker: Broker, name: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", PROCESS, json.dumps(consumer_protocol(broker, name)), "orders"]
    with subprocess.Popen(command) as process:
        try:
            yield process
        finally:
            process.kill()


def explained(broker: Broker) -> Explanation:
    return explain(fold(events_of(broker.group(GROUP).journal()), GROUP))


def told(explanation: Explanation, rebalance: Rebalance) -> dict[str, str]:
    return dict(tell_rebalance(rebalance, Names(explanation.history)).lines)


def owned(rebalance: Rebalance) -> dict[str, set[int]]:
    """Client id -> partitions that came to it."""
    found: dict[str, set[int]] = {}
    for move in rebalance.moves or ():
        if move.target is not None:
            found.setdefault(move.target.client_id or "", set()).add(move.partition[1])
    return found


class Application:
    """Polls in a thread of its own, and can be made to stop doing so while the client lives on."""

    def __init__(self, consumer: Any) -> None:
        self._consumer = consumer
        self._one_poll = threading.Lock()
        self._may_poll = threading.Event()
        self._over = threading.Event()
        self._may_poll.set()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def pause(self) -> None:
        """Comes back when the last poll has ended."""
        self._may_poll.clear()
        with self._one_poll:
            return

    def resume(self) -> None:
        self._may_poll.set()

    def end(self) -> None:
        self._over.set()
        self._may_poll.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.is_set():
            self._may_poll.wait()
            with self._one_poll:
                if self._may_poll.is_set():
                    self._consumer.poll(0.05)


@contextmanager
def confluent_member(broker: Broker, name: str, **settings: Any) -> Iterator[Application]:
    member = Consumer({**configured(broker, name, GROUP), **{key.replace("_", "."): v for key, v in settings.items()}})
    cooperative = settings.get("partition_assignment_strategy") == "cooperative-sticky"
    assign, unassign = (
        (member.incremental_assign, member.incremental_unassign) if cooperative else (member.assign, None)
    )
    member.subscribe(
        ["orders"],
        on_assign=lambda consumer, partitions: assign(partitions),
        on_revoke=lambda consumer, partitions: unassign(partitions) if unassign else consumer.unassign(),
    )
    application = Application(member)
    try:
        yield application
    finally:
        application.end()
        member.close()


@contextmanager
def killable(broker: Broker, name: str) -> Iterator[subprocess.Popen[bytes]]:
    with consumer_process(broker, name, GROUP) as process:
        yield process


@asynccontextmanager
async def aiokafka_member(broker: Broker, name: str, **settings: Any) -> AsyncIterator[Any]:
    member = AIOKafkaConsumer(
        "orders",
        bootstrap_servers=broker.bootstrap_servers,
        group_id=GROUP,
        client_id=name,
        session_timeout_ms=10_000,
        heartbeat_interval_ms=50,
        retry_backoff_ms=20,
        enable_auto_commit=False,
        **settings,
    )
    await member.start()
    try:
        yield member
    finally:
        await member.stop()
