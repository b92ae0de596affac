"""`muster pipeline run --follow` as users run it: Ctrl-C ends it cleanly, and the same command goes on where it was."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from muster.pipeline.old.lake import Lake
from tests.pipeline.jobs.kafka_log import source_of


def test_one_ctrl_c_ends_a_following_run_after_the_batch_in_work(data: Path, tmp_path: Path) -> None:
    """Issue 6: Ctrl-C ends cleanly. The run is stopped while it reads, long before it would make tables."""
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
    reached = Lake.open(lake).manifest
    ends = {partition: end for partition, end in source_of(data).logs()[0].ends().items() if end}
    read = {partition: reached.offset_of("kafka", "__consumer_offsets", partition) for partition in ends}
    assert reached.rows("b_log_record") > 0
    assert any((read[partition] or 0) < end for partition, end in ends.items())
    assert reached.gold_of_revision == -1
