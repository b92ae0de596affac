"""CPU and memory of a process and everything below it: a measured run is Python, Java and Java's Python workers together."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from types import TracebackType


def family() -> list[int]:
    """This process and all that descend from it."""
    return below(os.getpid())


def below(pid: int) -> list[int]:
    """That process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parent = int(Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry))
    found, look_at = [], [pid]
    while look_at:
        found.append(look_at.pop())
        look_at += children.get(found[-1], [])
    return found


_workers: dict[int, int] = {}
"""Ticks of every Python worker of Spark, as last seen. Spark ends one that was idle for a minute, and the daemon that started it
does not wait for it: what it used is in nobody's account then.
"""
_watching = 0.0
"""CPU seconds of looking: on a machine with many processes that would be a twentieth of what is measured."""


def cpu_of_family() -> float:
    """CPU seconds, those of ended processes included, to within half a second of each worker while a `Watched` is open.

    Without what the `Watched` itself uses.
    """
    living = family()
    ticks = 0
    for pid in living:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            is_worker = _is_worker(pid, int(fields[1]))
        except OSError:
            continue
        ticks += sum(int(field) for field in fields[11:15])
        if is_worker:
            _workers[pid] = int(fields[11]) + int(fields[12])
    ended = sum(used for pid, used in list(_workers.items()) if pid not in living)
    return (ticks + ended) / os.sysconf("SC_CLK_TCK") - _watching


def _is_worker(pid: int, parent: int) -> bool:
    return all(_DAEMON in Path(f"/proc/{each}/cmdline").read_text() for each in (pid, parent))


_DAEMON = "pyspark.daemon"


class Watched:
    """While it is open, looks twice a second how much memory Java and the Python workers have, and what everything below costs."""

    def __init__(self) -> None:
        self.java_mb = self.worker_mb = 0.0
        self._ticks: dict[int, int] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def cpu_seconds(self) -> float:
        """Of all descendants, to within half a second of those that have ended."""
        return sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> Watched:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()
        self._look()

    def _watch(self) -> None:
        global _watching
        before = _watching
        while not self._stop.wait(0.5):
            self._look()
            _watching = before + time.thread_time()

    def _look(self) -> None:
        cpu_of_family()  # remembers what workers have used that may be gone when it is asked for
        for pid in family()[1:]:
            try:
                command = Path(f"/proc/{pid}/cmdline").read_text()
                status = Path(f"/proc/{pid}/status").read_text()
                peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                self._ticks[pid] = int(fields[11]) + int(fields[12])
            except (OSError, ValueError, IndexError):
                continue
            if "pyspark.daemon" in command or "pyspark/daemon" in command:
                self.worker_mb = max(self.worker_mb, peak)
            elif "java" in command.partition("\0")[0]:
                self.java_mb = max(self.java_mb, peak)
