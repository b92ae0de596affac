"""Prepares a broker for the scripts and plays them, several scenarios at a time: their groups do not meet.

The topics that every script may use are made here, and the coordinator is waited for. Called by the runner and the replay.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

from tests.conformance.authorization import TRANSACTIONAL
from tests.conformance.codec import Tree, api_named
from tests.conformance.connection import Connection
from tests.conformance.offsets_log import GroupRecord, records_of_groups
from tests.conformance.player import Answer, Broker, Player
from tests.conformance.script import Scenario, Script
from tests.conformance.transactions_log import records_of_transactions

SHARED_TOPICS: Final = {"orders": 3, "events": 2}
AT_A_TIME: Final = 6
READY_SECONDS: Final = 60
TRANSACTION_KEY: Final = 1
"""Of FindCoordinator."""
TRANSACTIONAL_ID_NOT_FOUND: Final = 105

SETTINGS: Final = {
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "100",
    "auto.create.topics.enable": "true",
    "num.partitions": "2",
}
"""What both brokers are started with; scripts may change it."""


@dataclass
class Play:
    """A scenario played once: what was answered and what is in the logs for its groups and transactions."""

    script: str
    key: str
    title: str
    answers: list[Answer] = field(default_factory=list)
    records: list[GroupRecord] = field(default_factory=list)


def prepare(name: str, host: str, port: int, transactions: bool = False) -> Broker:
    """Creates the shared topics and waits until every shard of the coordinator answers, or of both coordinators."""
    connection = Connection(host, port, "stage")
    topics = [{"name": each, "num_partitions": count, "replication_factor": 1} for each, count in SHARED_TOPICS.items()]
    _ask(connection, "CreateTopics", 5, {"topics": topics, "timeout_ms": 30_000})
    end = time.monotonic() + READY_SECONDS
    while not _coordinator_is_ready(connection) or (transactions and not _transactions_are_ready(connection)):
        if time.monotonic() > end:
            raise RuntimeError(f"a coordinator of {name} is not ready after {READY_SECONDS} s")
        time.sleep(0.05)
    found = _ask(connection, "Metadata", 12, {"topics": [{"name": each} for each in SHARED_TOPICS]})
    connection.close()
    return Broker(name, host, port, {each["name"]: each["topic_id"] for each in found["topics"]})


def _coordinator_is_ready(connection: Connection) -> bool:
    found = _ask(connection, "FindCoordinator", 3, {"key": "stage"})
    if found["error_code"]:
        return False
    names = [f"stage-{number}" for number in range(400)]
    described = _ask(connection, "DescribeGroups", 5, {"groups": names})
    topics = _ask(connection, "Metadata", 12, {"topics": [{"name": each} for each in SHARED_TOPICS]})["topics"]
    leaders = [part["leader_id"] for each in topics for part in each["partitions"]]
    return (
        not any(each["error_code"] for each in described["groups"])
        and len(leaders) == sum(SHARED_TOPICS.values())
        and min(leaders) >= 0
    )


def _transactions_are_ready(connection: Connection) -> bool:
    found = _ask(connection, "FindCoordinator", 3, {"key": "stage", "key_type": TRANSACTION_KEY})
    names = [f"stage-{number}" for number in range(400)]
    described = _ask(connection, "DescribeTransactions", 0, {"transactional_ids": names})
    errors = {each["error_code"] for each in described["transaction_states"]}
    producer = _ask(connection, "InitProducerId", 0, {"transactional_id": None, "transaction_timeout_ms": 0})
    return not found["error_code"] and errors == {TRANSACTIONAL_ID_NOT_FOUND} and not producer["error_code"]


def _ask(connection: Connection, api: str, version: int, body: Tree) -> Any:
    got = connection.ask(api_named(api), version, body)
    if not isinstance(got, dict):
        raise RuntimeError(f"{api} v{version} while preparing: {got}")
    return got


def play_all(broker: Broker, scripts: Iterable[Script], only: str = "") -> list[Play]:
    todo = [
        (script, scenario, version)
        for script in scripts
        for scenario in script.scenarios
        for version in scenario.versions()
        if only in f"{script.name}-{scenario.key}"
    ]
    # Kafka asks the transaction coordinator for several producers in one request, and each of them is answered in the words of
    # the first one's version: such conversations must not meet.
    at_a_time = 1 if any(TRANSACTIONAL in script.settings for script, *_ in todo) else AT_A_TIME
    with ThreadPoolExecutor(at_a_time) as pool:
        return list(pool.map(lambda each: play(broker, *each), todo))


def play(broker: Broker, script: Script, scenario: Scenario, version: int | None) -> Play:
    player = Player(broker, script, scenario, version)
    answers = player.play()
    records = _records(broker, player)
    return Play(script.name, scenario.key, player.title, answers, records)


def _records(broker: Broker, player: Player) -> list[GroupRecord]:
    connection = Connection(broker.host, broker.port, "log-reader")
    try:
        of_transactions = records_of_transactions(connection, player.transactional_ids, player.names)
        return of_transactions + records_of_groups(connection, player.groups, player.names)
    finally:
        connection.close()
