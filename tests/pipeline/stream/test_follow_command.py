"""`muster pipeline run --follow` as users run it: Spark's page shows the query, Ctrl-C ends it cleanly, and the same command
goes on where it was.
"""

from __future__ import annotations

import urllib.request
from pathlib import Path

from muster.pipeline.lake.reader import Lake
from tests.pipeline.cluster.runs import follow_one_batch
from tests.pipeline.stream.lakes import source_of


def test_one_ctrl_c_ends_a_following_run_after_the_batch_in_work(data: Path, tmp_path: Path) -> None:
    """The run is stopped while it reads, long before it has read everything. Spark's page lists its query meanwhile."""
    lake = tmp_path / "lake"
    pages: list[str] = []

    def look(said: list[str]) -> None:
        (address,) = (line.split(": ")[-1].strip() for line in said if "Spark's web page" in line)
        with urllib.request.urlopen(f"{address}/StreamingQuery/", timeout=60) as answer:
            pages.append(str(answer.read(), "utf-8"))

    code, said = follow_one_batch(data, lake, "--batch-records", "5", "--master", "local[1]", "--ui", at_first=look)
    assert code == 0, said
    (page,) = pages
    assert "Active Streaming Queries (1)" in page
    assert "muster pipeline" in page
    assert any("stopping after the batch in work" in line for line in said)
    assert "stopped; the same command goes on here" in said[-1]
    published = Lake.open(lake)
    ends = source_of(data).ends()["__consumer_offsets"]
    assert 0 < published.round.records == published.arrow("log", ["log_offset"]).num_rows < sum(ends.values())
