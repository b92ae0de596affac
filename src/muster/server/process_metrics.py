"""What the process and its build are, for the metrics page: the names are those that Prometheus' own clients use."""

from __future__ import annotations

import os
import platform
import resource
import sys
from collections.abc import Iterator
from typing import Final

from muster import __version__
from muster.form import form_text
from muster.runtime.metrics import Metric

_STATM_RESIDENT: Final = 1


def process_metrics(started_ms: int) -> Iterator[Metric]:
    labels = {"version": __version__, "form": form_text(), "python": platform.python_version()}
    yield Metric("muster_build_info", "gauge", "What runs here; the value is always 1.", ((labels, 1.0),))
    used = resource.getrusage(resource.RUSAGE_SELF)
    yield _process("cpu_seconds_total", "Processor time, kernel included.", used.ru_utime + used.ru_stime)
    yield _process("start_time_seconds", "When the server started, in seconds since 1970.", started_ms / 1000)
    yield _process("resident_memory_bytes", "Resident memory.", _resident_bytes(used.ru_maxrss))
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield _process("max_fds", "How many files and connections may be open.", most)
    if (count := _open_files()) is not None:
        yield _process("open_fds", "How many files and connections are open.", count)


def _process(name: str, meaning: str, value: float) -> Metric:
    """Prometheus wants the names of counters, and of nothing else, to end in `_total`."""
    is_counter = name.endswith("_total")
    return Metric(f"process_{name}", "counter" if is_counter else "gauge", meaning, (({}, float(value)),))


def _resident_bytes(most_kilobytes: int) -> int:
    """What is resident now where the system says it (Linux), else the most that ever was."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[_STATM_RESIDENT]) * resource.getpagesize()
    except OSError:
        return most_kilobytes if sys.platform == "darwin" else most_kilobytes * 1024


def _open_files() -> int | None:
    try:
        return len(os.listdir("/dev/fd"))
    except OSError:
        return None
