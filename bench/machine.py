"""What is measured on, and how much of it other programs took meanwhile."""

from __future__ import annotations

import os
import platform
import time

BUSY_SHARE = 0.05
"""Above that share of the machine, other programs make wall times and latencies worthless."""


def machine() -> str:
    with open("/proc/cpuinfo") as lines:
        models = {line.partition(":")[2].strip() for line in lines if line.startswith("model name")}
    return f"{', '.join(sorted(models)) or platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}"


class Others:
    """How much of the machine others took since this was made. Our own part: this process and the children it waited for."""

    def __init__(self) -> None:
        self._began, self._busy, self._own = time.monotonic(), _busy_seconds(), _own_seconds()

    def share(self) -> float:
        wall = (time.monotonic() - self._began) * (os.cpu_count() or 1)
        return max(0.0, (_busy_seconds() - self._busy) - (_own_seconds() - self._own)) / max(wall, 1e-9)

    def verdict(self) -> str:
        share = self.share()
        if share < BUSY_SHARE:
            return f"Other programs took {share:.0%} of the machine meanwhile."
        return (
            f"OTHER PROGRAMS TOOK {share:.0%} OF THE MACHINE MEANWHILE (load average {os.getloadavg()[0]:.1f}): wall times and"
            " latencies say little, CPU costs are somewhat too high. Measure again when it is quiet."
        )


def _busy_seconds() -> float:
    with open("/proc/stat") as stat:
        user, nice, system, _, _, irq, softirq, *_ = (int(field) for field in stat.readline().split()[1:])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def _own_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
