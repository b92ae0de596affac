"""`muster serve --node-id auto`: nodes that nobody counts get ids from the store, each one that no other had."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from muster.server.automatic_id import next_node_id
from tests.cluster.node_process import NodeProcess
from tests.interop.waiting import eventually
from tests.log.postgres_server import empty_database

pytestmark = pytest.mark.xdist_group("cluster")


def live_nodes(url: str) -> list[int]:
    command = [sys.executable, "-m", "muster", "cluster", "status", "--json", url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [json.loads(line)["node"] for line in done.stdout.splitlines()]


def test_ids_begin_above_1000_never_repeat_and_spare_those_that_somebody_chose() -> None:
    url = empty_database()
    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(lambda _: next_node_id(url), range(8))) == list(range(1001, 1009))
    with psycopg.connect(url) as connection:
        connection.execute(
            "INSERT INTO muster.partitions (topic, partition, topic_id, owner) VALUES ('t', 0, gen_random_uuid(), 2000)"
        )
    assert [next_node_id(url) for _ in range(2)] == [2001, 2002]


def test_two_nodes_without_an_id_of_their_own_make_a_cluster(tmp_path: Path) -> None:
    url = empty_database()
    nodes = [NodeProcess(tmp_path, url, "auto", name=name) for name in ("first", "second")]
    try:
        for node in nodes:
            node.start_soon()
        for node in nodes:
            node.wait_until_listening()
        seen = eventually("both", lambda: sorted(live_nodes(url)), lambda found: len(found) == 2)
        assert seen == [1001, 1002]
        for node in nodes:
            node.stop()
    finally:
        for node in nodes:
            node.kill()


def test_a_server_of_its_own_has_to_say_a_number(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "muster", "serve", "--data", str(tmp_path), "--node-id", "auto"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("muster serve: node.id = auto (from flag --node-id): only a node of a cluster")
