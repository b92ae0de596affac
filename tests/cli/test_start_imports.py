"""What a starting server does not import: each of these was on the way to its first reply once, and is not missed there.

The figures are of the imports, in ms, on the machine of docs/performance.md.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NOT_IMPORTED = {
    "argparse": "3, with gettext, locale and shutil; plain flags are read without",
    "difflib": "1; suggestions are for mistakes",
    "json": "1.2; documents and the journal",
    "shutil": "2, with bz2 and lzma; deleting topics",
    "uuid": "2, with platform",
    "platform": "1.3",
    "tomllib": "a file of settings",
    "importlib.metadata": "10",
    "muster.client": "only commands and tests ask servers",
    "muster.console": "with `muster console` only",
    "muster.explain": "only commands explain",
    "muster.pipeline": "Spark's side",
    "muster.testing": "with --control only",
    "muster.log.memory": "with --memory only",
    "muster.log.postgres": "with --store only",
    "muster.security.tls": "with TLS only",
    "muster.security.scram": "with SASL only",
    "muster.server.metrics_page": "with --metrics-listen only",
    "muster.server.workers": "with --workers only",
    "muster.server.handlers.fetch": "handlers come with their first request",
    "muster.server.handlers.join_group": "handlers come with their first request",
}

# Run with flags of `muster serve`: says what is to be said when the doors are open, and ends.
_IMPORTED = """
import sys
from muster.cli.main import main
from muster.server import serve

def tell():
    print(*sys.modules, flush=True)
    raise SystemExit(0)

serve.spare_the_collector = tell
main(sys.argv[1:])
"""
_MADE = """
import dataclasses
made = []
real = dataclasses._process_class

def count(cls, *options):
    made.append(f"{cls.__module__}.{cls.__name__}")
    return real(cls, *options)

dataclasses._process_class = count
""" + _IMPORTED.replace("*sys.modules", "*made")


def _run(script: str, tmp_path: Path) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", script, "serve", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "data")],
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
    )
    return ran.stdout.split()


def test_a_start_imports_nothing_that_only_some_requests_need(tmp_path: Path) -> None:
    imported = set(_run(_IMPORTED, tmp_path))
    assert "muster.runtime.node" in imported
    assert imported & set(NOT_IMPORTED) == set()


def test_a_start_makes_no_standard_dataclass(tmp_path: Path) -> None:
    """0.45 ms each: `muster.wire.late_dataclass` and `muster.wire.value` are there instead."""
    assert _run(_MADE, tmp_path) == []
