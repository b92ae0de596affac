"""kafka-transactions: what is open and who wrote it, and a transaction that hangs because no coordinator knows it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tests.conformance.clients.tools.shell import Shell, until
from tests.conformance.codec import api_named
from tests.conformance.connection import Connection
from tests.conformance.raw_transactions import RawProducer

HOUR_MS: Final = 3_600_000
STRANGER: Final = (4_242_424, 7)
"""Producer id and epoch that no coordinator has given out."""
LATEST: Final = -1
OF_THE_RUN: Final = ("LastTimestamp", "CurrentTransactionStartTimeMs", "TransactionDurationMs")
"""Columns that differ from run to run."""


@contextmanager
def raw_producer(shell: Shell, name: str) -> Iterator[RawProducer]:
    connection = Connection(shell.node.host, shell.node.port, name)
    try:
        yield RawProducer(connection, name)
    finally:
        connection.close()


def list_and_describe(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "tx-tool", "--partitions", "2")
    with raw_producer(shell, "tool-open") as producer:
        producer.start()
        producer.add("tx-tool", 0, 1)
        producer.send("tx-tool", 1, b"open")
        shell.saw("listed", _table(shell.run("transactions", "list", "--transactional-id-pattern", "tool-.*")))
        shell.saw("listed by duration", _table(shell.run("transactions", "list", "--duration-filter", "9999999")))
        which = ("describe", "--transactional-id", "tool-open")
        shell.saw("described", _table(shell.run("transactions", *which)))
        producer.end(commit=True)
        until("it has ended", lambda: "CompleteCommit" in shell.run("transactions", *which))
        shell.saw("described after its end", _table(shell.run("transactions", *which)))
    unknown = shell.run("transactions", "describe", "--transactional-id", "nobody", ends_with=1)
    shell.saw("unknown", _sentence(unknown))


def describe_producers(shell: Shell) -> None:
    shell.run("topics", "--create", "--topic", "tx-producers", "--partitions", "1")
    with raw_producer(shell, "tool-producers") as producer:
        producer.start()
        producer.add("tx-producers", 0)
        producer.send("tx-producers", 0, b"one", b"two", time_ms=1_000)
        which = ("describe-producers", "--topic", "tx-producers", "--partition", "0")
        shell.saw("open", _table(shell.run("transactions", *which)))
        producer.end(commit=False)
        until("it is closed", lambda: _last_stable_offset(shell, "tx-producers", 0) == 3)
        shell.saw("aborted, of a broker", _table(shell.run("transactions", *which, "--broker-id", "1")))


def hanging(shell: Shell) -> None:
    """Its records are an hour old, its coordinator knows of no transaction: it is found, and ended by its first offset."""
    shell.run("topics", "--create", "--topic", "tx-hanging", "--partitions", "2")
    with raw_producer(shell, "tool-orphan") as orphan:
        orphan.producer_id, orphan.epoch = STRANGER
        for partition in range(2):
            orphan.send("tx-hanging", partition, b"orphan", time_ms=time.time_ns() // 1_000_000 - HOUR_MS)
    find = ("find-hanging", "--broker-id", "1")
    shell.saw("found", _table(shell.run("transactions", *find)))
    shell.saw("found by topic", _table(shell.run("transactions", "find-hanging", "--topic", "tx-hanging")))
    assert _last_stable_offset(shell, "tx-hanging", 0) == 0
    where = ("abort", "--topic", "tx-hanging", "--partition")
    nothing = shell.run("transactions", *where, "0", "--start-offset", "5", ends_with=1)
    shell.saw("no transaction there", _sentence(nothing))
    shell.saw("aborted", shell.run("transactions", *where, "0", "--start-offset", "0"))
    numbers = ("--producer-id", str(STRANGER[0]), "--producer-epoch", str(STRANGER[1]), "--coordinator-epoch", "0")
    shell.saw("aborted by numbers", shell.run("transactions", *where, "1", *numbers))
    shell.saw("found afterwards", _table(shell.run("transactions", *find)))
    assert [_last_stable_offset(shell, "tx-hanging", each) for each in range(2)] == [2, 2]


def _last_stable_offset(shell: Shell, topic: str, partition: int) -> int:
    connection = Connection(shell.node.host, shell.node.port, "lso")
    partitions = [{"partition_index": partition, "current_leader_epoch": -1, "timestamp": LATEST}]
    body = {"replica_id": -1, "isolation_level": 1, "topics": [{"name": topic, "partitions": partitions}]}
    answer = connection.ask(api_named("ListOffsets"), 6, body)
    connection.close()
    offset: int = answer["topics"][0]["partitions"][0]["offset"]
    return offset


def _table(said: str) -> str:
    """Without times, and without producer ids that a coordinator gave out; rows in order."""
    head, *rows = (line.rstrip("\t").split("\t") for line in said.splitlines() if line.strip())
    names = [each.strip() for each in head]
    lines = [" ".join(_cell(name, text.strip()) for name, text in zip(names, row, strict=False)) for row in rows]
    return "\n".join([" ".join(names), *sorted(lines)])


def _cell(name: str, text: str) -> str:
    is_of_the_run = name in OF_THE_RUN or (name == "ProducerId" and text != str(STRANGER[0]))
    return "N" if is_of_the_run and text.isdecimal() else text


def _sentence(said: str) -> str:
    return "\n".join(line for line in said.splitlines() if not re.match(r"\s+at |Caused by|\t", line))
