"""One load on Muster alone: `python -m bench.quick commit --partitions 10`. For work on one path, between runs of `make bench`.

Options after the workload are the generator's: connections, members, group-size, partitions, rate, groups, rounds, warm, seconds.
`--python PATH` chooses whose Muster; `--server PID:PORT` drives one that runs already, Kafka too.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench.contenders import DidNotStart, Muster, running
from bench.generator import GeneratorFailed, Load, drive


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0].startswith("-") or len(arguments) % 2 == 0:
        print(__doc__, file=sys.stderr)
        return 2
    workload, *rest = arguments
    given = {name.removeprefix("--").replace("-", "_"): value for name, value in zip(*[iter(rest)] * 2, strict=True)}
    python, server = given.pop("python", sys.executable), given.pop("server", "")
    options = {name: float(value) if "." in value else int(value) for name, value in given.items()}
    try:
        if server:
            pid, _, port = server.partition(":")
            loads = drive(workload, int(port), int(pid), **options)
        else:
            with (
                tempfile.TemporaryDirectory(prefix="muster-bench-") as made,
                running(Muster(python), Path(made), one_core=True) as muster,
            ):
                loads = drive(workload, muster.port, muster.pid, **options)
    except (GeneratorFailed, DidNotStart) as problem:
        print(problem, file=sys.stderr)
        return 1
    for load in loads:
        print(_line(load))
    return 0


def _line(load: Load) -> str:
    return (
        f"{load.cpu_us:7.1f} µs server CPU a request, {load.requests / load.seconds:9,.0f}/s, p50 {load.p50_us:.0f} µs,"
        f" p99 {load.p99_us:.0f} µs, {load.seconds * 1e3:.0f} ms; generator busy {load.generator_busy:.0%}"
        + (f"; {load.missed} not sent in time" if load.missed else "")
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
