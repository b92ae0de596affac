"""What a followed server is busy with: its process, commits and records at a steady rate, and a group that always rebalances."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.ports import free_port

GROUPS, PARTITIONS, TURNS_A_SECOND = 20, 10, 10
COMMITS_A_SECOND = GROUPS * PARTITIONS * TURNS_A_SECOND
RESTLESS = "restless"
"""The group that rebalances: somebody comes, and goes again."""
_STAY_S = 15
_TOPIC = "orders"
_PATIENCE_S = 30


class Server:
    """`muster serve` on a port that stays the same when it is restarted."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.address = f"127.0.0.1:{free_port()}"

    def __enter__(self) -> Server:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def restart(self) -> None:
        self._end()
        self._start()

    def _start(self) -> None:
        command = [sys.executable, "-m", "muster", "serve", "--listen", self.address, "--data", str(self.data)]
        self._running = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        host, _, port = self.address.partition(":")
        until = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until:
            try:
                socket.create_connection((host, int(port)), 0.2).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("muster serve did not come up")

    def _end(self) -> None:
        self._running.send_signal(signal.SIGTERM)
        self._running.wait(_PATIENCE_S)


class Load:
    """Commits of simple consumers, records for them, and the restless group, on threads of this process.

    Every thread keeps to its own timetable: what it could not do while the server was away it does afterwards.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._stop = threading.Event()
        self._turns = [0] * GROUPS
        self.arrivals = 0
        """How often somebody came into the restless group: as many rebalances at least, and one more for each who left."""
        jobs = [threading.Thread(target=self._commit, args=(number,), daemon=True) for number in range(GROUPS)]
        jobs += [threading.Thread(target=job, daemon=True) for job in (self._produce, self._come_and_go)]
        self._threads = jobs

    @property
    def commits(self) -> int:
        return sum(self._turns) * PARTITIONS

    def __enter__(self) -> Load:
        from confluent_kafka.admin import AdminClient, NewTopic

        admin = AdminClient({"bootstrap.servers": self._address, "log_level": 0})
        admin.create_topics([NewTopic(_TOPIC, PARTITIONS, 1)])[_TOPIC].result(30)
        self.began = time.monotonic()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(_PATIENCE_S)

    def _is_over(self, turns: int) -> bool:
        """Waits for the next turn. True when there is none."""
        return self._stop.wait(max(0.0, self.began + turns / TURNS_A_SECOND - time.monotonic()))

    def _commit(self, number: int) -> None:
        """The group reads what was written `number` seconds before."""
        from confluent_kafka import Consumer, KafkaException, TopicPartition

        consumer = Consumer({"bootstrap.servers": self._address, "group.id": f"team-{number}", "log_level": 0})
        while not self._is_over(self._turns[number]):
            offset = max(0, self._turns[number] - number * TURNS_A_SECOND)
            try:
                consumer.commit(
                    offsets=[TopicPartition(_TOPIC, part, offset) for part in range(PARTITIONS)], asynchronous=False
                )
            except KafkaException:
                time.sleep(0.1)  # the server is being restarted
            else:
                self._turns[number] += 1
        consumer.close()

    def _produce(self) -> None:
        """A record a turn for every partition."""
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self._address, "log_level": 0})
        turns = 0
        while not self._is_over(turns):
            for partition in range(PARTITIONS):
                producer.produce(_TOPIC, value=b"an order", partition=partition)
            producer.poll(0)
            turns += 1
        producer.flush(_PATIENCE_S)

    def _come_and_go(self) -> None:
        from confluent_kafka import Consumer

        settings = {
            "bootstrap.servers": self._address,
            "group.id": RESTLESS,
            "log_level": 0,
            "session.timeout.ms": 10_000,
        }
        stays = Consumer(settings)
        stays.subscribe([_TOPIC])
        while not self._stop.is_set():
            other = Consumer(settings)
            other.subscribe([_TOPIC])
            until = time.monotonic() + _STAY_S
            while time.monotonic() < until and not self._stop.is_set():
                stays.poll(0.2)
                other.poll(0.2)
            self.arrivals += bool(other.assignment())
            other.close()
        stays.close()
