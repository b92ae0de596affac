"""The laws of the pipeline on the log of a real Kafka: cuts, stops, crashes and repeated micro-batches leave no trace."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline import round as round_module
from muster.pipeline.failure import JobError
from muster.pipeline.fold import kernel as fold_module
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.reader import Lake
from muster.pipeline.now import build as build_module
from tests.pipeline.jobs.kafka_log import FIXTURE
from tests.pipeline.stream.lakes import COMPARED, LakeRun, rows_in, source_of


def test_current_offsets_equal_what_the_broker_answered(whole: Lake) -> None:
    """Through the whole pipeline: transactions, rewinds, deletions and compaction included."""
    answers: dict[str, list[list[Any]]] = json.loads((FIXTURE / "offset_fetch.json").read_text())
    expected = {(group, topic, number): offset for group, rows in answers.items() for topic, number, offset, *_ in rows}
    rows = whole.arrow("s_current_offset").to_pylist()
    assert {(row["group_id"], row["topic"], row["partition"]): row["committed_offset"] for row in rows} == expected


def test_nothing_is_lost_between_the_log_and_the_tables(whole: Lake) -> None:
    records = whole.arrow("g_data_quality", ["records"])["records"].to_pylist()
    assert sum(records) == whole.arrow("log", ["log_offset"]).num_rows == whole.round.records
    assert not whole.arrow("b_quarantine").num_rows


class Died(Exception):
    """Stands for a process that was killed: nothing is tidied up."""


def assert_same_tables(found: Lake, expected: Lake) -> None:
    different = [table for table in COMPARED if rows_in(found, table) != rows_in(expected, table)]
    assert not different
    assert rows_in(found, "log") == rows_in(expected, "log")


def test_many_micro_batches_give_the_tables_of_one(
    spark: Any, data: Path, whole: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With micro-batches that write changed positions beside those before them, and some that write all of them anew."""
    whole_ones = itertools.cycle((False, True))
    monkeypatch.setattr(round_module, "writes_all_positions", lambda *_: next(whole_ones))
    most = max(source_of(data).ends()["__consumer_offsets"].values())
    found = LakeRun(spark, tmp_path / "lake", source_of(data), offsets_per_partition=most // 5 + 1).run()
    assert found.round.batch_id >= 3
    assert_same_tables(found, whole)


def _dying_once(original: Callable[..., Any], when: int = 1) -> Callable[..., Any]:
    """The function, but its `when`-th call never returns."""
    calls = 0

    def die(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == when:
            raise Died(original.__name__)
        return original(*args, **kwargs)

    return die


POINTS = [
    ("list_batch", 1),  # the log's files are written, nothing knows of them
    ("list_batch", 2),  # the fold's files too
    ("commit_all", 1),
    ("commit_all", 2),
    ("publish_round", 1),  # every table is committed, the round is not published
    ("publish_round", 2),
    ("fold_ends", 1),
    ("tables_of_now", 1),
]


@pytest.mark.parametrize(("point", "when"), POINTS, ids=[f"{point}-{when}" for point, when in POINTS])
def test_run_that_dies_anywhere_is_finished_by_the_next(
    spark: Any, data: Path, whole: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str, when: int
) -> None:
    most = max(source_of(data).ends()["__consumer_offsets"].values())
    cut = {"offsets_per_partition": most // 2 + 1}
    with monkeypatch.context() as patched:
        patched.setattr(round_module, point, _dying_once(getattr(round_module, point), when))
        with pytest.raises((Died, JobError)):
            LakeRun(spark, tmp_path / "lake", source_of(data), **cut).run()
    assert_same_tables(LakeRun(spark, tmp_path / "lake", source_of(data), **cut).run(), whole)


def test_half_of_the_tables_committed_is_as_if_none_were(
    spark: Any, data: Path, whole: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables are committed one by one; a crash in between leaves some with files that no round names."""
    original = getattr(round_module, "commit_all")  # noqa: B009 - not exported there

    def half(location: Any, signature: Any, changes: dict[str, Any]) -> Any:
        original(location, signature, dict(list(changes.items())[: len(changes) // 2]))
        raise Died

    with monkeypatch.context() as patched:
        patched.setattr(round_module, "commit_all", half)
        with pytest.raises((Died, JobError)):
            LakeRun(spark, tmp_path / "lake", source_of(data)).run()
    assert_same_tables(LakeRun(spark, tmp_path / "lake", source_of(data)).run(), whole)


def _killing_its_worker_once(make_kernel: Callable[..., Any], marker: Path) -> Callable[..., Any]:
    """Kernels whose first task takes the Python process with it that it runs in, as the kernel's memory killer would."""

    def make(*settings: Any) -> Callable[[Any], Any]:
        kernel, path = make_kernel(*settings), str(marker)

        def dying(batches: Any) -> Any:
            import os
            import signal

            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
            except FileExistsError:
                pass
            return kernel(batches)

        return dying

    return make


@pytest.mark.parametrize(("module", "kernel"), [(fold_module, "fold_kernel"), (build_module, "now_kernel")])
def test_killed_worker_is_replaced_and_its_task_run_again(
    spark: Any, data: Path, whole: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any, kernel: str
) -> None:
    marker = tmp_path / "killed"
    monkeypatch.setattr(module, kernel, _killing_its_worker_once(getattr(module, kernel), marker))
    found = LakeRun(spark, tmp_path / "lake", source_of(data)).run()
    assert marker.exists()
    assert_same_tables(found, whole)


def test_micro_batch_that_spark_repeats_changes_nothing(
    spark: Any, data: Path, whole: Lake, lake_of_one_run: Path
) -> None:
    """Spark repeats a micro-batch whose end it did not write down, though the round was published."""
    (lake_of_one_run / "_checkpoint" / "kafka" / "commits" / str(whole.round.batch_id)).unlink()
    again = LakeRun(spark, lake_of_one_run, source_of(data)).run()
    assert again.round.batch_id == whole.round.batch_id
    assert again.round.records == whole.round.records
    assert_same_tables(again, whole)


def test_second_run_over_the_same_log_finds_nothing_to_do(
    spark: Any, data: Path, whole: Lake, lake_of_one_run: Path
) -> None:
    run = LakeRun(spark, lake_of_one_run, source_of(data))
    second = run.run()
    assert run.gold == [None]
    assert second.round.versions == whole.round.versions


def test_rebuild_from_the_log_table_gives_the_same_tables(
    spark: Any, data: Path, whole: Lake, lake_of_one_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In two stretches of the log: no task has all of it."""
    monkeypatch.setattr(round_module, "REBUILD_ROWS", 100)
    LakeRun(spark, lake_of_one_run, source_of(data)).query.rebuild()
    assert_same_tables(Lake.open(lake_of_one_run), whole)


def test_lost_checkpoint_is_refused_and_not_made_anew(spark: Any, data: Path, lake_of_one_run: Path) -> None:
    """Spark would read everything again as micro-batch 0, which the lake has: what came since would be lost."""
    shutil.rmtree(lake_of_one_run / "_checkpoint")
    with pytest.raises(LakeError, match="is gone, which says what of the log was read"):
        LakeRun(spark, lake_of_one_run, source_of(data)).run()
    assert not (lake_of_one_run / "_checkpoint").exists()


def test_checkpoint_that_does_not_belong_to_the_lake_is_refused(
    spark: Any, data: Path, whole: Lake, lake_of_one_run: Path, tmp_path: Path
) -> None:
    root, other = tmp_path / "cut", tmp_path / "other"
    most = max(source_of(data).ends()["__consumer_offsets"].values())
    LakeRun(spark, root, source_of(data), offsets_per_partition=most // 3 + 1).run()
    LakeRun(spark, other, source_of(data))
    shutil.copytree(root / "_checkpoint", other / "_checkpoint")
    last = max(
        int(file.name) for file in (other / "_checkpoint" / "kafka" / "commits").iterdir() if file.name.isdigit()
    )
    (other / "_checkpoint" / "kafka" / "commits" / str(last)).unlink()
    with pytest.raises(LakeError, match="do not belong together"):
        LakeRun(spark, other, source_of(data)).run()
    # One whose next micro-batch is the lake's next one too.
    shutil.rmtree(lake_of_one_run / "_checkpoint")
    foreign = Path(shutil.copytree(root / "_checkpoint", lake_of_one_run / "_checkpoint")) / "kafka"
    for file in (*foreign.glob("offsets/[0-9]*"), *foreign.glob("commits/[0-9]*")):
        if int(file.name) > whole.round.batch_id:
            file.unlink()
    with pytest.raises(LakeError, match="is not the one that this lake was filled with"):
        LakeRun(spark, lake_of_one_run, source_of(data)).run()
