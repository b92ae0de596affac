"""Real clients at work on a cluster, and the ledger of what they were told: nothing of it may be missing, whatever happens.

An idempotent producer, a transactional one (both confluent-kafka) and four groups, each member a process: classic ones of
confluent-kafka and of aiokafka, one of the consumer protocol, one that migrates from the one protocol to the other. Acknowledged
records are at their offsets, each once; committed offsets are there and never go back; every rule of reading holds; each
transaction is there whole or not at all, as its producer was told.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.cluster.fleets import MigratingFleet, SteadyFleet, wait_until_settled
from tests.cluster.group_checks import commits_lost, gone_back
from tests.interop import atomic_writer
from tests.interop.atomic_writer import TransactionalWriter
from tests.interop.reading_rules import broken_rules
from tests.interop.waiting import PATIENCE_SECONDS, eventually

TOPIC = "orders"
PARTITIONS = 4
UNDISTURBED = "modern"
"""The group of the consumer protocol: nobody comes or goes, and its sessions are longer than anything that happens to the cluster.
So its members keep what they own, whoever coordinates them."""
REVOCATION_MS = 30_000
"""A member with librdkafka may not hear what it has to give up, if its coordinator does not answer for a moment (docs/cluster.md,
What happens when): then the others wait for so long. Below what is waited for here, above what a commit takes in any round."""
RECORDS_A_SECOND = 150
Describe = Callable[[int, int], str]
"""Of a partition and an offset."""
SILENCE_MS = 2_000
"""A frozen node keeps its connections and says nothing."""


@dataclass
class Acknowledged:
    """What the producer was told. One condition guards it and says when something was added."""

    changed: threading.Condition = field(default_factory=threading.Condition)
    records: dict[tuple[int, int], str] = field(default_factory=dict)
    """(partition, offset) -> value"""
    newest: dict[int, int] = field(default_factory=dict)
    """Offset by partition"""
    refused: list[str] = field(default_factory=list)

    def note(self, error: Any, message: Any) -> None:
        with self.changed:
            if error is not None:
                self.refused.append(str(error))
            elif (
                message.offset() is None
            ):  # librdkafka concludes that it must be there, from the success of a later batch
                self.refused.append(f"{message.value()!r} was acknowledged and nobody said where it is")
            else:
                self.records[message.partition(), message.offset()] = message.value().decode()
                self.newest[message.partition()] = max(self.newest.get(message.partition(), -1), message.offset())
            self.changed.notify_all()

    def wait_for_newer(self) -> dict[int, int]:
        """Until every partition has taken a record since this was called; returns the newest offsets then."""
        with self.changed:
            before = dict(self.newest)

            def all_newer() -> bool:
                return all(self.newest.get(each, -1) > before.get(each, -1) for each in range(PARTITIONS))

            arrived = self.changed.wait_for(lambda: all_newer() or bool(self.refused), PATIENCE_SECONDS)
            assert not self.refused, self.refused[:5]
            assert arrived, f"{before} were the newest records {PATIENCE_SECONDS} s ago, and {self.newest} are now"
            return dict(self.newest)


class Writer(threading.Thread):
    """Writes at an even pace, so that readers keep up, and never gives up."""

    def __init__(self, bootstrap: str, told: Acknowledged) -> None:
        super().__init__(name="writer", daemon=True)
        self._told = told
        self._stop_asked = threading.Event()
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "linger.ms": 2,
                "reconnect.backoff.max.ms": 200,
                "retry.backoff.ms": 50,
                "message.timeout.ms": int(PATIENCE_SECONDS * 1_000),
                "log_level": 0,
            }
        )

    def run(self) -> None:
        number = 0
        while not self._stop_asked.is_set():
            if len(self._producer) < 500:
                number += 1
                value = f"order-{number}"
                self._producer.produce(TOPIC, value, value, partition=number % PARTITIONS, callback=self._told.note)
            self._producer.poll(0)
            self._stop_asked.wait(1 / RECORDS_A_SECOND)
        self._producer.flush(PATIENCE_SECONDS)

    def stop(self) -> None:
        self._stop_asked.set()
        self.join(2 * PATIENCE_SECONDS)


class Load:
    """Used with `with`; `progress` after each disturbance, `settle` at the end."""

    def __init__(
        self,
        home: Path,
        bootstrap: str,
        ask_why: Callable[[str], str] = str,
        describe: Describe = "partition {}, offset {}".format,
    ) -> None:
        """`ask_why`: what the servers say of a transactional id whose transactions do not get on. `describe`: what the database
        says of a record that is there twice."""
        self._bootstrap = bootstrap
        self._describe = describe
        self._ask_why = lambda: ask_why(atomic_writer.TRANSACTIONAL_ID)
        self.told = Acknowledged()
        admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
        for name, partitions in ((TOPIC, PARTITIONS), (atomic_writer.TOPIC, atomic_writer.PARTITIONS)):
            admin.create_topics([NewTopic(name, partitions, 1)])[name].result(PATIENCE_SECONDS)
        self._writer = Writer(bootstrap, self.told)
        self._transactions = TransactionalWriter(bootstrap, seed=1, **{"socket.timeout.ms": SILENCE_MS})
        self._consumers: dict[str, Consumer] = {}
        self._kept: dict[str, dict[int, int]] = {}
        """Committed offsets that were seen last, by group."""
        self._assignments = 0
        """How often a member of the undisturbed group was told what it owns."""
        where = {"bootstrap": bootstrap, "topic": TOPIC}
        self.fleets: dict[str, SteadyFleet] = {
            "swift": SteadyFleet(home, group="swift", library="confluent-kafka", **where),
            "steady": SteadyFleet(home, group="steady", library="aiokafka", **where),
            UNDISTURBED: SteadyFleet(
                home,
                group=UNDISTURBED,
                library="confluent-kafka",
                protocol="consumer",
                max_poll_ms=REVOCATION_MS,
                **where,
            ),
            "mixed": MigratingFleet(home, group="mixed", max_poll_ms=REVOCATION_MS, **where),
        }

    def start(self) -> None:
        self._writer.start()
        self._transactions.start()
        for fleet in self.fleets.values():
            fleet.start()
        self.check_owners()
        self._assignments = self._count_assignments()

    def begin_exchange(self) -> None:
        """A member comes to the group that migrates; what happens next happens while it joins."""
        for fleet in self.fleets.values():
            fleet.begin_exchange()

    def end_exchange(self) -> None:
        """An older one goes. Then everything has settled: groups are stable and every partition has one owner in each."""
        for fleet in self.fleets.values():
            fleet.end_exchange()
        self.check_owners()
        assert self._count_assignments() == self._assignments, (
            f"{UNDISTURBED} was shared anew: {self.fleets[UNDISTURBED].said('owns')[self._assignments :]}"
        )

    def _count_assignments(self) -> int:
        return len(self.fleets[UNDISTURBED].said("owns"))

    def check_owners(self) -> None:
        wait_until_settled(self._bootstrap, self.fleets, PARTITIONS)

    def progress(self) -> None:
        """Everybody gets on: each partition takes a record that is newer than this moment, all groups read and commit it, and
        a transaction is committed."""
        ends = self.told.wait_for_newer()
        self._transactions.wait_for_more(1, self._ask_why)
        for name, fleet in self.fleets.items():
            fleet.watch_until(
                f"{name} to commit beyond {ends}",
                lambda fleet=fleet: all(fleet.committed.get(at, 0) > end for at, end in ends.items()),  # type: ignore[misc]
            )
        self.check_commits()

    def settle(self) -> str:
        """Write no more, let everything be read; AssertionError if the ledger is not complete. Returns it in a line."""
        self._writer.stop()
        self._transactions.stop()
        assert not self.told.refused, f"{len(self.told.refused)} records were refused, such as {self.told.refused[0]}"
        stored = stored_records(self._consumer_config("auditor"))
        ends = Counter(partition for partition, _ in stored)
        for name, fleet in self.fleets.items():
            fleet.watch_until(
                f"{name} to read and commit everything",
                lambda fleet=fleet: fleet.committed == dict(ends),  # type: ignore[misc]
            )
            complaints = broken_rules(fleet.history, ends)
            assert not complaints, f"{name}: {complaints[:5]} and {max(0, len(complaints) - 5)} more"
        self.check_commits()
        check_records(self.told, stored, self._describe)
        self._transactions.join(2 * PATIENCE_SECONDS)
        self._transactions.check()
        commits = {name: fleet.commits for name, fleet in self.fleets.items()}
        moves = {name: len(fleet.said("owns")) for name, fleet in self.fleets.items()}
        return (
            f"{len(self.told.records)} records, {sum(commits.values())} commits {commits}, assignments {moves}, "
            f"{self._transactions} acknowledged, all there"
        )

    def check_commits(self) -> None:
        """Every offset whose commit was acknowledged, or a later one, is what the group has; and none has gone back."""
        for name, fleet in self.fleets.items():
            kept = self._kept_offsets(name)
            complaints = commits_lost(fleet.committed, kept) + gone_back(self._kept.get(name, {}), kept)
            assert not complaints, f"{name}: {complaints}"
            self._kept[name] = kept

    def _kept_offsets(self, group: str) -> dict[int, int]:
        wanted = [TopicPartition(TOPIC, partition) for partition in range(PARTITIONS)]

        def look() -> dict[int, int] | str:
            if group not in self._consumers:
                self._consumers[group] = Consumer(self._consumer_config(group))
            try:
                answers = self._consumers[group].committed(wanted, timeout=5)
            except KafkaException as error:
                # One that is no member of its group goes on asking the address of before, if the same node id has another one.
                self._consumers.pop(group).close()
                return str(error)
            failed = [answer.error for answer in answers if answer.error is not None]
            return str(failed[0]) if failed else {answer.partition: answer.offset for answer in answers}

        seen = eventually(f"the committed offsets of {group}", look, lambda found: isinstance(found, dict))
        assert isinstance(seen, dict)
        return seen

    def _consumer_config(self, group: str) -> dict[str, Any]:
        return {
            "bootstrap.servers": self._bootstrap,
            "group.id": group,
            "enable.auto.commit": False,
            "reconnect.backoff.max.ms": 200,
            "socket.timeout.ms": SILENCE_MS,
            "log_level": 0,
        }

    def __enter__(self) -> Load:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for fleet in self.fleets.values():
            fleet.__exit__(kind, error, traceback)
        self._writer.stop() if self._writer.is_alive() else None
        self._transactions.stop()
        for consumer in self._consumers.values():
            consumer.close()


def stored_records(config: dict[str, Any]) -> dict[tuple[int, int], str]:
    """Everything in the topic, as a reader without a group sees it."""
    consumer = Consumer(config)
    found: dict[tuple[int, int], str] = {}
    partitions = [TopicPartition(TOPIC, partition, OFFSET_BEGINNING) for partition in range(PARTITIONS)]
    consumer.assign(partitions)
    total = sum(consumer.get_watermark_offsets(each, timeout=PATIENCE_SECONDS)[1] for each in partitions)
    while len(found) < total:
        message = consumer.poll(PATIENCE_SECONDS)
        assert message is not None, f"only {len(found)} of {total} records can be read"
        if message.error() is None:
            found[message.partition(), message.offset()] = message.value().decode()
    consumer.close()
    return found


def check_records(
    told: Acknowledged, stored: dict[tuple[int, int], str], describe: Describe = "partition {}, offset {}".format
) -> None:
    """Everything acknowledged is where it was said to be, once."""
    missing = {at: value for at, value in told.records.items() if stored.get(at) != value}
    assert not missing, f"{len(missing)} acknowledged records are not where they were said to be: {missing.popitem()}"
    twice = [value for value, count in Counter(stored.values()).items() if count > 1]
    places = [describe(*at) for at, value in stored.items() if twice and value == twice[0]]
    assert not twice, f"{len(twice)} records of an idempotent producer are there twice, such as {twice[0]}: {places}"
