"""The Java of an executor is killed while one of its tasks works: another one is started, and the run ends as if nothing was."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.pipeline.cluster.runs import SMALL, digests, open_lake, source_flags
from tests.pipeline.jobs.standalone import standalone_cluster
from tests.pipeline.stream.halted import HaltedRun


def executor_of(worker: int) -> int:
    """The Java above a Python worker."""
    pid = worker
    while "CoarseGrainedExecutorBackend" not in Path(f"/proc/{pid}/cmdline").read_text():
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        assert pid > 1, f"process {worker} is below no executor"
    return pid


@pytest.mark.parametrize("point", ["fold", "now"])
def test_killed_executor_leaves_no_trace_in_the_tables(
    data: Path, expected: dict[str, str], tmp_path: Path, point: str
) -> None:
    (tmp_path / "cluster").mkdir()
    lake = str(tmp_path / "lake")
    conf = [word for name, value in SMALL.items() for word in ("--conf", f"{name}={value}")]
    with standalone_cluster(tmp_path / "cluster", workers=1) as master:
        flags = [*source_flags(data), "--lake", lake, "--master", master, *conf]
        with HaltedRun(tmp_path, point, flags) as run:
            os.kill(executor_of(run.await_halt()), signal.SIGKILL)
            assert run.wait() == 0, run.said
    assert digests(open_lake(lake)) == expected
