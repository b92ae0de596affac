"""A rebuild of a log with few rows and many offsets, as compaction leaves it: it costs what the rows cost, not the offsets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muster.core.records import OffsetCommitted
from muster.core.time_units import MINUTE_MS
from muster.log.record_codec import encode_record
from muster.pipeline import round as round_module
from muster.pipeline.lake.reader import Lake
from tests.pipeline.sources.written_log import NOW_MS, WrittenLog
from tests.pipeline.stream.lakes import LakeRun, assert_same_tables, source_of

FAR = 300_000_000
MOST = 10**9
"""Offsets of a micro-batch: one reads all that is there."""
RECORD_BYTES_AT = 70
"""In a batch, behind its header: its checksum does not fit any more when something is written there."""


class CompactedLog:
    """Commits of a group, hundreds of millions of offsets apart."""

    def __init__(self, data: Path) -> None:
        topic = WrittenLog(data, "orders")
        topic.append(*((None, b"an order") for _ in range(50)))
        self.log = WrittenLog(data)
        self._commits = 0

    def commit(self, count: int) -> None:
        for _ in range(count):
            self._commits += 1
            at_ms = NOW_MS + self._commits * MINUTE_MS
            commit = OffsetCommitted("billing", "orders", 0, self._commits, -1, "", at_ms)
            self.log.append(encode_record(commit), at_ms=at_ms)

    def damage(self) -> None:
        """One more batch, which cannot be read."""
        self.commit(1)
        self.log.damage(-1, RECORD_BYTES_AT, b"\xff\xff")


def test_rebuild_of_a_compacted_log_folds_only_where_rows_are(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compacted, source = CompactedLog(tmp_path / "data"), source_of(tmp_path / "data", "c")
    compacted.commit(3)
    LakeRun(spark, tmp_path / "lake", source).run()
    compacted.log.skip(FAR)
    compacted.commit(2)
    compacted.damage()
    compacted.log.skip(FAR)
    compacted.commit(4)
    before = LakeRun(spark, tmp_path / "lake", source, offsets_per_partition=MOST).run()
    assert before.arrow("b_quarantine").num_rows == 1
    assert before.arrow("log", ["log_offset"])["log_offset"].to_pylist().count(-1) == 1

    monkeypatch.setattr(round_module, "REBUILD_ROWS", 4)
    steps: list[str] = []
    fold_stretch = round_module._Round._refold_stretch

    def counted(this: Any, log: Any, settings: Any, step: str) -> None:
        steps.append(step)
        assert len(steps) < 10, "stretches without rows are folded too"
        fold_stretch(this, log, settings, step)

    monkeypatch.setattr(round_module._Round, "_refold_stretch", counted)
    LakeRun(spark, tmp_path / "lake", source).query.rebuild()
    assert steps == ["fold-0", "fold-1", "fold-2"]
    assert_same_tables(Lake.open(tmp_path / "lake"), before)
