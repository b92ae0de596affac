"""`muster sim`: run the simulator over seeds, say what was violated, and how to see it again."""

from __future__ import annotations

import argparse
import logging
import sys
import time

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.support.numbers import int64, shortened

MOST_NODES = 20

_EXAMPLES = """\
examples:
  muster sim                     100 seeds from 0 on
  muster sim --seeds 5000        as many as that
  muster sim --seed 42           one seed, with what it did
  muster sim --seed 42 --log     and with the server's own log
  muster sim --transactions      with transactional producers and readers of committed records
  muster sim --consumers         with consumer groups, and a group that is moved between the protocols
  muster sim --nodes 3           a cluster of three over one database
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("--seed", type=int64, default=None, metavar="N", help="run this seed alone")
    parser.add_argument(
        "--seeds", type=int64, default=100, metavar="COUNT", help="how many seeds to run (default: 100)"
    )
    parser.add_argument(
        "--from", type=int64, default=0, dest="first", metavar="N", help="the first of them (default: 0)"
    )
    parser.add_argument(
        "--nodes",
        type=_node_count,
        default=1,
        metavar="COUNT",
        help="how many servers; more than one are a cluster (default: 1)",
    )
    parser.add_argument(
        "--transactions", action="store_true", help="transactional producers and readers of committed records take part"
    )
    parser.add_argument(
        "--consumers",
        action="store_true",
        help="members of consumer groups take part, and a group that is moved from one protocol to the other",
    )
    parser.add_argument("--log", action="store_true", help="show what the simulated server logs")


def _node_count(text: str) -> int:
    if not text.isdecimal() or len(text) > 4 or not 1 <= int(text) <= MOST_NODES:
        raise argparse.ArgumentTypeError(f"{shortened(text)!r} is not a number of servers from 1 to {MOST_NODES}")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    from muster.sim.run import shrink, simulate

    if arguments.log:
        logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    else:
        logging.disable(logging.CRITICAL)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    if arguments.seed is not None:
        seeds = range(arguments.seed, arguments.seed + 1)
    who = {"transactions": arguments.transactions, "consumers": arguments.consumers}
    kind = f" --nodes {arguments.nodes}" if arguments.nodes > 1 else ""
    kind += "".join(f" --{name}" for name, takes_part in who.items() if takes_part)
    began = time.monotonic()
    events = commits = generations = lives = epochs = transactions = migrations = failed = 0
    for done, seed in enumerate(seeds):
        if sys.stderr.isatty():
            print(f"\rseed {seed} ({done} of {len(seeds)})", end="", file=sys.stderr, flush=True)
        verdict = simulate(seed, nodes=arguments.nodes, **who)
        events, commits = events + verdict.events, commits + verdict.commits
        generations, lives = generations + verdict.generations, lives + verdict.lives
        epochs, transactions = epochs + verdict.epochs, transactions + verdict.transactions
        migrations += verdict.migrations
        if verdict.violations:
            failed += 1
            print(f"seed {seed} violates:", *verdict.violations, sep="\n  ")
            needed = shrink(seed, arguments.nodes, **who)
            print(f"  needed faults: {', '.join(sorted(needed))}")
            print(f"  see it again: muster sim{kind} --seed {seed} --log")
    if sys.stderr.isatty():
        print("\r", end="", file=sys.stderr)
    more = f", {transactions} committed transactions" if arguments.transactions else ""
    more += f", {migrations} migrations" if arguments.consumers else ""
    more += f", {epochs} times a partition got an owner" if arguments.nodes > 1 else ""
    print(
        f"{len(seeds)} seeds in {time.monotonic() - began:.1f} s: {events} events, {generations} generations, "
        f"{commits} acknowledged commits, {lives} server lives{more}; {failed} seeds violate something"
    )
    if len(seeds) == 1:
        print(f"digest {verdict.digest}")
    return FAILED if failed else DONE
