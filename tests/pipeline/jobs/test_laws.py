"""The laws of the jobs, on the log of a real Kafka: how it is cut into batches, runs and crashes cannot be seen in the tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from muster.pipeline.old.jobs import RunSettings, Watch, gold_round, read_round
from muster.pipeline.old.lake import Lake, LakeWriter
from tests.pipeline.jobs.kafka_log import FIXTURE, digest, digests, rows_in, source_of


class _Died(Exception):
    pass


def _read_in_pieces(spark: Any, root: Path, data: Path, batch_records: int) -> int:
    """A run a batch, every third one dies between writing its files and publishing them. How many runs it took."""
    settings = RunSettings(batch_records=batch_records)
    runs = 0
    while True:
        runs += 1
        with Lake.open_or_create(root).write() as writer:
            stop = _stop_after_one(writer)
            if runs % 3 == 0:
                _let_it_die(writer)
            try:
                progress = read_round(spark, writer, source_of(data), settings, Watch(stopped=stop))
            except _Died:
                continue
            if not progress.behind:
                return runs


def _stop_after_one(writer: LakeWriter) -> Any:
    before = writer.manifest.revision
    return lambda: writer.manifest.revision > before


def _let_it_die(writer: LakeWriter) -> None:
    def die(_: object) -> None:
        raise _Died

    writer.publish = die  # type: ignore[method-assign,assignment]


def test_one_batch_equals_many_micro_batches_with_stops_and_crashes(
    spark: Any, data: Path, whole: Path, tmp_path: Path
) -> None:
    """Law 1 of issue 6: sorted hash of every silver and gold table."""
    pieces = tmp_path / "pieces"
    most = max(source_of(data).logs()[0].ends().values())
    runs = _read_in_pieces(spark, pieces, data, batch_records=most // 4 + 1)
    assert runs >= 5
    with Lake.open(pieces).write() as writer:
        assert gold_round(spark, writer, source_of(data), RunSettings(), Watch())
    assert digest(pieces, "b_log_record") == digest(whole, "b_log_record")
    assert digests(pieces) == digests(whole)


def test_current_offsets_equal_what_the_broker_answered(whole: Path) -> None:
    """Law 2 of issue 6, through the whole pipeline: transactions, rewinds, deletions and compaction included."""
    answers: dict[str, list[list[Any]]] = json.loads((FIXTURE / "offset_fetch.json").read_text())
    expected = {(group, topic, number): offset for group, rows in answers.items() for topic, number, offset, *_ in rows}
    found = {
        (row["group_id"], row["topic"], row["partition"]): row["committed_offset"]
        for row in rows_in(whole, "s_current_offset")
    }
    assert found == expected


def test_nothing_is_lost_between_the_log_and_the_tables(whole: Path) -> None:
    quality = rows_in(whole, "g_data_quality")
    assert sum(row["records"] for row in quality) == len(rows_in(whole, "b_log_record"))
    assert not rows_in(whole, "b_quarantine")
    assert Lake.open(whole).arrow("g_lag").num_rows


def test_a_second_run_over_the_same_log_finds_nothing_to_do(spark: Any, data: Path, whole: Path) -> None:
    with Lake.open(whole).write() as writer:
        revision = writer.manifest.revision
        assert read_round(spark, writer, source_of(data), RunSettings(), Watch()).batches == 0
        assert not gold_round(spark, writer, source_of(data), RunSettings(), Watch())
        assert writer.manifest.revision == revision


def test_a_log_that_became_shorter_is_said_and_not_read_again(spark: Any, data: Path, whole: Path) -> None:
    """Trap 29: the log was cut, or is another one under the same name."""

    class _Shorter:
        def __init__(self) -> None:
            self.logs_of = source_of(data).logs()

        cluster = "kafka"
        is_live = False

        def logs(self) -> Iterator[Any]:
            for log in self.logs_of:
                ends = {partition: end // 2 for partition, end in log.ends().items()}
                yield _Cut(log, ends)

    class _Cut:
        def __init__(self, log: Any, ends: dict[int, int]) -> None:
            self.topic, self.cluster = log.topic, log.cluster
            self.ends = lambda: ends
            self.partition_count = log.partition_count

    with Lake.open(whole).write() as writer:
        progress = read_round(spark, writer, _Shorter(), RunSettings(), Watch())  # type: ignore[arg-type]
    assert progress.batches == 0
    assert any("was cut or replaced" in warning for warning in progress.warnings)
