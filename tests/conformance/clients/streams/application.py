"""The counting application as a process, and the topics that it reads and writes as a client of the broker sees them.

Knows how to feed it, start it, kill it, and read what it has counted; not what the counts should be.
"""

from __future__ import annotations

import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.conformance.clients.programs import JVM
from tests.conformance.kafka import Node

PARTITIONS: Final = 2
MACHINE: Final = "machine"
PATIENCE_SECONDS: Final = 90
_LOGGING: Final = Path(__file__).parent.parent / "java" / "log4j2.xml"


@dataclass
class Application:
    """One application id with its own topics."""

    node: Node
    folder: Path
    classpath: str
    name: str
    sightings: dict[str, str] = field(default_factory=dict)
    talk: list[str] = field(default_factory=list)
    _processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines = f"{self.name}-lines"
        self.counts = f"{self.name}-counts"
        self._output = self.folder / "output.txt"

    @property
    def bootstrap(self) -> str:
        return f"{self.node.host}:{self.node.port}"

    def create_topics(self) -> None:
        wanted = [NewTopic(each, PARTITIONS, 1) for each in (self.lines, self.counts)]
        admin = AdminClient({"bootstrap.servers": self.bootstrap})
        for future in admin.create_topics(wanted).values():
            future.result(PATIENCE_SECONDS)

    def feed(self, lines: Iterable[str]) -> None:
        """Every line once: the producer is idempotent, and all of it has been acknowledged."""
        producer = Producer({"bootstrap.servers": self.bootstrap, "enable.idempotence": True})
        for number, line in enumerate(lines):
            producer.produce(self.lines, line.encode(), partition=number % PARTITIONS)
        assert producer.flush(PATIENCE_SECONDS) == 0, "not every line was acknowledged"

    def start(self, machine: str = MACHINE) -> None:
        """Each machine is a directory of its own, by which the application knows its transactional id and its counts again."""
        java = ["java", *JVM, f"-Dlog4j2.configurationFile={_LOGGING}", "-cp", self.classpath]
        arguments = [self.bootstrap, self.name, str(self.folder / machine)]
        with self._output.open("ab") as out:
            process = subprocess.Popen([*java, "Counting", *arguments], stdout=out, stderr=subprocess.STDOUT)
        self._processes[machine] = process

    def kill(self, machine: str = MACHINE) -> None:
        """With SIGKILL: it says goodbye to nobody."""
        process = self._processes.pop(machine)
        process.kill()
        process.wait()

    def freeze(self, machine: str = MACHINE) -> None:
        self._processes[machine].send_signal(signal.SIGSTOP)

    def thaw(self, machine: str = MACHINE) -> None:
        self._processes[machine].send_signal(signal.SIGCONT)

    def kill_all(self) -> None:
        for machine in list(self._processes):
            self.kill(machine)

    def forget_state(self, machine: str = MACHINE) -> None:
        """It comes back as on another machine: with another transactional id, and its counts in the changelog only."""
        shutil.rmtree(self.folder / machine)

    def said(self) -> list[str]:
        return self._output.read_text(errors="replace").splitlines()[-40:] if self._output.exists() else []

    def until(self, what: str, holds: Callable[[], bool]) -> None:
        """The limit only ends a check that has failed."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            assert all(each.poll() is None for each in self._processes.values()), (
                f"it ended by itself before this: {what}"
            )
            assert time.monotonic() < end, f"still not after {PATIENCE_SECONDS} s: {what}"
            time.sleep(0.02)


class Counts:
    """Reads the topic of counts on and on, with one isolation level: every word with the counts it was written with."""

    def __init__(self, application: Application, level: str) -> None:
        self.by_word: dict[str, list[int]] = {}
        self.records = 0
        self._consumer = Consumer(
            {
                "bootstrap.servers": application.bootstrap,
                "group.id": "reads counts",  # the library insists on one; nothing is committed
                "enable.auto.commit": False,
                "isolation.level": level,
                "enable.partition.eof": True,
                "fetch.wait.max.ms": 20,
            }
        )
        self._topic = application.counts
        self._ends: dict[int, int | None] = {}
        places = [TopicPartition(application.counts, index, OFFSET_BEGINNING) for index in range(PARTITIONS)]
        self._consumer.assign(places)

    def read(self) -> int:
        """What has come since; returns how many records there are by now."""
        for message in self._consumer.consume(1_000, timeout=0.05):
            self._add(message)
        return self.records

    def read_to_end(self) -> int:
        """To the high watermark of every partition: what is open there has to end first. Nobody may be writing."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not all(self._ends.get(index) == self._high_watermark(index) for index in range(PARTITIONS)):
            assert time.monotonic() < deadline, f"still open after {PATIENCE_SECONDS} s: read to {self._ends}"
            self.read()
        return self.records

    def _high_watermark(self, index: int) -> int:
        watermarks = self._consumer.get_watermark_offsets(TopicPartition(self._topic, index), PATIENCE_SECONDS)
        assert watermarks is not None, "the broker did not answer"
        high: int = watermarks[1]
        return high

    def _add(self, message: Message) -> None:
        error, partition = message.error(), message.partition()
        if error is not None:
            if error.code() != KafkaError._PARTITION_EOF or partition is None:
                raise KafkaException(error)
            self._ends[partition] = message.offset()
            return
        key, value = message.key(), message.value()
        assert isinstance(key, bytes)
        assert isinstance(value, bytes)
        self.by_word.setdefault(key.decode(), []).append(struct.unpack(">q", value)[0])
        self.records += 1

    def close(self) -> None:
        self._consumer.close()
