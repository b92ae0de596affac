"""Tables of now that are made while the log is still being read: they are provisional, and finish nothing too early."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muster.core.records import OffsetCommitted
from muster.core.time_units import MINUTE_MS
from muster.log.record_codec import encode_record
from muster.pipeline.lake.reader import Lake
from muster.pipeline.log_reading import LogReading
from muster.pipeline.round import RoundWriter
from muster.pipeline.round_settings import Done, Gold
from tests.pipeline.sources.written_log import NOW_MS, WrittenLog
from tests.pipeline.stream.lakes import LakeRun, rows_in, source_of


class MakesAllTables(RoundWriter):
    """With every micro-batch, as `--follow` does with one a minute."""

    def add(self, rows: Any, batch_id: int, gold: Gold | None = None) -> Done | None:
        return super().add(rows, batch_id, gold or Gold())


class Story:
    """A topic that grows every ten minutes for four hours, and two groups that commit every forty."""

    def __init__(self, data: Path) -> None:
        topic = WrittenLog(data, "orders")
        for number in range(25):
            topic.append((None, b"an order"), at_ms=NOW_MS + 10 * number * MINUTE_MS)
        self._log = WrittenLog(data)

    def commit(self, first: int, last: int) -> None:
        """Both groups, for the first-th to the last-th time."""
        for number in range(first, last + 1):
            at_ms = NOW_MS + 40 * number * MINUTE_MS
            for group in ("billing", "audit"):
                commit = OffsetCommitted(group, "orders", 0, 3 * number, -1, "", at_ms)
                self._log.append(encode_record(commit), at_ms=at_ms)


def test_tables_made_while_catching_up_leave_the_history_of_a_log_read_at_once(spark: Any, tmp_path: Path) -> None:
    """Trap 28. A group that has not been read on is not one that was silent: rows of that would stay for good."""
    story, source = Story(tmp_path / "data"), source_of(tmp_path / "data", "c")
    story.commit(0, 1)
    LakeRun(spark, tmp_path / "lake", source).run()
    story.commit(2, 5)
    run = LakeRun(spark, tmp_path / "lake", source, writer=MakesAllTables, offsets_per_partition=4)
    run.query.rebuild()
    found = run.run()
    rebuilt, *made, at_the_end = (done.provisional for done in run.gold)
    assert (rebuilt, made, at_the_end) == (True, [True, False], False)
    assert not found.round.provisional
    whole = LakeRun(spark, tmp_path / "whole", source).run()
    assert whole.round.batch_id < found.round.batch_id
    assert whole.arrow("g_lag_history").num_rows > 2 * 6, "silent minutes too"
    for table in ("g_lag_history", "g_lag", "g_group_lag"):
        assert rows_in(found, table) == rows_in(whole, table), table


def test_provisional_tables_are_made_again_when_all_was_read(
    spark: Any, data: Path, lake_of_one_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though neither a record nor an end is new since: on a busy cluster a rebuild knows less than the run that comes after it."""
    run = LakeRun(spark, lake_of_one_run, source_of(data))
    with monkeypatch.context() as patched:
        patched.setattr(LogReading, "until_ms", lambda *_: None)
        run.writer.make_gold(spark, Gold())
    assert Lake.open(lake_of_one_run).arrow("g_lag", ["provisional"])["provisional"].unique().to_pylist() == [True]
    assert not run.run().round.provisional
