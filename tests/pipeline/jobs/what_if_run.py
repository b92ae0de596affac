"""The what-if job at a master, in a process of its own: `python -m tests.pipeline.jobs.what_if_run MASTER`.

Prints every row as a line of JSON.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from muster.pipeline.session import SessionSettings, open_session
from muster.whatif.job import what_if_in_order
from muster.whatif.variants import Variant
from tests.pipeline.cluster.runs import SMALL
from tests.pipeline.jobs.test_what_if import journal, log_of

GROUPS = 5
VARIANTS = [Variant(), Variant(is_static=True), Variant(session_timeout_ms=6_000)]


def journals() -> dict[str, list[dict[str, Any]]]:
    return {f"g{seed}": journal(seed) for seed in range(GROUPS)}


def main(master: str) -> None:
    settings = {**SMALL, "spark.cores.max": "2", "spark.sql.shuffle.partitions": "2"}
    with (
        open_session(SessionSettings(master=master, extra=settings)) as spark,
        what_if_in_order(spark, log_of(spark, journals()), VARIANTS) as found,
    ):
        for row in found.toLocalIterator():
            print(json.dumps(row.asDict(recursive=True)))


if __name__ == "__main__":
    main(sys.argv[1])
