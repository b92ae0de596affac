"""A large cluster on one machine: ten nodes, one PostgreSQL, 1,000 coordinator partitions, 100,000 groups with ten offsets each.

Prints how fast it fills and what that writes, what an idle cluster costs, how long the partitions of a killed node are without a
coordinator, and how long it takes until a new node has its share. Real processes and a database that syncs to disk; all of them
share the machine's cores, so times are upper bounds.

`python -m bench.cluster_scale [--nodes N] [--partitions N] [--groups N] [--write]`
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

from bench.cluster_probe import OFFSETS_A_GROUP, Fleet, commit_all, create_topic
from bench.database_cost import cost_of
from bench.machine import Others, machine
from bench.page import CLUSTER_PAGE, write_table
from bench.process_cost import cpu_seconds, resident_mb
from tests.cluster.node_process import SETTINGS
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage

COMMAND = "python -m bench.cluster_scale"
LEASE_MS = 3_000
CLIENTS_A_NODE = 4
IDLE_SECONDS = 20
CONNECTIONS_A_NODE = 8


class Scale:
    """One cluster through all its stages; `lines` is the table."""

    def __init__(self, stage: ClusterStage, database: PostgresProcess, partitions: int, groups: int) -> None:
        self._stage = stage
        self._database = database
        self._fleet = Fleet(stage, partitions, groups)
        self.lines = ["| what | measured |", "|---|---|"]

    def fill(self) -> None:
        """Every group commits its offsets once, without members."""
        create_topic(self._stage)
        self._fleet.coordinators()  # the first question makes `__consumer_offsets`
        self._stage.wait_for_owners(*self._stage.nodes)
        by_node = self._fleet.groups_by_coordinator()
        before, began = cost_of(self._database), perf_counter()
        shares = [
            (node_id, groups[n::CLIENTS_A_NODE]) for node_id, groups in by_node.items() for n in range(CLIENTS_A_NODE)
        ]
        with ThreadPoolExecutor(len(shares)) as clients:
            done = sum(clients.map(lambda share: commit_all(self._stage.nodes[share[0]].port, share[1]), shares))
        took = perf_counter() - began
        after = cost_of(self._database)
        wal = (after.wal_bytes - before.wal_bytes) / done
        cpu = 1e6 * (after.cpu_seconds - before.cpu_seconds) / done
        self._row(
            "commits of ten offsets, while it fills",
            f"{done / took:,.0f} a second; {wal:,.0f} bytes of WAL and {cpu:.0f} µs of the database's CPU each",
        )
        self._row("the database on disk", f"{after.size_bytes / 2**20:,.0f} MB")
        self._row("memory of a node", _spread([resident_mb(node.pid) for node in self._stage.nodes.values()], "MB", 0))

    def idle(self) -> None:
        nodes = list(self._stage.nodes.values())
        before, first, sent_before = [cpu_seconds(node.pid) for node in nodes], cost_of(self._database), self._sent()
        sleep(IDLE_SECONDS)
        after, last, sent = [cpu_seconds(node.pid) for node in nodes], cost_of(self._database), self._sent()
        a_node = [100 * (b - a) / IDLE_SECONDS for a, b in zip(before, after, strict=True)]
        self._row("idle: statements of all nodes", f"{(sent - sent_before) / IDLE_SECONDS:.0f} a second")
        self._row(
            "idle: transactions of the database",
            f"{(last.transactions - first.transactions) / IDLE_SECONDS:.0f} a second",
        )
        self._row(
            "idle: CPU of the database",
            f"{100 * (last.cpu_seconds - first.cpu_seconds) / IDLE_SECONDS:.1f} % of a core",
        )
        self._row("idle: CPU of a node", _spread(a_node, "% of a core", 1))

    def _sent(self) -> int:
        """BEGIN and COMMIT too: counted on the way to the database."""
        return sum(cable.statements for cable in self._stage.cables.values())

    def kill_one(self) -> None:
        """Until each partition that it led is answered for elsewhere."""
        killed = max(self._stage.nodes)
        lost = [partition for partition, node_id in self._fleet.coordinators().items() if node_id == killed]
        began = perf_counter()
        self._stage.nodes[killed].kill()
        answered = self._fleet.wait_until_answered(lost, without=killed)
        seconds = [when - began for when, _ in answered.values()]
        by_heir: dict[int, float] = {}
        for when, heir in answered.values():
            by_heir[heir] = max(by_heir.get(heir, 0.0), when - began)
        self._row(
            f"SIGKILL of a node that leads {len(lost)} coordinator partitions: until another answers for them",
            f"first {min(seconds):.1f} s, half {median(seconds):.1f} s, all {max(seconds):.1f} s"
            f" (by heir {_spread(by_heir.values(), 's', 1)}); lease {LEASE_MS / 1000:.0f} s",
        )

    def add_one(self) -> None:
        """Until the newcomer has its share and everybody answers."""
        newcomer = max(self._stage.nodes) + 1
        before = self._fleet.coordinators()
        began = perf_counter()
        self._stage.add(newcomer)
        came = perf_counter() - began
        self._stage.wait_for_owners(*self._stage.running)
        spread = perf_counter() - began
        self._fleet.wait_until_answered(list(before))
        moved = sum(node_id != before[partition] for partition, node_id in self._fleet.coordinators().items())
        self._row(
            "a node is added: until it has its share and all answer",
            f"it listens after {came:.1f} s, owners are even after {spread:.1f} s, all answer after {perf_counter() - began:.1f} s;"
            f" {moved} of {len(before)} coordinator partitions moved",
        )

    def _row(self, what: str, measured: str) -> None:
        self.lines.append(f"| {what} | {measured} |")
        print(f"{what}: {measured}", file=sys.stderr, flush=True)


def _spread(values: Iterable[float], unit: str, digits: int) -> str:
    seen = sorted(values)
    return f"{seen[0]:.{digits}f} to {seen[-1]:.{digits}f} {unit}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--nodes", type=int, default=10, help="how many nodes (10)")
    parser.add_argument("--partitions", type=int, default=1_000, help="of __consumer_offsets (1000)")
    parser.add_argument("--groups", type=int, default=100_000, help=f"each with {OFFSETS_A_GROUP} offsets (100000)")
    parser.add_argument("--write", action="store_true", help=f"put the table into {CLUSTER_PAGE.name}")
    wanted = parser.parse_args(arguments)
    home = Path(tempfile.mkdtemp(prefix="muster-scale-"))
    settings = {
        **SETTINGS,
        "muster.lease.ms": str(LEASE_MS),
        "offsets.topic.num.partitions": str(wanted.partitions),
        "transaction.state.log.num.partitions": "50",
    }
    others = Others()
    database = PostgresProcess(is_synced=True, connections=(wanted.nodes + 1) * CONNECTIONS_A_NODE + 20)
    try:
        with database, ClusterStage(home, database, settings) as stage:
            stage.add(*range(1, wanted.nodes + 1))
            scale = Scale(stage, database, wanted.partitions, wanted.groups)
            for step in (scale.fill, scale.idle, scale.kill_one, scale.add_one):
                step()
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return 130
    finally:
        shutil.rmtree(home, ignore_errors=True)
    title = (
        f"{wanted.nodes} nodes, {wanted.partitions:,} coordinator partitions, {wanted.groups:,} groups,"
        f" {wanted.groups * OFFSETS_A_GROUP:,} offsets; nodes, clients and database on {machine()}. {others.verdict()}"
    )
    lines = [title, "", *scale.lines]
    print("\n".join(lines))
    if wanted.write:
        write_table(COMMAND, lines, CLUSTER_PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
