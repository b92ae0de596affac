"""A lake as `muster pipeline run --bootstrap --follow` begins it where 11,000 records wait and the groups have stopped.

They stopped five minutes before: the broker's clock stood there when they committed, and was then moved to now.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from confluent_kafka import Consumer, Producer, TopicPartition

from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.reader import Lake
from muster.testing import Broker

READ: Final = {"billing": 40, "audit": 5, "search": 0}
"""How much of `orders` each group had read, in per cent."""
UNKNOWN: Final = "ledger"
"""A group that reads `transfers`, whose producer's clock is ahead: nobody can tell how long its records wait."""
STOPPED_MS: Final = 5 * 60_000
_MINUTE_MS: Final = 60_000
_BATCHES: Final = 55
_IN_A_BATCH: Final = 100
_PARTITIONS: Final = 2


def followed_lake(lake: Path) -> Path:
    """Of a run that was stopped as soon as it knew of every group how late it is, as far as that can be known."""
    with Broker(topics={"orders": _PARTITIONS, "transfers": 1}, start_ms=_now_ms() - STOPPED_MS) as broker:
        _produce(broker.bootstrap_servers)
        for group, percent in READ.items():
            offset = _BATCHES * _IN_A_BATCH * percent // 100
            _read_and_stop(
                broker.bootstrap_servers, group, [TopicPartition("orders", part, offset) for part in range(_PARTITIONS)]
            )
        _read_and_stop(broker.bootstrap_servers, UNKNOWN, [TopicPartition("transfers", 0, 10)])
        broker.clock.advance(ms=max(_now_ms() - broker.clock.now_ms(), 0))
        _follow(broker.bootstrap_servers, lake)
    return lake


def methods(lake: Path) -> dict[str, set[str]]:
    """How the time lag of each group was found; nothing before the first round."""
    try:
        rows = Lake.open(lake).arrow("g_lag", ["group_id", "method"]).to_pylist()
    except LakeError:
        return {}
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(row["group_id"], set()).add(row["method"])
    return found


def _produce(address: str) -> None:
    """11,000 records of the last hour, a batch a minute; and a few that say they were written in half an hour."""
    producer, now_ms = Producer({"bootstrap.servers": address, "linger.ms": 0}), _now_ms()
    for batch in range(_BATCHES):
        for partition in range(_PARTITIONS):
            for _ in range(_IN_A_BATCH):
                written_ms = now_ms - (60 - batch) * _MINUTE_MS
                producer.produce("orders", b"an order", partition=partition, timestamp=written_ms)
        producer.flush()
    for _ in range(50):
        producer.produce("transfers", b"a transfer", timestamp=now_ms + 30 * _MINUTE_MS)
    producer.flush()


def _read_and_stop(address: str, group: str, places: list[TopicPartition]) -> None:
    consumer = Consumer({"bootstrap.servers": address, "group.id": group, "enable.auto.commit": False})
    consumer.subscribe([places[0].topic])
    while not consumer.assignment():
        consumer.poll(0.1)
    consumer.commit(offsets=places, asynchronous=False)
    consumer.close()


def _follow(address: str, lake: Path) -> None:
    command = [sys.executable, "-m", "muster", "pipeline", "run", "--bootstrap", address, "--lake", str(lake)]
    known = {**{group: {"bracket"} for group in READ}, UNKNOWN: {"left_bound"}}
    flags = ["--follow", "--every", "1s", "--gold-every", "1s", "--master", "local[1]"]
    said: list[str] = []
    is_stopped = False
    with subprocess.Popen([*command, *flags], stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        for line in running.stderr:
            said.append(line)
            if not is_stopped and methods(lake) == known:
                running.send_signal(signal.SIGINT)  # once: a second one interrupts the batch in work
                is_stopped = True
    assert running.returncode == 0, said


def _now_ms() -> int:
    return int(time.time() * 1000)
