"""Runs pytest, and what failed once more: alone in one process, in the order of the files. `make test` calls it.

    python -m tests.house.steady -n 2 --dist loadgroup        run; the arguments are pytest's
    python -m tests.house.steady                              only say what is on the list

What fails twice fails the run. What passed the second time is unsteady: it is named and put on the list, `tests/unsteady.txt`,
which `test_steady.py` keeps short. When more than `BAD_LUCK` tests fail it was not luck, and nothing is run again.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[2]
LIST: Final = ROOT / "tests" / "unsteady.txt"
MOST: Final = 3
"""So many names may be on the list."""
BAD_LUCK: Final = 20
TESTS_FAILED: Final = 1
"""pytest's exit code; the others are no matter of luck: interrupted, a usage error, nothing collected."""


def run(arguments: Sequence[str], directory: Path = ROOT, kept: Path = LIST) -> int:
    """pytest's exit code, of the second run if there was one."""
    began = time.monotonic()
    code, unsteady = _run_again_what_failed(arguments, directory)
    took = round(time.monotonic() - began)
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = round(of_children.ru_utime + of_children.ru_stime)
    print(f"{_pass()}: {took // 60} min {took % 60} s, {cpu} s of CPU", flush=True)
    if unsteady:
        form = " (pure)" if os.environ.get("MUSTER_PURE") else ""
        _keep(kept, [name + form for name in unsteady])
        say(unsteady)
    return code


def _run_again_what_failed(arguments: Sequence[str], directory: Path) -> tuple[int, list[str]]:
    """pytest's exit code, and what failed and then passed."""
    with TemporaryDirectory() as cache:
        own_cache = ("-o", f"cache_dir={cache}")  # what failed here, not in somebody's run before
        code = _pytest(directory, *arguments, *own_cache)
        last_failed = Path(cache, "v", "cache", "lastfailed")
        failed = _names_in(last_failed)
        if code != TESTS_FAILED or not 0 < len(failed) <= BAD_LUCK:
            return code, []
        print(f"\n{len(failed)} failed: once more, alone and in order", flush=True)
        last_failed.write_text(json.dumps(dict.fromkeys(failed, True)))
        code = _pytest(
            directory, *arguments, *own_cache, "-n", "0", "--last-failed", "--last-failed-no-failures", "none"
        )
        again = _names_in(last_failed) if code in (0, TESTS_FAILED) else failed
    return code, [name for name in failed if name not in again]


def _pass() -> str:
    """Which of the passes of `make test` this is."""
    if os.environ.get("MUSTER_PURE"):
        return "in plain Python"
    return "without repeats" if os.environ.get("MUSTER_NO_REPEATS") else "the suite"


def _pytest(directory: Path, *arguments: str) -> int:
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, cwd=directory, env=_with_bytecode(os.environ), check=False).returncode


def _with_bytecode(environment: Mapping[str, str]) -> dict[str, str]:
    """Containers often set PYTHONDONTWRITEBYTECODE. The tests start thousands of processes, and each would compile all that it
    imports: bytecode is kept in the virtual environment then, and nothing is written beside the sources.
    """
    kept = {"PYTHONPYCACHEPREFIX": str(Path(sys.prefix, "bytecode")), "PYTHONDONTWRITEBYTECODE": ""}
    return {**environment, **(kept if environment.get("PYTHONDONTWRITEBYTECODE") else {})}


def _names_in(last_failed: Path) -> list[str]:
    """Without the `@group` that xdist puts behind a name."""
    if not last_failed.exists():
        return []
    names: list[str] = list(json.loads(last_failed.read_text()))
    return [name if name.endswith("]") else name.rpartition("@")[0] or name for name in names]


def names_on(kept: Path = LIST) -> list[str]:
    lines = kept.read_text().splitlines() if kept.exists() else []
    return [line for line in lines if line and not line.startswith("#")]


def _keep(kept: Path, names: Iterable[str]) -> None:
    new = [name for name in names if name not in names_on(kept)]
    with kept.open("a") as file:
        file.writelines(f"{name}\n" for name in new)


def say(names: Sequence[str]) -> None:
    if names:
        print(f"UNSTEADY: {', '.join(names)}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        say(names_on())
        sys.exit(0)
    sys.exit(run(sys.argv[1:]))
