"""`muster pipeline run` that stands still at a point, for a test to look at it: `python -m tests.pipeline.stream.halting_run ...`.

Arguments: the point, a named pipe, and what the command is given. Who comes to the point first says its process id in the pipe and
waits for ever; whoever comes later, a second try of the task for instance, goes on.

| point | who stands still |
|---|---|
| `java` | Java, before it does anything |
| `fold` | the Python worker whose task folds the records, while the files of the log are there |
| `now` | the Python worker whose task makes the tables of now |
| `commit` | the driver: all files of the round are there, no table knows them |
| `publish` | the driver: every table is committed, the round is not |
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from muster.pipeline.java import find_java


def main(point: str, pipe: str, *arguments: str) -> int:
    from muster.cli.main import main as run
    from muster.pipeline import round as round_module
    from muster.pipeline.fold import kernel as fold_module
    from muster.pipeline.now import build as build_module

    if point == "java":
        os.environ["JAVA_HOME"] = str(_halting_java(Path(pipe)))
        return run(["pipeline", "run", *arguments])
    places: dict[str, tuple[Any, str, Callable[..., Any]]] = {
        "fold": (fold_module, "fold_kernel", _halting_kernel),
        "now": (build_module, "now_kernel", _halting_kernel),
        "commit": (round_module, "commit_all", _halting),
        "publish": (round_module, "publish_round", _halting),
    }
    module, name, halting = places[point]
    setattr(module, name, halting(getattr(module, name), pipe))
    return run(["pipeline", "run", *arguments])


def _halting_java(pipe: Path) -> Path:
    """A home of Java whose program says its version as the real one, and stands still otherwise."""
    home = pipe.with_suffix(".home")
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    real = find_java().home / "bin" / "java"
    program.write_text(f'#!/bin/sh\n[ "$1" = -version ] && exec {real} "$@"\necho $$ > {pipe}\nexec sleep 600\n')
    program.chmod(0o755)
    return home


def _halting(function: Callable[..., Any], pipe: str) -> Callable[..., Any]:
    def first_halt(*args: Any, **kwargs: Any) -> Any:
        halt_once(pipe)
        return function(*args, **kwargs)

    return first_halt


def _halting_kernel(make_kernel: Callable[..., Any], pipe: str) -> Callable[..., Any]:
    def make(*settings: Any) -> Callable[..., Any]:
        return _halting(make_kernel(*settings), pipe)

    return make


def halt_once(pipe: str) -> None:
    try:
        os.rename(pipe, f"{pipe}.used")
    except FileNotFoundError:
        return
    with open(f"{pipe}.used", "w") as told:
        told.write(str(os.getpid()))
    _stand_still()


def _stand_still() -> NoReturn:
    while True:
        signal.pause()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
