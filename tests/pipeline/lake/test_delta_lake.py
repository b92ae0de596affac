"""A lake with Delta tables: read back with delta-rs itself, whole batches or nothing, the manifest always leading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from muster.cli.main import main
from muster.pipeline import lake as lake_module
from muster.pipeline.old.lake import Lake
from muster.pipeline.old.lake_compact import compact
from muster.pipeline.old.lake_delta import APPLICATION
from muster.pipeline.old.lake_retention import Retention
from muster.pipeline.old.manifest import DELTA, PARQUET, LakeError
from muster.pipeline.query import read_table
from tests.pipeline.lake.lakes import append, bronze, publish_gold

deltalake = pytest.importorskip("deltalake", reason="the extra `delta` is not installed")

QUALITY = "g_data_quality"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "lake"


def delta(root: Path, table: str) -> Any:
    return deltalake.DeltaTable(str(root / f"table={table}"))


def by_delta(root: Path, table: str, column: str, version: int | None = None) -> list[Any]:
    opened = deltalake.DeltaTable(str(root / f"table={table}"), version=version)
    return sorted(pa.table(opened.to_pyarrow_table())[column].to_pylist())


def by_manifest(root: Path, table: str, column: str) -> list[Any]:
    return sorted(read_table(Lake.open(root), table)[column].to_pylist())


def test_appended_and_replaced_tables_are_read_by_delta_as_by_the_manifest(root: Path) -> None:
    with Lake.open_or_create(root, DELTA).write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1), bronze(1, 2)]})
        append(writer, {"b_log_record": [bronze(2, 3, dt="2026-11-16")]}, part="__consumer_offsets-1")
        publish_gold(writer, {QUALITY: [{"cluster": "a", "records": 1}]}, at_ms=1)
        publish_gold(writer, {QUALITY: [{"cluster": "a", "records": 2}]}, at_ms=2)
    assert by_delta(root, "b_log_record", "log_offset") == by_manifest(root, "b_log_record", "log_offset") == [0, 1, 2]
    assert by_delta(root, QUALITY, "records") == by_manifest(root, QUALITY, "records") == [2]
    assert by_delta(root, "g_lag", "group_id") == [], "tables without rows are there too"
    assert by_delta(root, QUALITY, "records", version=0) == [1], "the version before, while its files stay"
    assert delta(root, QUALITY).transaction_version(APPLICATION) == Lake.open(root).manifest.revision
    assert [field.name for field in delta(root, "b_log_record").schema().fields][:3] == [
        "cluster",
        "log_topic",
        "log_partition",
    ]


def test_questions_are_answered_from_a_delta_lake_as_from_any(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lag = {"cluster": "a", "group_id": "g", "topic": "t", "partition": 0, "committed": 3, "end": 7, "lag": 4}
    with Lake.open_or_create(root, DELTA).write() as writer:
        publish_gold(writer, {"g_lag": [lag]}, at_ms=1)
    assert main(["lag", "--lake", str(root), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert {name: answer[name] for name in ("group", "topic", "partition", "committed", "end", "lag")} == {
        "group": "g",
        "topic": "t",
        "partition": 0,
        "committed": 3,
        "end": 7,
        "lag": 4,
    }


def test_writing_again_without_anything_new_adds_no_version(root: Path) -> None:
    with Lake.open_or_create(root, DELTA).write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1)]})
    before = delta(root, "b_log_record").version()
    with Lake.open_or_create(root).write() as writer:
        assert writer.manifest.table_format == DELTA, "a lake keeps its format"
    assert delta(root, "b_log_record").version() == before


def test_batch_that_was_never_published_is_not_in_the_delta_table(root: Path) -> None:
    class Died(Exception):
        pass

    def die(_: object) -> None:
        raise Died

    with Lake.open_or_create(root, DELTA).write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1)]})
        writer.publish = die  # type: ignore[method-assign,assignment]
        with pytest.raises(Died):
            append(writer, {"b_log_record": [bronze(1, 2)]})
    assert by_delta(root, "b_log_record", "log_offset") == [0]


def test_run_that_dies_between_manifest_and_delta_is_made_up_for_by_the_next_writer(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise OSError("no space left on device")

    with Lake.open_or_create(root, DELTA).write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1)]})
        with monkeypatch.context() as broken:
            broken.setattr(lake_module, "follow_manifest", die)
            with pytest.raises(OSError, match="no space"):
                append(writer, {"b_log_record": [bronze(1, 2)]})
    assert by_manifest(root, "b_log_record", "log_offset") == [0, 1]
    assert by_delta(root, "b_log_record", "log_offset") == [0], "the older version, whole"
    with Lake.open(root).write():
        pass
    assert by_delta(root, "b_log_record", "log_offset") == [0, 1]


def test_compaction_moves_rows_to_other_files_in_one_delta_version(root: Path) -> None:
    with Lake.open_or_create(root, DELTA).write() as writer:
        for offset in range(3):
            append(writer, {"b_log_record": [bronze(offset, 1_000 + offset)]})
        versions = delta(root, "b_log_record").version()
        compact(writer, Retention(), now_ms=2_000)
    after = delta(root, "b_log_record")
    assert after.version() == versions + 1
    assert len(after.file_uris()) == 1
    assert by_delta(root, "b_log_record", "log_offset") == [0, 1, 2]


def test_parquet_lake_becomes_a_delta_lake_by_being_told_so(root: Path) -> None:
    with Lake.open_or_create(root).write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1)]})
    assert not deltalake.DeltaTable.is_deltatable(str(root / "table=b_log_record"))
    with Lake.open_or_create(root, DELTA).write() as writer:
        revision = writer.manifest.revision
    assert by_delta(root, "b_log_record", "log_offset") == [0]
    manifest = Lake.open(root).manifest
    assert (manifest.table_format, manifest.revision) == (DELTA, revision)


def test_delta_lake_is_not_written_as_plain_parquet(root: Path) -> None:
    with Lake.open_or_create(root, DELTA).write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1)]})
    with pytest.raises(LakeError, match="holds Delta tables"):
        Lake.open_or_create(root, PARQUET)


def test_log_that_somebody_else_changed_is_brought_back_to_the_manifest(root: Path) -> None:
    with Lake.open_or_create(root, DELTA).write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1), bronze(1, 2)]})
    delta(root, "b_log_record").delete("log_offset = 0")
    assert by_delta(root, "b_log_record", "log_offset") == [1]
    with Lake.open(root).write():
        pass
    assert by_delta(root, "b_log_record", "log_offset") == [0, 1]


def test_without_deltalake_the_message_names_the_extra(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muster.pipeline.old.lake_delta.find_spec", lambda _: None)
    with pytest.raises(LakeError, match=r"muster-kafka\[delta\]"):
        Lake.open_or_create(root, DELTA)
