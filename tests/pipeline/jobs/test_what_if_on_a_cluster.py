"""The what-if job on a real cluster gives the rows of the pure function, as a local session does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from muster.pipeline.session import SessionSettings, open_session
from muster.whatif.answer import answer, as_row
from muster.whatif.job import what_if_in_order
from muster.whatif.variants import Variant
from tests.pipeline.jobs.standalone import standalone_cluster
from tests.pipeline.jobs.test_what_if import journal, log_of

GROUPS = 5
VARIANTS = [Variant(), Variant(is_static=True), Variant(session_timeout_ms=6_000)]


def test_standalone_cluster_of_two_workers_gives_the_rows_of_the_pure_function(tmp_path: Path) -> None:
    """In a process of its own: this one has a session already."""
    (tmp_path / "cluster").mkdir()
    with standalone_cluster(tmp_path / "cluster", workers=2) as master:
        ran = subprocess.run(
            [sys.executable, "-m", __name__, master],
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
            capture_output=True,
            text=True,
        )
    assert ran.returncode == 0, ran.stderr
    journals = {f"g{seed}": journal(seed) for seed in range(GROUPS)}
    expected = [
        {"cluster": "c", **as_row(each)}
        for group, events in journals.items()
        for each in answer(group, map(json.dumps, events), VARIANTS)
    ]
    expected.sort(key=lambda row: (row["group_id"], row["variant"]))
    assert [json.loads(line) for line in ran.stdout.splitlines()] == expected


def rows_at(master: str) -> list[dict[str, Any]]:
    with open_session(SessionSettings(master=master, extra={"spark.cores.max": "2"})) as spark:
        log = log_of(spark, {f"g{seed}": journal(seed) for seed in range(GROUPS)})
        with what_if_in_order(spark, log, VARIANTS) as found:
            return [row.asDict(recursive=True) for row in found.toLocalIterator()]


if __name__ == "__main__":
    for row in rows_at(sys.argv[1]):
        print(json.dumps(row))
