"""Consumers of confluent-kafka that are polled by a thread of their own, so that tests wait for the broker and not for polls."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Consumer, Message, TopicPartition

from muster.testing import Broker

PATIENCE_SECONDS = 60
SESSION_SECONDS = 10


def configured(broker: Broker, name: str, group: str) -> dict[str, Any]:
    return {
        "bootstrap.servers": broker.bootstrap_servers,
        "group.id": group,
        "client.id": name,
        "session.timeout.ms": SESSION_SECONDS * 1000,
        "heartbeat.interval.ms": 100,
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "fetch.wait.max.ms": 100,
        "reconnect.backoff.ms": 20,
        "reconnect.backoff.max.ms": 100,
        "retry.backoff.ms": 20,
        "log_level": 0,
    }


class Polled:
    """A consumer in use. `messages` is what it has read."""

    def __init__(self, consumer: Any) -> None:
        self.consumer = consumer
        self.messages: queue.Queue[Message] = queue.Queue()
        self._wishes: queue.Queue[tuple[TopicPartition, Future[None]]] = queue.Queue()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._poll, daemon=True)
        self._thread.start()

    def commit(self, partition: int, offset: int, topic: str = "orders") -> Future[None]:
        """Commit and wait for the answer, between two polls: confluent-kafka 2.16.1 sends nothing while another thread
        polls."""
        done: Future[None] = Future()
        self._wishes.put((TopicPartition(topic, partition, offset), done))
        return done

    def next(self) -> Message:
        return self.messages.get(timeout=PATIENCE_SECONDS)

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def _poll(self) -> None:
        while not self._over.is_set():
            while not self._wishes.empty():
                self._do_commit(*self._wishes.get())
            message = self.consumer.poll(0.05)
            if message is not None and message.error() is None:
                self.messages.put(message)

    def _do_commit(self, at: TopicPartition, done: Future[None]) -> None:
        try:
            self.consumer.commit(offsets=[at], asynchronous=False)
        except Exception as error:
            done.set_exception(error)
        else:
            done.set_result(None)


@contextmanager
def consumer(broker: Broker, name: str = "one", group: str = "g", topic: str = "orders") -> Iterator[Polled]:
    member = Consumer(configured(broker, name, group))
    member.subscribe([topic])
    polled = Polled(member)
    try:
        yield polled
    finally:
        polled.end()
        member.close()


PROCESS = """
import json, sys
from confluent_kafka import Consumer
member = Consumer(json.loads(sys.argv[1]))
member.subscribe([sys.argv[2]])
while True:
    member.poll(0.05)
"""


@contextmanager
def consumer_process(
    broker: Broker, name: str, group: str = "g", topic: str = "orders"
) -> Iterator[subprocess.Popen[bytes]]:
    """A consumer that can be killed: it does not say goodbye."""
    command = [sys.executable, "-c", PROCESS, json.dumps(configured(broker, name, group)), topic]
    with subprocess.Popen(command) as process:
        try:
            yield process
        finally:
            process.kill()
