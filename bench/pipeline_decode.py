"""What one worker of the pipeline can do at most: from segment files to rows of the log table, without Spark.

Reading and checksums included. Times are CPU seconds of this process, the quicker of two runs. Called by `bench.pipeline`.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path


def measure_decode(directory: Path) -> dict[str, float]:
    """CPU seconds by what was made, and `mb`, the most memory that this process had."""
    from muster.pipeline.decode.log_rows import log_rows
    from muster.pipeline.sources.log_source import Stretch
    from muster.pipeline.sources.segments import SegmentLogs

    logs = SegmentLogs((str(directory),))
    stretches = [Stretch(partition, 0, end) for partition, end in logs.ends().items()]

    def to_bronze() -> None:
        for each in stretches:
            for _ in logs.open(each).bronze():
                pass

    def to_rows() -> None:
        for each in stretches:
            for bronze in logs.open(each).bronze():
                log_rows(bronze)

    to_rows()  # so that every measured run finds its libraries loaded
    bronze = _cpu_seconds(to_bronze)
    return {
        "bronze": bronze,
        "decode": max(1e-9, _cpu_seconds(to_rows) - bronze),
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _cpu_seconds(work: Callable[[], None]) -> float:
    runs = []
    for _ in range(2):
        began = time.process_time()
        work()
        runs.append(time.process_time() - began)
    return min(runs)
