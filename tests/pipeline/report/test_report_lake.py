"""From a lake on disk to a file: the same page as from whole tables, and clear words when it cannot be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.reader import Lake
from muster.pipeline.report import limits, write_report
from muster.pipeline.report.read import read_tables
from muster.pipeline.schemas import TABLES
from tests.pipeline.lake.delta_lakes import publish
from tests.pipeline.report.conftest import GENERATED
from tests.pipeline.report.lake_of import write_lake
from tests.pipeline.report.sample_lag import DAY, END


def test_a_page_read_from_a_lake_equals_the_page_of_its_whole_tables(
    tables: dict[str, pa.Table], sample_html: str, tmp_path: Path
) -> None:
    """Streaming keeps a part of the history only; nothing of that may show."""
    lake = write_lake(tmp_path / "lake", tables)
    report = write_report(lake, tmp_path / "report.html", generated_ms=GENERATED)
    assert report.path.read_text(encoding="utf-8") == sample_html
    assert report.size == report.path.stat().st_size
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["report.html"]


def test_of_the_history_only_the_plotted_partitions_and_the_worst_of_a_minute_are_kept(
    tables: dict[str, pa.Table], tmp_path: Path
) -> None:
    lake = Lake.open(write_lake(tmp_path / "lake", tables))
    whole, kept = tables["g_lag_history"], read_tables(lake, GENERATED)["g_lag_history"]
    minutes = len(pc.unique(whole["minute_ms"]))
    groups = len(pc.unique(whole["group_id"]))
    pieces = -(-whole.num_rows // 5_000) + groups
    assert kept.num_rows <= minutes * groups * limits.PANEL_PARTITIONS + 2 * (minutes * groups + pieces * minutes)
    lines = kept.filter(pc.is_valid(kept["partition"]))
    assert lines.num_rows <= minutes * groups * limits.PANEL_PARTITIONS


def test_history_before_the_window_is_not_read(tables: dict[str, pa.Table], tmp_path: Path) -> None:
    old = tables["g_lag_history"].set_column(
        TABLES["g_lag_history"].get_field_index("minute_ms"),
        "minute_ms",
        pc.subtract(tables["g_lag_history"]["minute_ms"], 3 * DAY),
    )
    both = {**tables, "g_lag_history": pa.concat_tables([old, tables["g_lag_history"]])}
    lake = Lake.open(write_lake(tmp_path / "lake", both))
    kept = read_tables(lake, GENERATED)["g_lag_history"]
    assert pc.min(kept["minute_ms"]).as_py() >= END - limits.WINDOW_MS - limits.SILENT_ROWS_MS


def test_the_assignment_that_held_when_the_window_began_is_read_and_older_ones_are_not(
    tables: dict[str, pa.Table], tmp_path: Path
) -> None:
    lake = Lake.open(write_lake(tmp_path / "lake", tables))
    kept = read_tables(lake, GENERATED)["s_assignment"]
    generations = {(row["group_id"], row["generation"]) for row in kept.select(["group_id", "generation"]).to_pylist()}
    assert ("payments-settlement", 1) in generations
    assert ("clickstream-sessions", 61) in generations


def test_a_directory_without_a_lake_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match="no lake at"):
        write_report(tmp_path / "nothing", tmp_path / "report.html")


def test_a_lake_whose_first_run_never_ended_is_refused(tmp_path: Path) -> None:
    publish(tmp_path / "lake")
    with pytest.raises(LakeError, match="muster pipeline run"):
        write_report(tmp_path / "lake", tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_a_damaged_file_of_the_lake_is_named(tables: dict[str, pa.Table], tmp_path: Path) -> None:
    lake = write_lake(tmp_path / "lake", tables)
    for file in lake.glob("table=g_lag_history/**/*.parquet"):
        file.write_bytes(b"PAR1 but nothing else")
    with pytest.raises(LakeError, match="g_lag_history"):
        write_report(lake, tmp_path / "report.html")


def test_a_page_that_cannot_be_written_leaves_nothing_behind(tables: dict[str, pa.Table], tmp_path: Path) -> None:
    lake = write_lake(tmp_path / "lake", tables)
    with pytest.raises(FileNotFoundError):
        write_report(lake, tmp_path / "no" / "such" / "report.html")


def test_the_report_starts_no_spark(tables: dict[str, pa.Table], tmp_path: Path) -> None:
    """The gold tables are Parquet: what is asked of them is answered without a JVM (issue 6)."""
    lake = write_lake(tmp_path / "lake", tables)
    script = (
        "import sys; from muster.pipeline.report import write_report; write_report(sys.argv[1], sys.argv[2]);"
        " print('pyspark' in sys.modules)"
    )
    command = [sys.executable, "-c", script, str(lake), str(tmp_path / "report.html")]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "False\n"
