"""A tracked query that is killed and started again, and what its group and its checkpoint say at every step.

The same for Muster with our own source and for Kafka with Spark's connector.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from muster.client.admin import committed_offsets
from muster.client.cluster import Cluster
from muster.core.offsets.tracked_query import TrackedQuery, newest_query
from muster.spark.checkpoint_files import open_checkpoint
from muster.spark.offsets import Offsets
from tests.pipeline.tracking.tracked_run import GROUP, TOPIC

ROOT = Path(__file__).parents[3]
PATIENCE_SECONDS = 120


class TrackedQueryProcess:
    """The query, stopped at the end of each micro-batch until `let_go`."""

    def __init__(self, bootstrap: str, checkpoint: Path, jars: str = "") -> None:
        command = [sys.executable, "-m", "tests.pipeline.tracking.tracked_run", bootstrap, str(checkpoint), jars]
        self._errors = checkpoint.with_suffix(".stderr")
        with self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )

    def next_batch(self) -> int | None:
        """The number of the micro-batch that runs now; None when the query has come to its end."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("batch "):
                return int(line.split()[1])
            if line.startswith("{"):
                self.figures: dict[str, Any] = json.loads(line)
                return None
        raise AssertionError(f"the query failed: {self._errors.read_text()[-3000:]}")

    def let_go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def run_to_the_end(self) -> None:
        while self.next_batch() is not None:
            self.let_go()
        self._process.communicate(timeout=PATIENCE_SECONDS)
        assert self._process.returncode == 0


class Group:
    """What the coordinator has of the group."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap

    def committed(self) -> tuple[Offsets, TrackedQuery | None]:
        async def ask() -> Any:
            async with Cluster(self._bootstrap) as cluster:
                return await committed_offsets(cluster, GROUP)

        held = asyncio.run(ask())
        newest = newest_query(each.metadata for each in held.values())
        return {place: each.offset for place, each in held.items()}, newest

    def wait_for(self, batch: int) -> None:
        """Until the micro-batch is committed. A later one would be ahead of the checkpoint."""
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            _, query = self.committed()
            if query is not None and query.batch_id >= batch:
                assert query.batch_id == batch
                return
        raise AssertionError(f"micro-batch {batch} is not committed: {self.committed()}")


def tell_story(bootstrap: str, directory: Path, jars: str = "") -> dict[str, Any]:
    """Two kills and a run to the end; assertions on the way. Returns what the last run counted."""
    checkpoint, group = directory / "checkpoint", Group(bootstrap)
    query = TrackedQueryProcess(bootstrap, checkpoint, jars)
    assert query.next_batch() == 0
    assert group.committed() == ({}, None), "micro-batch 0 has not ended"
    for number in (1, 2):
        query.let_go()
        assert query.next_batch() == number
        group.wait_for(number - 1)
        assert_at(group, checkpoint, behind=0)
    query.let_go()
    assert query.next_batch() == 3
    query.kill()  # while the commit of micro-batch 2 may be on its way
    first_run = assert_at(group, checkpoint, behind=1)

    query = TrackedQueryProcess(bootstrap, checkpoint, jars)
    assert query.next_batch() == 3, "the unfinished one is repeated"
    assert_at(group, checkpoint, behind=1)
    for number in (4, 5):  # nobody waits for the group meanwhile, so that it has to keep up by itself
        query.let_go()
        assert query.next_batch() == number
    second_run = assert_at(group, checkpoint, behind=1)
    assert second_run.batch_id >= 3, "of this run, whose first micro-batch ended two ago"
    assert first_run.query_id == second_run.query_id
    assert first_run.run_id != second_run.run_id
    query.kill()

    query = TrackedQueryProcess(bootstrap, checkpoint, jars)
    query.run_to_the_end()
    assert_at(group, checkpoint, behind=0)
    return query.figures


def assert_at(group: Group, checkpoint: Path, *, behind: int) -> TrackedQuery:
    """The group is never ahead of the checkpoint, and at most so many micro-batches behind it."""
    offsets, query = group.committed()
    held = open_checkpoint(str(checkpoint))  # looked at later: it may only have gone on
    assert query is not None
    assert held.query.query_id == query.query_id
    assert held.query.batch_id - behind <= query.batch_id <= held.query.batch_id
    assert all(at <= held.offsets[place] for place, at in offsets.items())
    if query.batch_id == held.query.batch_id:
        assert offsets == held.offsets
    return query


def fill(bootstrap: str, records: int, partitions: int = 2) -> None:
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    admin.create_topics([NewTopic(TOPIC, partitions, 1)])[TOPIC].result(30)
    produce(bootstrap, records, partitions)


def produce(bootstrap: str, records: int, partitions: int = 2) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    for number in range(records):
        producer.produce(TOPIC, f"order {number}".encode(), partition=number % partitions)
    assert producer.flush(30) == 0
