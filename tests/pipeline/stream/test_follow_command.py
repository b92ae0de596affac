"""`muster pipeline run --follow` as users run it: Ctrl-C ends it cleanly, and the same command goes on where it was."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from muster.pipeline.lake.reader import Lake
from tests.pipeline.stream.lakes import source_of


def test_one_ctrl_c_ends_a_following_run_after_the_batch_in_work(data: Path, tmp_path: Path) -> None:
    """The run is stopped while it reads, long before it has read everything."""
    lake = tmp_path / "lake"
    command = [
        sys.executable,
        "-m",
        "muster",
        "pipeline",
        "run",
        "--from",
        str(data),
        "--cluster",
        "kafka",
        "--lake",
        str(lake),
    ]
    flags = ["--follow", "--batch-records", "20", "--master", "local[1]"]
    said: list[str] = []
    with subprocess.Popen([*command, *flags], stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        for line in running.stderr:
            said.append(line)
            if "batch 1:" in line:
                running.send_signal(signal.SIGINT)
    assert running.returncode == 0, said
    assert any("stopping after the batch in work" in line for line in said)
    assert "stopped; the same command goes on here" in said[-1]
    published = Lake.open(lake)
    ends = source_of(data).ends()["__consumer_offsets"]
    assert 0 < published.round.records == published.arrow("log", ["log_offset"]).num_rows < sum(ends.values())
