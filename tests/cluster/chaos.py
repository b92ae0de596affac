"""The cluster under fire: rounds drawn by a seed, each of which does one bad thing while real clients work.

Kill, freeze and thaw, stop in order, add, cut off from the database, restart the database in order or by a crash, each while a
member of the other protocol comes to one of the groups. After every round the groups must get on, the ledger of commits must be
complete, and every partition must have one owner in each group; at the end every record must be there too.
`python -m tests.cluster.chaos` runs the long form and says what happened; the seed is printed first.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic

from tests.cluster.load import Load
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage
from tests.cluster.stall_report import stall_report
from tests.interop.waiting import eventually

FIRST_NODES = (1, 2, 3)
MOST_NODES = 4


class Rounds:
    """What can happen to a cluster. Each leaves at least two nodes, and no damage behind but what it says."""

    def __init__(self, stage: ClusterStage, load: Load, random: Random) -> None:
        self._stage = stage
        self._load = load
        self._random = random

    def names(self) -> list[str]:
        """Those that make sense now."""
        names = ["freeze", "cut", "restart_database", "crash_database"]
        if len(self._stage.running) > 2:
            names += ["kill", "stop"]
        if len(self._stage.running) < MOST_NODES:
            names += ["add", "add"]
        return names

    def run(self, name: str) -> str:
        said: str = getattr(self, name)()
        return said

    def kill(self) -> str:
        victim = self._victim()
        self._stage.nodes[victim].kill()
        self._load.progress()
        return f"node {victim} killed"

    def stop(self) -> str:
        victim = self._victim()
        self._stage.nodes[victim].stop()
        self._load.progress()
        return f"node {victim} stopped in order"

    def add(self) -> str:
        absent = [node_id for node_id in range(1, MOST_NODES + 1) if node_id not in self._stage.running]
        node_id = self._random.choice(absent)
        self._stage.add(node_id)
        self._stage.wait_for_owners(*self._stage.running)
        self._load.progress()
        return f"node {node_id} added"

    def freeze(self) -> str:
        victim = self._victim()
        self._stage.nodes[victim].freeze()
        self._wait_until_missed(victim)
        # Not waiting for progress here: clients that have asked it something believe in a silent connection for up to 40 s.
        self._stage.nodes[victim].thaw()
        self._stage.wait_for_owners(*self._stage.running)
        self._load.progress()
        return f"node {victim} frozen past its lease, then thawed"

    def cut(self) -> str:
        victim = self._victim()
        self._stage.cables[victim].cut()
        self._wait_until_missed(victim)
        self._load.progress()
        self._stage.cables[victim].mend()
        self._stage.wait_for_owners(*self._stage.running)
        self._load.progress()
        return f"node {victim} cut off from the database past its lease, then mended"

    def restart_database(self) -> str:
        return self._restart("fast")

    def crash_database(self) -> str:
        return self._restart("immediate")

    def _restart(self, mode: str) -> str:
        self._stage.database.stop(mode)
        self._stage.database.start()
        self._load.progress()
        return f"database stopped ({mode}) and started"

    def _victim(self) -> int:
        """Most often the coordinator of a group."""
        if self._random.random() < 0.7:
            return self._stage.coordinator_of(self._random.choice(sorted(self._load.fleets)))
        return self._random.choice(self._stage.running)

    def _wait_until_missed(self, victim: int) -> None:
        eventually(f"node {victim} to be missed", self._stage.status, lambda status: victim not in status)


def run(home: Path, plan: Sequence[str] | int, seed: int, say: Callable[[str], None] = lambda line: None) -> str:
    """Rounds by name, or so many that the seed draws. AssertionError if anything acknowledged is missing."""
    random = Random(seed)
    with PostgresProcess() as database, ClusterStage(home, database) as stage:
        stage.add(*FIRST_NODES)
        for node_id in range(1, MOST_NODES + 1):
            stage.prepare(node_id)
        with Load(home, stage.bootstrap, partial(stall_report, stage)) as load:
            load.start()
            rounds = Rounds(stage, load, random)
            load.progress()
            for number in range(plan if isinstance(plan, int) else len(plan)):
                name = random.choice(rounds.names()) if isinstance(plan, int) else plan[number]
                load.begin_exchange()
                began = monotonic()
                what = rounds.run(name)
                complete = monotonic()
                load.end_exchange()
                say(
                    f"round {number + 1}: {what}; commits complete after {complete - began:.1f} s, "
                    f"all groups stable {monotonic() - complete:.1f} s later"
                )
            ledger = load.settle()
        for node_id in stage.running:
            stage.nodes[node_id].stop()
        for node in stage.nodes.values():
            assert "Traceback" not in node.log, f"node {node.node_id} broke:\n{node.log}"
    return ledger


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--keep", metavar="DIR", help="where the logs of the nodes go (default: a directory that goes away)"
    )
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}, {arguments.rounds} rounds", flush=True)

    def say(line: str) -> None:
        print(line, flush=True)

    if arguments.keep:
        Path(arguments.keep).mkdir(parents=True, exist_ok=True)
        print(run(Path(arguments.keep), arguments.rounds, arguments.seed, say))
        return 0
    with tempfile.TemporaryDirectory(prefix="muster-chaos-") as home:
        print(run(Path(home), arguments.rounds, arguments.seed, say))
    return 0


if __name__ == "__main__":
    sys.exit(main())
