"""Where a request's instructions go, room by room: `python -m bench.profile`, and `--before PYTHON` beside an older Muster.

The server runs under valgrind's callgrind (Debian's package `valgrind`), which counts every instruction outside of the kernel,
while the generator drives it. Counts do not depend on what else the machine does. `--write` puts the table into the docs.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from bench.callgraph import CallGraph, read
from bench.contenders import DidNotStart, Muster, Running, running
from bench.generator import GeneratorFailed, build, drive
from bench.page import write_table

PATHS: dict[str, tuple[str, dict[str, float]]] = {
    "heartbeat": ("heartbeat", {}),
    "commit of 1": ("commit", {"partitions": 1}),
    "commit of 10": ("commit", {"partitions": 10}),
    "commit of 10, 100 groups": ("commit", {"partitions": 10, "group_size": 1}),
    "commit of 100": ("commit", {"partitions": 100}),
    "fetch of 100": ("fetch", {"partitions": 100}),
    "describe of 100": ("describe", {"group_size": 100}),
    "a transaction's request": ("transaction", {"partitions": 10}),
}
ROOMS = {
    "server/handlers": "handlers",
    "server": "sockets, framing, routing",
    "wire": "messages to and from bytes",
    "core": "decisions",
    "topics": "producers, batches to append",
    "runtime": "carrying out",
    "log": "records, files",
}
REST = "interpreted code, asyncio, threads"
COMMAND = "python -m bench.profile"
_REQUEST = "CPyDef_connection___Connection___data_received"
"""With one request in flight on a connection, what comes is one request."""
_DISPATCHERS = (
    *(
        "PyObject_Vectorcall",
        "PyObject_VectorcallMethod",
        "cfunction_vectorcall_*",
        "method_vectorcall*",
        "_PyObject_MakeTpCall",
    ),
    *("_Py_Dealloc", "PyObject_GetAttr", "PyObject_GenericGetAttr", "_PyObject_Call", "PyObject_Call", "context_run"),
    *("_PyFunction_Vectorcall", "_PyEval_Vector", "cfunction_call", "slot_tp_init", "type_call"),
)
"""Every call goes through one of these: counted as functions they would mix up who calls whom."""
_WARM_SECONDS = 6
_COUNTED_SECONDS = 4


class Impossible(Exception):
    """Nothing can be counted here; says why."""


@dataclass(frozen=True)
class Counted(Muster):
    """Muster under callgrind, which counts when it is told to."""

    out: Path = Path()

    def command(self, data: Path, port: int) -> list[str]:
        skipped = [f"--fn-skip={name}" for name in _DISPATCHERS]
        callgrind = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={self.out}"]
        return [*callgrind, *skipped, *super().command(data, port)]


def count(python: str, workload: str, options: dict[str, float]) -> CallGraph:
    """The call graph of a server that is busy with this and nothing else."""
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as made:
        out = Path(made) / "callgrind.out"
        with running(Counted(python, out=out), Path(made), one_core=True) as server:
            _count_while_driven(server, workload, options)
        return read(out.read_text().splitlines())


def _count_while_driven(server: Running, workload: str, options: dict[str, float]) -> None:
    failures: list[Exception] = []

    def load() -> None:
        try:
            drive(workload, server.port, server.pid, seconds=_WARM_SECONDS + 2 * _COUNTED_SECONDS, **options)
        except GeneratorFailed as failure:
            failures.append(failure)

    driving = Thread(target=load)
    driving.start()
    time.sleep(_WARM_SECONDS)
    _tell(server, "on")
    time.sleep(_COUNTED_SECONDS)
    _tell(server, "off")
    driving.join()
    if failures:
        raise failures[0]


def _tell(server: Running, state: str) -> None:
    subprocess.run(["callgrind_control", "-i", state, str(server.pid)], check=True, capture_output=True)


def by_room(graph: CallGraph, rooms: dict[str, str]) -> dict[str, float]:
    """Instructions a request in each room. `rooms`: the room of each module, by the name that mypyc gives it."""
    requests = graph.calls[_REQUEST]
    if not requests:
        raise Impossible("no request was served by compiled code while it was counted: is this Muster compiled?")
    found: dict[str, float] = defaultdict(float)
    for name, cost in graph.charged(lambda name: _room_of(name, rooms) is not None).items():
        found[_room_of(name, rooms) or REST] += cost / requests
    found[REST] = max(0.0, graph.total / requests - sum(found.values()))  # where counting began inside of a request
    return found


def _room_of(function: str, rooms: dict[str, str]) -> str | None:
    parts = function.removeprefix("CPyDef_").removeprefix("CPyPy_").split("___")
    for length in range(min(3, len(parts) - 1), 0, -1):
        room = rooms.get("___".join(parts[:length]))
        if room is not None:
            return room
    return None


def rooms_of(python: str) -> dict[str, str]:
    """Every way in which mypyc may shorten the name of a module -> the room that it is in."""
    said = subprocess.run([python, "-c", "import muster; print(muster.__path__[0])"], capture_output=True, text=True)
    if said.returncode:
        raise Impossible(f"{python} has no muster")
    source = Path(said.stdout.strip())
    rooms: dict[str, str] = {}
    for path in source.rglob("*.py"):
        parts = path.relative_to(source).with_suffix("").parts
        folder = "/".join(parts[:-1])
        room = next((title for start, title in ROOMS.items() if folder.startswith(start)), None)
        if room is not None and path.with_suffix("").parent.joinpath(path.stem).name != "__init__":
            for first in range(len(parts)):
                rooms["___".join(parts[first:])] = room
    return rooms


def table(before: dict[str, dict[str, float]], now: dict[str, dict[str, float]]) -> list[str]:
    """A column for each path; where there is a before, it stands before an arrow."""
    lines = [f"| instructions a request | {' | '.join(now)} |", "|---|" + "---:|" * len(now)]
    for room in [*ROOMS.values(), REST, "all"]:
        cells = []
        for path, figures in now.items():
            after = _of(figures, room)
            cells.append(f"{_of(before[path], room):,.0f} → {after:,.0f}" if path in before else f"{after:,.0f}")
        lines.append(f"| {room} | {' | '.join(cells)} |")
    return lines


def _of(figures: dict[str, float], room: str) -> float:
    return sum(figures.values()) if room == "all" else figures.get(room, 0.0)


def profile(python: str, paths: list[str]) -> dict[str, dict[str, float]]:
    rooms = rooms_of(python)
    figures: dict[str, dict[str, float]] = {}
    for path in paths:
        print(f"{path} ...", file=sys.stderr)
        figures[path] = by_room(count(python, *PATHS[path]), rooms)
    return figures


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help=f"one or several of: {', '.join(PATHS)}; all by default"
    )
    parser.add_argument("--before", metavar="PYTHON", help="the interpreter of an environment with an older Muster")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    given = parser.parse_args(arguments)
    unknown = [path for path in given.paths if path not in PATHS]
    if unknown:
        parser.error(f"no such path: {', '.join(unknown)}; there are: {', '.join(PATHS)}")
    if shutil.which("valgrind") is None or shutil.which("callgrind_control") is None:
        print("valgrind is not installed; Debian and Ubuntu: apt install valgrind", file=sys.stderr)
        return 1
    paths = given.paths or list(PATHS)
    try:
        build()
        before = profile(given.before, paths) if given.before else {}
        lines = table(before, profile(sys.executable, paths))
    except (Impossible, DidNotStart, GeneratorFailed) as problem:
        print(problem, file=sys.stderr)
        return 1
    print("\n".join(lines))
    if given.write:
        write_table(COMMAND, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
