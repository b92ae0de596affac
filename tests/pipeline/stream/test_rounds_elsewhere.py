"""Rounds that a Connect server makes: the query knows of them only what it asks the server, and holds nothing meanwhile.

Here with a session of this process that is taken for one of a server; `test_connect_server` has a real one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.query import StreamingQuery

from muster.core.records import OffsetCommitted
from muster.log.record_codec import encode_record
from muster.pipeline.lake.reader import Lake
from muster.pipeline.stream import PipelineQuery
from tests.pipeline.sources.written_log import NOW_MS, WrittenLog
from tests.pipeline.stream.lakes import LakeRun, source_of


@pytest.fixture(autouse=True)
def as_on_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muster.pipeline.stream.is_connect", lambda _: True)


def test_first_ctrl_c_lets_a_connect_server_finish_its_round(
    spark: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = LakeRun(spark, tmp_path, source_of(data), offsets_per_partition=40)
    add, stop = run.writer.add, StreamingQuery.stop
    happened: list[str] = []

    def add_while_stopping(*arguments: Any) -> None:
        run.stop.set()
        add(*arguments)
        happened.append("the round is published")

    def stop_query(query: StreamingQuery) -> None:
        happened.append("the query is stopped")
        stop(query)

    monkeypatch.setattr(run.writer, "add", add_while_stopping)
    monkeypatch.setattr(StreamingQuery, "stop", stop_query)
    run.query.follow()
    assert run.warnings == []
    assert happened[:2] == ["the round is published", "the query is stopped"]
    assert Lake.open(tmp_path).round.records > 0


def test_new_records_that_no_progress_told_of_are_in_the_tables(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server tells of its last micro-batch alone, and is not asked after each."""
    monkeypatch.setattr(PipelineQuery, "_tell", lambda self, query, told: told)
    WrittenLog(tmp_path / "data", "orders").append(*[(None, b"an order")] * 9)
    log = WrittenLog(tmp_path / "data")
    for offset in (3, 5):
        log.append(encode_record(OffsetCommitted("billing", "orders", 0, offset, -1, "", NOW_MS)))
        lake = LakeRun(spark, tmp_path / "lake", source_of(tmp_path / "data", "c")).run()
        assert lake.arrow("g_lag")["committed"].to_pylist() == [offset]
