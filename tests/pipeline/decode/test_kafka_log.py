"""A small log of a real Apache Kafka 4.3.1: decoded fully, with offsets equal to what that broker answered.

The log has classic and KIP-848 members, rewinds, a group deleted and made again, transactions that were committed, aborted and
left open, three kinds of compression and real compaction; `make_kafka_log` wrote it.
"""

from __future__ import annotations

import json
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.sources.log_source import Stretch, partition_count
from muster.pipeline.sources.segments import SegmentLogs
from tests.pipeline.fold.current import current_offsets
from tests.pipeline.oracle.decode_batch import decode_batch
from tests.pipeline.sources.segment_ends import segment_end_offsets

FIXTURE = Path(__file__).parent.parent / "fixtures" / "kafka-4.3.1"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("kafka-4.3.1")
    with tarfile.open(FIXTURE / "data.tar.xz") as tar:
        tar.extractall(directory, filter="data")
    return directory


@pytest.fixture(scope="module")
def answers() -> dict[str, list[list[Any]]]:
    found: dict[str, list[list[Any]]] = json.loads((FIXTURE / "offset_fetch.json").read_text())
    return found


@pytest.fixture(scope="module")
def tables(data: Path) -> dict[str, pa.Table]:
    logs = SegmentLogs((str(data),))
    made: dict[str, list[pa.RecordBatch]] = {name: [] for name in ROW_TABLES}
    for partition, end in logs.ends().items():
        reader = logs.open(Stretch(partition, 0, end))
        for bronze in reader.bronze():
            for name, rows in decode_batch(bronze, partition_count(logs.ends())).items():
                made[name].append(rows)
        assert reader.quarantine().num_rows == 0
    return {name: pa.Table.from_batches(batches, schema=ROW_TABLES[name]) for name, batches in made.items()}


def test_current_offsets_are_what_the_broker_answered(data: Path, answers: dict[str, list[list[Any]]]) -> None:
    rows = current_offsets(data)
    found: dict[str, list[list[Any]]] = {}
    for row in rows:
        epoch = -1 if row["leader_epoch"] is None else row["leader_epoch"]
        found.setdefault(row["group_id"], []).append(
            [row["topic"], row["partition"], row["committed_offset"], epoch, row["metadata"]]
        )
    assert {group: sorted(each) for group, each in found.items()} == answers


def test_every_record_decodes(tables: dict[str, pa.Table]) -> None:
    assert (tables["b_quarantine"].num_rows, tables["unknown_type"].num_rows) == (0, 0)
    assert tables["s_offset_commit"].num_rows > 100
    assert set(tables["s_offset_commit"]["value_version"].drop_null().to_pylist()) == {4}


def test_ends_of_transactions_are_there_and_compaction_took_what_does_not_count(tables: dict[str, pa.Table]) -> None:
    """Kafka's cleaner drops records of aborted transactions; the one that was left open keeps its records."""
    ends = Counter(tables["txn_marker"]["control_type"].to_pylist())
    assert ends == {0: 2, 1: 2}
    pending = [row for row in tables["s_offset_commit"].to_pylist() if row["is_transactional"]]
    assert {row["group_id"] for row in pending} >= {"txn-committed", "txn-open"}
    assert all(row["producer_id"] >= 0 for row in pending)


def test_topic_ids_are_those_of_the_topics_directories(data: Path, tables: dict[str, pa.Table]) -> None:
    """Analytics 0.9: since Kafka 4.1 commits name the topic's id."""
    ids = {row["topic"]: row["topic_id"] for row in segment_end_offsets([str(data)]).to_pylist()}
    commits = tables["s_offset_commit"].to_pylist()
    named = {(row["topic"], row["topic_id"]) for row in commits if row["topic_id"] is not None}
    assert named == set(ids.items())


def test_members_of_both_protocols_are_seen(tables: dict[str, pa.Table]) -> None:
    generations = {row["group_id"]: row["kind"] for row in tables["s_group_generation"].to_pylist()}
    assert "classic-group" in generations
    epochs = tables["s_group_epoch"].to_pylist() + tables["s_member_epoch"].to_pylist()
    assert {row["group_id"] for row in epochs} == {"new-protocol-group"}
    assert {row["record_type"] for row in epochs} >= {3, 5, 6, 7, 8}


def test_compaction_left_holes_and_all_three_compressions_are_there(data: Path) -> None:
    logs = SegmentLogs((str(data),))
    compressions: set[int] = set()
    records = 0
    for partition, end in logs.ends().items():
        for bronze in logs.open(Stretch(partition, 0, end)).bronze():
            compressions |= set(bronze.column("compression").to_pylist())
            records += bronze.num_rows
    assert compressions == {0, 3, 4}
    assert records < sum(logs.ends().values())


def test_end_offsets_of_the_topics_come_from_their_batches(data: Path) -> None:
    table = segment_end_offsets([str(data)]).to_pylist()
    ends = {(row["topic"], row["partition"]): row["leo"] for row in table}
    assert sum(end for (topic, _), end in ends.items() if topic == "orders") == 200
    assert all(row["begin_ms"] == row["end_ms"] > 0 for row in table)
