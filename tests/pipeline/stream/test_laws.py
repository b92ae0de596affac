"""The laws of the pipeline on the log of a real Kafka: cuts, stops, killed workers and repeated micro-batches leave no trace.

What a run leaves that dies itself is in `test_dying_rounds`.
"""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from muster.pipeline import round as round_module
from muster.pipeline.fold import kernel as fold_module
from muster.pipeline.lake.commit import APPLICATION
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.rounds import known_rounds
from muster.pipeline.now import build as build_module
from tests.pipeline.jobs.kafka_log import FIXTURE
from tests.pipeline.stream.lakes import LakeRun, assert_same_tables, source_of


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


def test_many_micro_batches_give_the_tables_of_one(
    spark: Any, data: Path, whole: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With micro-batches that write changed positions beside those before them, and some that write all of them anew."""
    whole_ones = itertools.cycle((False, True))
    monkeypatch.setattr(round_module, "writes_all_positions", lambda *_: next(whole_ones))
    most = max(source_of(data).ends()["__consumer_offsets"].values())
    found = LakeRun(spark, tmp_path / "lake", source_of(data), offsets_per_partition=most // 8 + 1).run()
    assert found.round.batch_id >= 3
    assert_same_tables(found, whole)
    assert_commits_say_their_round(found)


def assert_commits_say_their_round(lake: Lake) -> None:
    """In the history of each table and by Delta's `txn`, for readers that do not know `rounds`."""
    empty, *rounds = known_rounds(lake.location)
    versions = dict(empty.versions)
    for this in rounds:
        changed = {table: version for table, version in this.versions.items() if versions.get(table) != version}
        assert changed.keys() >= ({"log", "state"} if this.gold_round != this.round else {"g_lag", "g_lag_history"})
        for table, version in changed.items():
            url = lake.location.delta_table_url(table)
            (said,) = (commit for commit in DeltaTable(url).history() if commit["version"] == version)
            assert (said["round"], said["cluster"], said["batch"]) == (str(this.round), "kafka", str(this.batch_id))
            assert DeltaTable(url, version=version).transaction_version(APPLICATION) == this.round
        versions |= changed


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
