"""The lake: what is published is there at once and whole, what is not never was."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest

from muster.pipeline.old.lake import Lake, batch_directory
from muster.pipeline.old.manifest import LakeError
from muster.pipeline.query import read_table
from tests.pipeline.lake.lakes import append, bronze, publish_gold


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "lake"


def _offsets(root: Path) -> list[int]:
    return sorted(read_table(Lake.open(root), "b_log_record")["log_offset"].to_pylist())


def test_a_published_batch_is_seen_by_the_next_reader(root: Path) -> None:
    with Lake.open_or_create(root).write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1), bronze(1, 2)]})
    assert _offsets(root) == [0, 1]


def test_a_reader_that_opened_before_a_publish_keeps_seeing_what_was(root: Path) -> None:
    with Lake.open_or_create(root).write() as writer:
        publish_gold(writer, {"g_data_quality": [{"cluster": "a", "records": 1}]}, at_ms=1)
        before = Lake.open(root)
        publish_gold(writer, {"g_data_quality": [{"cluster": "a", "records": 2}]}, at_ms=2)
        assert read_table(before, "g_data_quality")["records"].to_pylist() == [1]
        assert read_table(Lake.open(root), "g_data_quality")["records"].to_pylist() == [2]


def test_a_run_that_dies_between_writing_and_publishing_leaves_the_old_state_and_the_next_run_repeats_it(
    root: Path,
) -> None:
    """The crash law of issue 6: files without a manifest that names them do not exist."""

    class Died(Exception):
        pass

    with Lake.open_or_create(root).write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1)]})

    def dying() -> Iterator[None]:
        with Lake.open(root).write() as writer:
            writer.publish = lambda manifest: (_ for _ in ()).throw(Died())  # type: ignore[method-assign]
            append(writer, {"b_log_record": [bronze(1, 2), bronze(2, 3)]})
        yield

    with pytest.raises(Died):
        next(dying())
    torn = root / batch_directory("b_log_record", 2)
    assert list(torn.rglob("*.parquet"))
    assert _offsets(root) == [0]

    with Lake.open(root).write() as writer:
        assert not torn.exists()
        assert writer.manifest.next_batch == 2
        append(writer, {"b_log_record": [bronze(1, 2)]})
    assert _offsets(root) == [0, 1]


def test_a_manifest_that_was_half_written_is_not_the_manifest(root: Path) -> None:
    with Lake.open_or_create(root).write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1)]})
    (root / "manifest.json.tmp").write_text('{"format": "muster-l')
    assert _offsets(root) == [0]


def test_a_second_writer_is_told_who_the_first_is(root: Path) -> None:
    with (
        Lake.open_or_create(root).write(),
        pytest.raises(LakeError, match=r"is being written to by process \d+ on "),
        Lake.open_or_create(root).write(),
    ):
        raise AssertionError("two writers")


def test_the_lock_of_a_dead_writer_does_not_hold(root: Path) -> None:
    with Lake.open_or_create(root).write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1)]})
    assert (root / ".lock").read_text().startswith("process ")
    with Lake.open(root).write() as writer:
        append(writer, {"b_log_record": [bronze(1, 1)]})
    with (root / ".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert _offsets(root) == [0, 1]


def test_replaced_files_stay_for_readers_until_their_grace_is_over(root: Path) -> None:
    now = 0
    with Lake.open_or_create(root).write(clock=lambda: now, grace_ms=1_000) as writer:
        publish_gold(writer, {"g_data_quality": [{"cluster": "a"}]}, at_ms=0)
        old = root / batch_directory("g_data_quality", 1)
        publish_gold(writer, {"g_data_quality": [{"cluster": "b"}]}, at_ms=0)
        assert old.exists()
        now = 1_000
        append(writer, {"b_log_record": [bronze(0, 1)]})
        assert not old.exists()
    assert read_table(Lake.open(root), "g_data_quality")["cluster"].to_pylist() == ["b"]


def test_rows_of_several_days_get_a_file_a_day(root: Path) -> None:
    with Lake.open_or_create(root).write() as writer:
        append(writer, {"b_log_record": [bronze(0, 1, dt="2026-11-14"), bronze(1, 2, dt="2026-11-15")]})
        files = writer.manifest.files("b_log_record")
    assert [(f.dt, f.rows, f.first_ms, f.last_ms) for f in files] == [("2026-11-14", 1, 1, 1), ("2026-11-15", 1, 2, 2)]
    assert files[0].path == "table=b_log_record/batch=00000001/dt=2026-11-14/part-__consumer_offsets-0.parquet"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: None, "no lake at"),
        (lambda path: path.mkdir(), "holds no lake"),
    ],
)
def test_what_is_no_lake_is_refused_with_how_to_make_one(tmp_path: Path, make: object, says: str) -> None:
    path = tmp_path / "x"
    assert callable(make)
    make(path)
    with pytest.raises(LakeError, match=rf"{says}.*muster pipeline run"):
        Lake.open(path)


def test_a_directory_with_other_things_in_it_does_not_become_a_lake(tmp_path: Path) -> None:
    """The writer removes what it does not know: it must never be let loose on somebody's files."""
    (tmp_path / "thesis.tex").write_text("ten years of work")
    with pytest.raises(LakeError, match=r"not empty and holds no lake \(thesis.tex"):
        Lake.open_or_create(tmp_path)


def test_a_lake_in_an_object_store_is_refused_by_name() -> None:
    with pytest.raises(LakeError, match=r"s3://bucket/lake.*s3:// is not supported"):
        Lake.open("s3://bucket/lake")
