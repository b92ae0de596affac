"""A run that dies in the middle of a round, wherever that is: the next one leaves the tables of a run that nothing happened to."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.functions import lit

from muster.pipeline import round as round_module
from muster.pipeline.failure import JobError
from muster.pipeline.lake.reader import Lake
from muster.pipeline.sources.run_source import DirectorySource
from tests.pipeline.stream.lakes import LakeRun, assert_same_tables, source_of


class Died(Exception):
    """Stands for a process that was killed: nothing is tidied up."""


HALF = "half of commit_all"
"""Tables are committed one by one; a death in between leaves some with files that no round names."""


@contextmanager
def dying(point: str, when: int = 1) -> Iterator[None]:
    """The `when`-th call of this step of a round never returns, and what is run inside dies of it."""
    name = "commit_all" if point == HALF else point
    original = getattr(round_module, name)
    calls = 0

    def die(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls != when:
            return original(*arguments)
        if point == HALF:
            location, signature, changes = arguments
            original(location, signature, dict(list(changes.items())[: len(changes) // 2]))
        raise Died(point)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(round_module, name, die)
        with pytest.raises((Died, JobError)):
            yield
    assert calls >= when, "it did not die of this"


def in_words(points: list[tuple[str, int]]) -> list[str]:
    return [f"{point.replace(' ', '-')}-{when}" for point, when in points]


def two_batches(data: Path) -> dict[str, int]:
    return {"offsets_per_partition": max(source_of(data).ends()["__consumer_offsets"].values()) // 2 + 1}


OF_A_BATCH = [
    ("list_batch", 1),  # the log's files are written, nothing knows of them
    ("list_batch", 2),  # the fold's files too
    ("commit_all", 1),
    ("commit_all", 2),
    (HALF, 1),
    ("publish_round", 1),  # every table is committed, the round is not published
    ("publish_round", 2),
]


@pytest.mark.parametrize(("point", "when"), OF_A_BATCH, ids=in_words(OF_A_BATCH))
def test_run_that_dies_in_a_micro_batch_is_finished_by_the_next(
    spark: Any, data: Path, whole: Lake, tmp_path: Path, point: str, when: int
) -> None:
    with dying(point, when):
        LakeRun(spark, tmp_path, source_of(data), **two_batches(data)).run()
    assert_same_tables(LakeRun(spark, tmp_path, source_of(data), **two_batches(data)).run(), whole)


class _OnlyNewestEnds(DirectorySource):
    """As a broker tells them: when the records came that groups have yet to read is found out afterwards."""

    def sample_ends(self, spark: Any, known: Any, now_ms: int) -> Any:
        ends = super().sample_ends(spark, known, now_ms).where("lso is not null")
        return ends.withColumn("sampler", lit("list_offsets"))


@pytest.fixture(scope="module")
def newest_ends(data: Path) -> DirectorySource:
    found = source_of(data)
    return _OnlyNewestEnds(found.directories, found.cluster)


@pytest.fixture(scope="module")
def read_root(spark: Any, data: Path, newest_ends: DirectorySource, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake that has read everything in two micro-batches; the round of the tables of now died when it began."""
    root = tmp_path_factory.mktemp("lakes") / "read"
    with dying("fold_ends"):
        LakeRun(spark, root, newest_ends, **two_batches(data)).run()
    return root


@pytest.fixture(scope="module")
def made(spark: Any, read_root: Path, newest_ends: DirectorySource, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """What it becomes if nothing more happens."""
    root = tmp_path_factory.mktemp("lakes") / "made"
    found = LakeRun(spark, Path(shutil.copytree(read_root, root)), newest_ends).run()
    assert set(found.arrow("b_leo_sample")["sampler"].to_pylist()) == {"list_offsets", "batch_begin", "batch_end"}
    return found


OF_NOW = [
    ("list_batch", 1),  # ends
    ("tables_of_now", 1),
    ("list_batch", 2),  # the tables of now, before the times of records are asked for
    ("list_batch", 3),  # the ends with those
    ("list_batch", 4),  # the tables of now once more
    ("list_batch", 5),  # open rows
    ("commit_all", 1),
    (HALF, 1),
    ("publish_round", 1),
]


@pytest.mark.parametrize(("point", "when"), OF_NOW, ids=in_words(OF_NOW))
def test_round_of_the_tables_of_now_that_dies_is_made_by_the_next_run(
    spark: Any, read_root: Path, made: Lake, newest_ends: DirectorySource, tmp_path: Path, point: str, when: int
) -> None:
    root = Path(shutil.copytree(read_root, tmp_path / "lake"))
    with dying(point, when):
        LakeRun(spark, root, newest_ends).run()
    assert Lake.open(root).round.gold_round is None
    assert_same_tables(LakeRun(spark, root, newest_ends).run(), made)


OF_A_REBUILD = [
    ("list_batch", 1),  # the fold's files
    (HALF, 1),
    ("publish_round", 1),
]


@pytest.mark.parametrize(("point", "when"), OF_A_REBUILD, ids=in_words(OF_A_REBUILD))
def test_rebuild_that_dies_leaves_the_tables_and_can_be_made_again(
    spark: Any, data: Path, whole: Lake, lake_of_one_run: Path, point: str, when: int
) -> None:
    """Everything goes from every table, and comes again: nobody sees that before it is done."""
    with dying(point, when):
        LakeRun(spark, lake_of_one_run, source_of(data)).query.rebuild()
    assert_same_tables(Lake.open(lake_of_one_run), whole)
    LakeRun(spark, lake_of_one_run, source_of(data)).query.rebuild()
    assert_same_tables(Lake.open(lake_of_one_run), whole)
