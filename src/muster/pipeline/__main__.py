"""`python -m muster.pipeline` and `spark-submit .../muster/pipeline/__main__.py`: `muster pipeline run` with the same flags.

Started by `spark-submit`, it works on the session that this has prepared: master, deploy mode and resources are named there.
"""

from __future__ import annotations

import sys
from importlib import import_module


def main() -> int:
    # By name: the command line is a room above this one, and only a program may reach up to it.
    run = import_module("muster.cli.main").main
    code: int = run(["pipeline", "run", *sys.argv[1:]])
    return code


if __name__ == "__main__":
    code = main()
    # In a driver that runs inside the cluster any exit, even of 0, would be taken for a failure by some masters.
    if code:
        sys.exit(code)
