"""Two clusters in one lake, one with a journal and one without: a run of either leaves the tables of the other as they are."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from muster.pipeline.fold.kernel import FACTS
from muster.pipeline.lake.reader import Lake
from tests.pipeline.stream.lakes import LakeRun, rows_in, source_of
from tests.pipeline.stream.random_data import JOURNAL, RandomData

FOLDED = ("log", "open", *FACTS)
"""With rows that are still open: what the tables show does not tell whether they are finished."""


def test_rebuild_by_one_cluster_folds_the_other_with_its_own_journal(spark: Any, tmp_path: Path) -> None:
    """A rebalance is finished when the journal has gone on, if there is one. Of Kafka's log that would be waited for in vain."""
    lake = tmp_path / "lake"
    for number, name in enumerate(("kafka", "muster")):
        RandomData(tmp_path / name, number).write_rest()
    for folder in (tmp_path / "kafka").glob(f"{JOURNAL}-*"):
        shutil.rmtree(folder)
    sources = [source_of(tmp_path / name, name) for name in ("kafka", "muster")]
    for source in sources:
        before = LakeRun(spark, lake, source).run()
    assert before.round.journals == {"kafka": [], "muster": [0, 1]}
    for source in reversed(sources):
        LakeRun(spark, lake, source).query.rebuild()
        found = Lake.open(lake)
        assert [table for table in FOLDED if rows_in(found, table) != rows_in(before, table)] == []
