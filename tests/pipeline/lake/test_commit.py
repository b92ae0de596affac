"""One transaction a table: what comes, what goes, and what it says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from muster.pipeline.lake import tables
from muster.pipeline.lake.commit import APPLICATION, Change, Signature, commit_all
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.files import DataFile, list_batch
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.tables import schema_of
from tests.pipeline.lake.commit_one import commit
from tests.pipeline.lake.delta_lakes import rows_of, write_files


@pytest.fixture
def location(tmp_path: Path) -> Location:
    return Location.parse(tmp_path / "lake")


def state_row(kind: str) -> pa.Table:
    return rows_of("state", [{"cluster": "c", "log_partition": 1, "kind": kind}])


def write(location: Location, table: str, batch: str, rows: pa.Table, part: str = "new") -> list[DataFile]:
    write_files(location, batch, {table: rows}, part)
    return list_batch(location, batch, [table])[table]


def column(location: Location, table: str, name: str, version: int | None = None) -> list[Any]:
    delta = DeltaTable(location.delta_table_url(table), version=version)
    return sorted(delta.to_pyarrow_table(columns=[name])[name].to_pylist())


def test_files_of_a_batch_are_found_and_markers_are_no_data(location: Location) -> None:
    assert location.local is not None
    write_files(location, "00000001-aa", {"state": state_row("a")}, part="3")
    write_files(location, "00000002-bb", {"state": state_row("b")}, part="3")
    directory = location.local / "table=state" / "batch=00000001-aa"
    (directory / "_SUCCESS").touch()
    (directory / "part=3" / ".part-0.parquet.crc").touch()
    (directory / "_temporary" / "0").mkdir(parents=True)
    found = list_batch(location, "00000001-aa")
    assert list(found) == ["state"]
    (file,) = found["state"]
    assert file.path.startswith("batch=00000001-aa/part=3/part-")
    assert file.part == "3"
    assert file.size == (location.local / "table=state" / file.path).stat().st_size
    assert list_batch(location, "00000009-cc") == {}


def test_first_commit_makes_the_table_and_later_ones_append(location: Location) -> None:
    assert commit(location, "state", 0, write(location, "state", "0", state_row("a"))) == 0
    assert commit(location, "state", 1, write(location, "state", "1", state_row("b"))) == 1
    assert column(location, "state", "kind") == ["a", "b"]
    assert column(location, "state", "kind", version=0) == ["a"]


def test_replaced_part_goes_and_other_parts_stay(location: Location) -> None:
    commit(location, "state", 0, write(location, "state", "0", state_row("old 3"), part="3"))
    commit(location, "state", 1, write(location, "state", "1", state_row("old 31"), part="31"))
    commit(location, "state", 2, write(location, "state", "2", state_row("new 3"), part="3"), replaced_parts={"3"})
    assert column(location, "state", "kind") == ["new 3", "old 31"]


def test_part_that_is_replaced_by_nothing_is_empty(location: Location) -> None:
    commit(location, "state", 0, write(location, "state", "0", state_row("a"), part="3"))
    assert commit(location, "state", 1, [], replaced_parts={"3"}) == 1
    assert column(location, "state", "kind") == []


def test_remove_all_leaves_only_what_is_added(location: Location) -> None:
    commit(location, "state", 0, write(location, "state", "0", state_row("a"), part="3"))
    commit(location, "state", 1, write(location, "state", "1", state_row("b"), part="4"), remove_all=True)
    assert column(location, "state", "kind") == ["b"]


def test_commit_of_a_round_says_its_number_to_other_readers_of_delta(location: Location) -> None:
    """Outside of a round it leaves what was said."""
    assert commit(location, "state", 4, write(location, "state", "4", state_row("a"))) == 0
    assert commit(location, "state", None, write(location, "state", "x", state_row("b"))) == 1
    assert DeltaTable(location.delta_table_url("state")).transaction_version(APPLICATION) == 4
    assert commit(location, "state", 5, write(location, "state", "5", state_row("c"))) == 2
    assert DeltaTable(location.delta_table_url("state")).transaction_version(APPLICATION) == 5
    assert column(location, "state", "kind") == ["a", "b", "c"]


def test_nothing_to_do_makes_no_version(location: Location) -> None:
    commit(location, "state", 0, [])
    assert commit(location, "state", 1, [], replaced_parts={"3"}) == 0
    assert column(location, "state", "kind") == []


def test_history_says_which_batch_it_was(location: Location) -> None:
    commit(location, "state", 0, [], metadata={"batch": "00000000-aa", "round": "1"})
    (said,) = DeltaTable(location.delta_table_url("state")).history()
    assert (said["batch"], said["round"]) == ("00000000-aa", "1")


def test_log_is_partitioned_by_day_and_files_with_more_columns_are_read(location: Location) -> None:
    days = rows_of("log", [{"cluster": "c", "log_offset": n, "dt": f"2026-11-1{n}"} for n in range(3)])
    wide = days.append_column("of_another_table", pa.nulls(3, pa.int64()))
    commit(location, "log", 0, write(location, "log", "0", wide))
    delta = DeltaTable(location.delta_table_url("log"))
    assert delta.metadata().partition_columns == ["dt"]
    assert "of_another_table" not in {field.name for field in delta.schema().fields}
    assert column(location, "log", "dt") == ["2026-11-10", "2026-11-11", "2026-11-12"]


def test_new_kind_of_state_becomes_a_column_of_the_table(location: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(location, "state", 0, write(location, "state", "0", state_row("a")))
    more = pa.schema([*schema_of("state"), pa.field("novel", pa.struct([("x", pa.int64())]))])
    monkeypatch.setitem(tables._SCHEMAS, "state", lambda: more)
    row = rows_of("state", [{"kind": "novel", "novel": {"x": 7}}])
    version = commit(location, "state", 1, write(location, "state", "1", row))
    delta = DeltaTable(location.delta_table_url("state"))
    assert delta.version() == version
    assert [row["x"] for row in delta.to_pyarrow_table()["novel"].to_pylist() if row] == [7]


def test_several_tables_are_committed_at_once(location: Location) -> None:
    write_files(location, "0", {"state": state_row("a"), "g_lag": rows_of("g_lag", [{"group_id": "g"}])})
    found = list_batch(location, "0")
    changes = {table: Change(tuple(files)) for table, files in found.items()}
    assert commit_all(location, Signature(0), changes) == {"state": 0, "g_lag": 0}
    assert column(location, "g_lag", "group_id") == ["g"]


def test_commit_that_another_one_overtakes_fails_and_is_said(
    location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(location, "state", 0, write(location, "state", "0", state_row("a")))
    before = DeltaTable(location.delta_table_url("state"))
    commit(location, "state", 1, write(location, "state", "1", state_row("b")))
    monkeypatch.setattr("muster.pipeline.lake.commit.open_table", lambda *_: before)
    with pytest.raises(LakeError, match=r"state cannot be committed: .*nothing is lost"):
        commit(location, "state", 2, write(location, "state", "2", state_row("c")))
    assert column(location, "state", "kind") == ["a", "b"]


def test_what_a_dead_attempt_committed_is_undone(location: Location) -> None:
    """It may have removed what this attempt needs: the table is always that of the last round with this change."""
    base = {"state": commit(location, "state", 0, write(location, "state", "0", state_row("old 3"), part="3"))}
    base["state"] = commit(location, "state", 1, write(location, "state", "1", state_row("old 4"), part="4"))
    commit(location, "state", 2, write(location, "state", "2-dead", state_row("dead")), remove_all=True)

    files = tuple(write(location, "state", "2-alive", state_row("new 4"), part="4"))
    change = Change(files, replaced_parts=frozenset({"4"}))
    versions = commit_all(location, Signature(2, base=base), {"state": change})
    assert versions == {"state": 3}
    assert column(location, "state", "kind") == ["new 4", "old 3"]


def test_table_that_only_a_dead_attempt_made_holds_only_what_is_new(location: Location) -> None:
    commit(location, "state", 0, write(location, "state", "0-dead", state_row("dead")))
    change = Change(tuple(write(location, "state", "0-alive", state_row("alive"))))
    commit_all(location, Signature(0, base={}), {"state": change})
    assert column(location, "state", "kind") == ["alive"]
