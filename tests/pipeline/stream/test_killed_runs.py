"""`muster pipeline run` is killed with its Java, or interrupted by a second Ctrl-C: the next run goes on as if nothing was."""

from __future__ import annotations

from pathlib import Path

from deltalake import DeltaTable

from muster.cli.exit_codes import INTERRUPTED
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.rounds import Round, last_round
from tests.pipeline.cluster.runs import run_pipeline
from tests.pipeline.stream.halted import HaltedRun
from tests.pipeline.stream.lakes import different_tables

SENTENCE = "muster pipeline: interrupted; nothing half-done is visible, the same command goes on where it was\n"


def flags(data: Path, lake: Path, *more: str) -> list[str]:
    return ["--from", str(data), "--cluster", "kafka", "--lake", str(lake), "--master", "local[1]", *more]


def published(lake: Path) -> Round:
    last = last_round(Location.parse(lake))
    assert last is not None
    return last


def assert_finished_by_the_next_run(data: Path, lake: Path) -> None:
    """With the tables of one batch, as the rules give them."""
    ran = run_pipeline(data, str(lake), master="local[1]")
    assert ran.returncode == 0, ran.stderr
    assert different_tables(Lake.open(lake), data, "kafka") == []


def test_run_that_is_killed_three_times_is_finished_by_the_fourth(data: Path, tmp_path: Path) -> None:
    """While a task works and files of the round are there, between the files and their commit, and between that and the round."""
    lake = tmp_path / "lake"
    for point in ("fold", "commit", "publish"):
        with HaltedRun(tmp_path, point, flags(data, lake)) as run:
            run.await_halt()
            assert list(lake.glob("log/*/dt=*/*.parquet")), "files are there"
            run.kill()
        assert published(lake).round == 0, "and nobody sees them"
    assert DeltaTable(lake / "table=state").version() == 0, "committed"
    assert_finished_by_the_next_run(data, lake)


def test_second_ctrl_c_interrupts_the_batch_in_work(data: Path, tmp_path: Path) -> None:
    """Both reach every process of the group.

    In `--follow` Spark makes the batch beside the main thread; the tables of now after a run are made while that waits for Java.
    """
    lake = tmp_path / "lake"
    for point, follow in (("fold", ["--follow"]), ("now", [])):
        with HaltedRun(tmp_path, point, flags(data, lake, *follow)) as run:
            run.await_halt()
            before = published(lake)
            run.interrupt()
            run.await_words("stopping after the batch in work; Ctrl-C again interrupts it")
            run.interrupt()
            assert run.wait() == INTERRUPTED, run.said
        assert run.said[-1] == SENTENCE
        assert not [line for line in run.said if not line.startswith("muster pipeline: ")], "no traceback"
        assert published(lake) == before
    assert_finished_by_the_next_run(data, lake)


def test_ctrl_c_while_java_starts_is_said_in_one_line(data: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with HaltedRun(tmp_path, "java", flags(data, tmp_path / "lake"), {"XDG_CACHE_HOME": str(cache)}) as run:
        run.await_halt()
        run.interrupt()
        assert run.wait() == INTERRUPTED, run.said
    assert run.said == ["muster pipeline: starting Spark on local[1]\n", SENTENCE]
    assert not list(cache.rglob("spark-*.log")), "no log of a session that nobody asks about"
