"""Which Python runs Spark's workers, and how it finds compiled code: most of a small run was compiling Spark's own Python.

Spark puts its `pyspark.zip` first on its workers' PYTHONPATH, and what lies in a zip is compiled anew by every process. A run
starts at least five (two that plan the source, one that drives the stream, a daemon, its workers): for 1,000 records 7 s of CPU, as
much as Java needs for everything. On a local master the same modules lie installed beside us, with bytecode; the workers' Python
is then a small script that leaves the zip out. Measured with it: 18.5 -> 11.5 s of CPU in all.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from muster.pipeline.session_cache import is_writable
from muster.pipeline.session_settings import SessionSettings

_PATH: Final = "MUSTER_WORKER_PYTHONPATH"
_SCRIPT: Final = f"""#!/bin/sh
# Python for Spark's workers on this machine: the installed pyspark, which has bytecode, instead of Spark's zip of it.
PYTHONPATH="${_PATH}" exec {{python}} "$@"
"""


def worker_environment(
    settings: SessionSettings, cache: Path, environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """PySpark itself looks only at the environment for the Python of its workers."""
    wish = settings.extra.get("spark.pyspark.python") or environment.get("PYSPARK_PYTHON")
    if wish:
        return {"PYSPARK_PYTHON": wish}
    if settings.has_own_pythons:
        return {"PYSPARK_PYTHON": "python3"}
    if not settings.is_local or "SPARK_HOME" in environment:
        return {"PYSPARK_PYTHON": sys.executable}
    script = _script(cache)
    if script is None:
        return {"PYSPARK_PYTHON": sys.executable}
    chosen = {"PYSPARK_PYTHON": str(script), _PATH: environment.get("PYTHONPATH", "")}
    bytecode = bytecode_directory(cache)
    if bytecode is not None:
        chosen |= {"PYTHONPYCACHEPREFIX": str(bytecode), "PYTHONDONTWRITEBYTECODE": ""}
    return chosen


def bytecode_directory(cache: Path) -> Path | None:
    """Where bytecode is kept if it neither lies nor may be written beside the packages; None: the usual place is right.

    Containers often set PYTHONDONTWRITEBYTECODE; then pyspark, polars and their kin are compiled by every process, 2 s of CPU.
    """
    if sys.pycache_prefix is not None:
        return None if sys.dont_write_bytecode else Path(sys.pycache_prefix)
    package = importlib.util.find_spec("pyspark")
    if package is None or package.origin is None:
        return None
    has_bytecode = Path(importlib.util.cache_from_source(package.origin)).exists()
    may_write = not sys.dont_write_bytecode and os.access(Path(package.origin).parent, os.W_OK)
    return None if has_bytecode or may_write or not is_writable(cache) else cache / "bytecode"


def keep_bytecode(cache: Path) -> None:
    """The same for this process: what it imports from here on. For commands; a library leaves its process as it is."""
    directory = bytecode_directory(cache)
    if directory is not None:
        sys.pycache_prefix = str(directory)
        sys.dont_write_bytecode = False


def _script(cache: Path) -> Path | None:
    """The script; None where none can be written, or not be run."""
    text = _SCRIPT.format(python=shlex.quote(sys.executable))
    path = cache / f"python-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    if not path.exists():
        if not is_writable(cache):
            return None
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(text)
        unfinished.chmod(0o755)
        unfinished.replace(path)
    return path if os.access(path, os.X_OK) else None
