"""The cluster under fire: rounds drawn by a seed, each of which does one bad thing while real clients work.

What can happen to nodes is in `node_rounds`, to the database in `database_rounds`; each round runs while a member of
the other protocol comes to one of the groups. After every round the groups must get on, the ledger of commits must be
complete, and every partition must have one owner in each group; at the end every record must be there too.
`python -m tests.cluster.chaos` runs the long form and says what happened. Printed first: the seed, and what cannot be done here.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic

from tests.cluster.database_rounds import DatabaseRounds
from tests.cluster.load import TOPIC, Load
from tests.cluster.node_process import LEASE_MS, SETTINGS
from tests.cluster.node_rounds import MOST_NODES, NodeRounds
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.round_tools import DATABASE
from tests.cluster.small_disk import SmallDisk, can_mount
from tests.cluster.stage import ClusterStage
from tests.cluster.stall_report import stall_report
from tests.cluster.stepped_clock import CAN_STEP, SteppedClock
from tests.cluster.stored_batches import describe_batch

FIRST_NODES = (1, 2, 3)
DISK_MEGABYTES = 2_048
DEFAULT_LEASE_MS = 3_000
"""Of the long form, as operators have it: a round of a node in which partitions move is two dozen statements, and a database that
takes 100 ms for each would outlast the lease of the other tests."""


class Rounds(NodeRounds, DatabaseRounds):
    """What can happen to a cluster. Each leaves at least two nodes, and no damage behind but what it says."""

    def names(self) -> list[str]:
        """Those that make sense now."""
        return [*self.names_of_nodes(), *self.names_of_database()]

    def run(self, name: str) -> str:
        said: str = getattr(self, name)()
        return said


class Bag:
    """Draws what can happen so that everything happens: each kind once before any comes again, as far as it makes sense then."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._left: list[str] = []
        self.drawn: Counter[str] = Counter()

    def draw(self, names: Sequence[str]) -> str:
        if not any(name in names for name in self._left):
            self._left = self._random.sample(names, len(names))
        drawn = next(name for name in self._left if name in names)
        self._left.remove(drawn)
        self.drawn[drawn] += 1
        return drawn


def left_out() -> list[str]:
    """What the seed cannot draw on this machine, and why."""
    said = []
    if not can_mount():
        said.append("not drawn: fill_disk, fill_disk_of_the_log (nothing can be mounted here: it takes root, on Linux)")
    if not CAN_STEP:
        said.append("not drawn: step_clock, step_clock_of_database (it takes a C compiler, on Linux)")
    return said


@contextmanager
def on_stage(home: Path, lease_ms: int) -> Iterator[tuple[ClusterStage, SmallDisk | None, dict[int, SteppedClock]]]:
    """A cluster whose database has a disk that can be filled, where that can be had, and whose processes have clocks that can be
    set."""
    disk = SmallDisk(DISK_MEGABYTES) if can_mount() else None
    database = PostgresProcess(disk=disk)
    clocks = {}
    if CAN_STEP:
        clocks[DATABASE] = SteppedClock(database.home, "database")
        database.environment = clocks[DATABASE].environment
    settings = {**SETTINGS, "muster.lease.ms": str(lease_ms)}
    with database, ClusterStage(home, database, settings) as stage:
        for node_id in range(1, MOST_NODES + 1):
            stage.prepare(node_id)
            if CAN_STEP:
                clocks[node_id] = SteppedClock(home, f"node{node_id}")
                stage.nodes[node_id].environment = clocks[node_id].environment
        stage.add(*FIRST_NODES)
        yield stage, disk, clocks


def run(
    home: Path,
    plan: Sequence[str] | int,
    seed: int,
    say: Callable[[str], None] = lambda line: None,
    lease_ms: int = LEASE_MS,
) -> str:
    """Rounds by name, or so many that the seed draws. AssertionError if anything acknowledged is missing."""
    random = Random(seed)
    with on_stage(home, lease_ms) as (stage, disk, clocks):
        describe = partial(describe_batch, stage.database.url, TOPIC)
        with Load(home, stage.bootstrap, partial(stall_report, stage), describe) as load:
            load.start()
            rounds, bag = Rounds(stage, load, random, disk, clocks), Bag(random)
            load.progress()
            for number in range(plan if isinstance(plan, int) else len(plan)):
                name = bag.draw(rounds.names() if isinstance(plan, int) else [plan[number]])
                load.begin_exchange()
                began = monotonic()
                what = rounds.run(name)
                complete = monotonic()
                load.end_exchange()
                say(
                    f"round {number + 1}: {what}; commits complete after {complete - began:.1f} s, "
                    f"all groups stable {monotonic() - complete:.1f} s later"
                )
            say("rounds by kind: " + ", ".join(f"{name} {count}" for name, count in sorted(bag.drawn.items())))
            ledger = load.settle()
        for node_id in stage.running:
            stage.nodes[node_id].stop()
        for node in stage.nodes.values():
            assert "Traceback" not in node.log, f"node {node.node_id} broke:\n{node.log}"
    return ledger


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--keep", metavar="DIR", help="where the logs of the nodes go (default: a directory that goes away)"
    )
    parser.add_argument("--plan", metavar="NAME", nargs="+", help="these rounds, in this order, instead of drawn ones")
    arguments = parser.parse_args()
    plan = arguments.plan or arguments.rounds
    print(f"seed {arguments.seed}, {len(plan) if arguments.plan else plan} rounds", *left_out(), sep="\n", flush=True)

    def say(line: str) -> None:
        print(line, flush=True)

    if arguments.keep:
        Path(arguments.keep).mkdir(parents=True, exist_ok=True)
        print(run(Path(arguments.keep), plan, arguments.seed, say, DEFAULT_LEASE_MS))
        return 0
    with tempfile.TemporaryDirectory(prefix="muster-chaos-") as home:
        print(run(Path(home), plan, arguments.seed, say, DEFAULT_LEASE_MS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
