"""`make bench`: Muster and a real Apache Kafka in turn under the same load, several rounds, medians in one table.

Kafka needs Java and, the first time, Maven; without them the table has Muster alone. `--write` puts the table into
docs/performance.md. Exit code 1 if a figure misses its floor.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bench.contenders import Contender, DidNotStart, Kafka, Muster
from bench.generator import GeneratorFailed, build, server_and_generator_cores
from bench.machine import Others, machine
from bench.page import PAGE, write_table
from bench.stages import STAGES, Sample, run_stage
from bench.table import not_met, table
from tests.conformance import kafka

ROUNDS = 3


def main(arguments: Sequence[str]) -> int:
    wanted = _parsed(arguments)
    try:
        build()
        muster, other = Muster(wanted.python), None if wanted.without_kafka else _kafka()
        return _measure(wanted, muster, other)
    except (GeneratorFailed, DidNotStart) as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return 130


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often both are measured ({ROUNDS})")
    parser.add_argument("--only", choices=STAGES, action="append", help="this stage alone; may be repeated")
    parser.add_argument("--without-kafka", action="store_true", help="Muster alone")
    parser.add_argument("--python", default=sys.executable, help="the interpreter whose Muster is measured (this one)")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    return parser.parse_args(arguments)


def _kafka() -> Kafka | None:
    try:
        return Kafka(kafka.obtain())
    except kafka.KafkaMissing as missing:
        print(f"Kafka is not measured: {missing}", file=sys.stderr)
        return None


def _measure(wanted: argparse.Namespace, muster: Muster, other: Kafka | None) -> int:
    others = Others()
    print(f"{muster.form()} and {other.name if other else 'no Kafka'} on {machine()}")
    if server_and_generator_cores() is None:
        print("There is one core only: the generator takes part of the server's.")
    contenders: list[Contender] = [muster, *([other] if other else [])]
    samples: dict[str, list[Sample]] = {each.name: [] for each in contenders}
    for round_ in range(1, wanted.rounds + 1):
        for stage in wanted.only or STAGES:
            for contender in contenders:
                print(f"round {round_} of {wanted.rounds}: {stage}, {contender.name}", file=sys.stderr)
                samples[contender.name] += run_stage(STAGES[stage], contender)
    ours, theirs = samples[muster.name], samples[other.name] if other else []
    verdict = others.verdict()
    against = f"{muster.form()} against {other.name}" if other else f"{muster.form()} alone"
    rounds = f"medians of {wanted.rounds} interleaved rounds" if wanted.rounds > 1 else "one round"
    lines = [
        f"{against}, {rounds}, on {machine()}. {verdict}",
        "",
        *table(ours, theirs),
        "",
        _generator_share(ours),
    ]
    print("\n" + "\n".join(lines))
    if wanted.write:
        write_table("make bench", lines)
    missed = not_met(ours, theirs)
    for name in missed:
        print(f"floor missed: {name}", file=sys.stderr)
    return 1 if missed else 0


def _generator_share(samples: list[Sample]) -> str:
    """Whether the generator was the bottleneck."""
    loads = [sample.load for sample in samples if sample.load is not None]
    if not loads:
        return ""
    most = max(loads, key=lambda load: load.generator_busy)
    return f"The generator had its core to {most.generator_busy:.0%} busy at most."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
