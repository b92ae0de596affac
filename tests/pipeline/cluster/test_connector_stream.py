"""Spark's Kafka connector over a running Muster as the source of a stream: the same commits, limits and restarts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.pipeline.cluster.needs import CONNECTOR, Missing, jars
from tests.pipeline.kafka_clients import create_topics
from tests.pipeline.sources.connector_run import commit
from tests.pipeline.sources.written_log import TOPIC

ROOT = Path(__file__).parents[3]


def test_connector_stream_reads_every_commit_once_over_limits_and_restarts(tmp_path: Path) -> None:
    try:
        connector = ",".join(map(str, jars("connector", CONNECTOR, alone=True).files))
    except Missing as missing:
        pytest.skip(str(missing))
    settings = {"muster.data": str(tmp_path / "data"), "listeners": "127.0.0.1:0", "offsets.topic.num.partitions": "2"}
    with RunningServer(Settings.of(settings)) as server:
        create_topics(server.address, {"orders": 1})
        commit(server.address, *range(7))
        arguments = [server.address, str(tmp_path / "out"), connector, "", server.address]
        command = [sys.executable, "-m", "tests.pipeline.sources.connector_run", *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    offsets = [row for row in found["rows"] if row["log_topic"] == TOPIC]
    assert [row["committed_offset"] for row in offsets] == list(range(8))
    assert {(row["group_id"], row["source"]) for row in offsets} == {("billing", "kafka")}
    first, second, third, ticked = found["batches"]
    assert len(first) >= 2, "seven commits in micro-batches of a few offsets"
    assert sum(second) == 1
    assert third == [], "nothing new"
    assert ticked == [0], "nothing new but a tick"
