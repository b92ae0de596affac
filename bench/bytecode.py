"""The environment of a process that is measured as if the package were installed: with its bytecode kept.

`pip install` compiles every file to bytecode. A checkout where nothing may be written would compile them at every start, which is
half of one.
"""

from __future__ import annotations

import os
from pathlib import Path


def as_installed() -> dict[str, str]:
    kept = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "muster" / "bench-bytecode"
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return given | {"PYTHONPYCACHEPREFIX": str(kept)}
