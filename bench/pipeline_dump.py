"""Kafka's own decoder on the same log: `DumpLogSegments --offsets-decoder`, if its jars are here.

`make conformance` fetches them.
"""

from __future__ import annotations

import resource
from pathlib import Path

from bench.pipeline_log import CONSUMER_OFFSETS

RECORDED = 91_000
"""Its records a second and core on the reference machine, for those who have no jars."""


def measure_dump(directory: Path) -> dict[str, float] | None:
    """Records and CPU seconds for the first segment, Java's start included; None without the jars."""
    from tests.conformance import kafka

    if not (kafka.CACHE / "complete").exists():
        return None
    file = min((directory / f"{CONSUMER_OFFSETS}-0").glob("*.log"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = kafka.run_tool("org.apache.kafka.tools.DumpLogSegments", "--offsets-decoder", "--files", str(file))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return {"records": float(ran.stdout.count("| offset:")), "seconds": seconds}
