"""A topic, a group and its members on a server: what the group tests begin with and judge by."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from confluent_kafka import OFFSET_INVALID, ConsumerGroupTopicPartitions

from tests.interop.client_confluent import ConfluentClient
from tests.interop.fleet import Fleet
from tests.interop.reading_rules import broken_rules
from tests.interop.vocabulary import Sent
from tests.interop.waiting import PATIENCE_SECONDS

PARTITIONS = 4
JOURNAL = "__group_journal"


class Addressed(Protocol):
    """A server, or a cluster of them."""

    @property
    def address(self) -> str: ...


class Stage:
    """Records are produced from here with librdkafka; the members may be of any library."""

    def __init__(self, server: Addressed, home: Path, topic: str) -> None:
        self.server = server
        self.topic = topic
        self.client = ConfluentClient(server.address)
        self.client.create_topic(topic, PARTITIONS)
        self.ends = dict.fromkeys(range(PARTITIONS), 0)
        self._home = home

    def fleet(self, group: str | None = None) -> Fleet:
        return Fleet(self._home, bootstrap=self.server.address, group=group or self.topic, topic=self.topic)

    def produce(self, each: int = 25) -> None:
        """As many records to every partition."""
        for partition in self.ends:
            sent = [Sent(b"%d" % number, b"key") for number in range(each)]
            assert self.client.send(self.topic, partition, sent)[0] == self.ends[partition]
            self.ends[partition] += each

    def await_stable(self, fleet: Fleet) -> None:
        fleet.watch_until("the members to share the partitions", lambda: fleet.shares(PARTITIONS))

    def await_all_read(self, fleet: Fleet) -> None:
        """And committed: then nobody is in the middle of something."""
        total = sum(self.ends.values())
        fleet.watch_until("every record to be read", lambda: fleet.count_read() == total)
        fleet.watch_until("every record to be committed", lambda: self._said_committed(fleet) == self.ends)

    def _said_committed(self, fleet: Fleet) -> dict[int, int]:
        offsets = dict.fromkeys(self.ends, 0)
        for said in fleet.said("committed"):
            for partition, offset in said.details["offsets"].items():
                offsets[int(partition)] = max(offset, offsets[int(partition)])
        return offsets

    def judge(self, fleet: Fleet) -> None:
        """The rules of reading hold for all that was said, and the server's offsets are what the members committed."""
        broken = broken_rules(fleet.history, self.ends)
        assert not broken, broken
        assert self.committed(self.topic) == self.ends

    def committed(self, group: str) -> dict[int, int]:
        """As the server tells an admin client."""
        asked = [ConsumerGroupTopicPartitions(group)]
        (future,) = self.client.admin.list_consumer_group_offsets(asked).values()
        answer = future.result(PATIENCE_SECONDS)
        return {at.partition: at.offset for at in answer.topic_partitions if at.offset != OFFSET_INVALID}

    def journal(self, group: str) -> list[dict[str, Any]]:
        """Every event of a group, read like any topic."""
        events: list[dict[str, Any]] = []
        for partition in range(self.client.topics()[JOURNAL]):
            reader = self.client.reader(JOURNAL, partition)
            low, high = reader.watermarks()
            found = reader.read(high - low) if high > low else []
            events += [json.loads(each.value or b"") for each in found if each.key == group.encode()]
        return sorted(events, key=lambda event: event["at_ms"])

    def rebalances(self, group: str) -> list[str]:
        """The causes, in order."""
        return [event["cause"] for event in self.journal(group) if event["kind"] == "rebalance_started"]


@contextmanager
def staged(server: Addressed, home: Path, topic: str) -> Iterator[Stage]:
    stage = Stage(server, home, topic)
    yield stage
    stage.client.close()
