"""Reading a lake without Java: exactly the contract's columns, whatever the files hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from muster.pipeline.lake.errors import LakeError, StoreError
from muster.pipeline.lake.reader import Lake
from muster.pipeline.schemas import TABLES
from tests.pipeline.lake.delta_lakes import make_lake, publish, rows_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "lake"


def history(*minutes: int) -> pa.Table:
    return rows_of("g_lag_history", [{"group_id": "g", "minute_ms": minute} for minute in minutes])


def test_rows_have_the_columns_of_the_contract_also_from_wide_and_from_older_files(root: Path) -> None:
    wide = history(1).append_column("state", pa.nulls(1, pa.struct([("x", pa.int64())]))).drop_columns(["method"])
    publish(root, appended={"g_lag_history": wide})
    rows = Lake.open(root).arrow("g_lag_history")
    assert rows.schema == TABLES["g_lag_history"]
    assert rows["minute_ms"].to_pylist() == [1]
    assert rows["method"].to_pylist() == [None]


def test_some_columns_since_some_time(root: Path) -> None:
    publish(root, appended={"g_lag_history": history(1, 2)})
    publish(root, appended={"g_lag_history": history(3, 4)})
    lake = Lake.open(root)
    assert lake.arrow("g_lag_history", ["minute_ms"], since=("minute_ms", 2)).to_pydict() == {"minute_ms": [2, 3, 4]}
    pieces = list(lake.batches("g_lag_history", ["group_id"], since=("minute_ms", 4)))
    assert [rows.to_pylist() for rows in pieces] == [[{"group_id": "g"}]]


def test_day_of_the_log_comes_from_the_directory(root: Path) -> None:
    rows = rows_of("log", [{"log_offset": n, "dt": f"2026-11-1{n}"} for n in range(2)])
    publish(root, appended={"log": rows})
    assert Lake.open(root).arrow("log").select(["log_offset", "dt"]).to_pylist() == [
        {"log_offset": 0, "dt": "2026-11-10"},
        {"log_offset": 1, "dt": "2026-11-11"},
    ]


def test_table_that_was_never_written_has_no_rows(root: Path) -> None:
    publish(root)
    assert Lake.open(root).arrow("g_lag") == TABLES["g_lag"].empty_table()


@pytest.mark.parametrize(
    ("table", "says"), [("g_no_such", "no table g_no_such"), ("s_offset_commit", "muster pipeline sql")]
)
def test_what_is_no_table_is_refused(table: str, says: str, root: Path) -> None:
    publish(root)
    with pytest.raises(LakeError, match=says):
        Lake.open(root).arrow(table)


def test_damaged_file_is_named(root: Path) -> None:
    make_lake(root, {"g_lag": rows_of("g_lag", [{"group_id": "g"}])})
    (file,) = root.glob("table=g_lag/batch=*/part=now/*.parquet")
    file.write_bytes(b"PAR1 but nothing else")
    with pytest.raises(LakeError, match=f"g_lag of {root} cannot be read: .*{file.name}") as damaged:
        Lake.open(root).arrow("g_lag")
    assert not isinstance(damaged.value, StoreError), "trying again would not help"
    file.unlink()
    with pytest.raises(StoreError, match=f"g_lag of {root} cannot be read: .*{file.name}"):
        Lake.open(root).arrow("g_lag")


def test_reading_imports_neither_spark_nor_pandas(root: Path) -> None:
    """Importing pandas alone takes longer than an answer."""
    make_lake(root, {"g_lag": rows_of("g_lag", [{"group_id": "g", "lag": 5}]), "log": rows_of("log", [{"dt": "2026"}])})
    program = (
        "import sys; from muster.pipeline.lake.reader import Lake; lake = Lake.open(sys.argv[1])\n"
        "assert lake.arrow('g_lag', since=('lag', 1)).num_rows == 1 and lake.arrow('log').num_rows == 1\n"
        "sys.exit(', '.join({'pyspark', 'pandas', 'polars', 'pyarrow.dataset'} & set(sys.modules)) or 0)"
    )
    ran = subprocess.run([sys.executable, "-c", program, str(root)], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
