"""Packed log rows: nothing is lost or changed by packing, and the fold gets each row once."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from muster.pipeline.decode.log_rows import log_rows, problem_rows
from muster.pipeline.fold.kernel import _schema_of
from muster.pipeline.log_schema import COMMIT_COLUMNS, COMMIT_TYPES, LOG
from muster.pipeline.packed import (
    COMMITS,
    FOLD_PACKS,
    FOR_THE_FOLD,
    OTHERS,
    WRITTEN,
    packed_for_fold,
    unpack,
    with_packs,
)
from muster.pipeline.sources.bronze_rows import LogPlace, Quarantined, quarantine_rows
from muster.pipeline.sources.log_source import LOG_TOPICS, Stretch
from muster.pipeline.sources.segments import SegmentLogs
from tests.pipeline.decode.test_kafka_log import data  # noqa: F401  # the fixture: a log of a real Kafka


def _whole_log(directory: Path) -> pa.Table:
    """Commits, transactions, group records of both protocols, and a batch that cannot be read."""
    made = [problem_rows(quarantine_rows([Quarantined(LogPlace("c", LOG_TOPICS[0], 3, "c"), 7, "file 1", "torn")]))]
    for topic in LOG_TOPICS:
        logs = SegmentLogs((str(directory),), topic, "c")
        for number, end in logs.ends().items():
            made += [log_rows(bronze) for bronze in logs.open(Stretch(number, 0, end)).bronze()]
    return pa.Table.from_batches(made, LOG)


def _by_place(rows: list[dict[str, object]]) -> list[str]:
    return sorted(map(repr, rows))


def test_a_source_gives_every_row_of_the_log_and_every_pack_of_the_fold(data: Path) -> None:  # noqa: F811
    rows = _whole_log(data)
    (whole,) = rows.combine_chunks().to_batches()
    written = pa.Table.from_batches(list(with_packs(whole)), WRITTEN)
    is_pack = pa.compute.equal(written["dt"], FOR_THE_FOLD).fill_null(False)
    of_log = written.filter(pa.compute.invert(is_pack))
    assert _by_place(of_log.select(LOG.names).to_pylist()) == _by_place(rows.to_pylist())
    assert of_log["packed"].null_count == of_log.num_rows
    packs = written.filter(is_pack)
    assert set(packs["source"].to_pylist()) == {COMMITS, OTHERS}
    found = sum(
        unpack(packed, _schema_of(kind)).num_rows
        for kind, packed in zip(packs["source"].to_pylist(), packs["packed"], strict=True)
    )
    assert found == rows.num_rows


def test_the_fold_gets_commits_apart_from_everything_else(data: Path) -> None:  # noqa: F811
    """Also from rows of `log` that were read back, in batches that mix log partitions."""
    rows = _whole_log(data)
    packs = pa.Table.from_batches(list(packed_for_fold(rows.to_batches(max_chunksize=100))), FOLD_PACKS)
    found: dict[str, list[dict[str, object]]] = {COMMITS: [], OTHERS: []}
    for kind, packed in zip(packs["row_kind"].to_pylist(), packs["packed"], strict=True):
        found[kind] += unpack(packed, _schema_of(kind)).to_pylist()
    expected = rows.to_pylist()
    commits = [row for row in expected if row["record_type"] in COMMIT_TYPES and row["problem"] is None]
    others = [row for row in expected if row not in commits]
    assert commits
    assert others
    assert _by_place(found[COMMITS]) == _by_place([{name: row[name] for name in COMMIT_COLUMNS} for row in commits])
    assert _by_place(found[OTHERS]) == _by_place(others)
