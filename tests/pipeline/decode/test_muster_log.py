"""The log of a Muster server, read while and after it ran: current offsets are what OffsetFetch answers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from muster.core.internal_topics import GROUP_JOURNAL
from muster.pipeline.schemas import TABLES
from muster.pipeline.sources import broker as broker_module
from muster.pipeline.sources.broker import BrokerLogs
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.journal import journal_rows
from muster.pipeline.sources.log_source import LogSource, Stretch, partition_count
from muster.pipeline.sources.segments import SegmentLogs
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.wire.generated.delete_groups import DeleteGroupsRequest
from muster.wire.generated.delete_records import (
    DeleteRecordsRequest,
    DeleteRecordsRequestPartition,
    DeleteRecordsRequestTopic,
)
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.list_groups import ListGroupsRequest
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from muster.wire.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from muster.wire.generated.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tests.pipeline.fold.current import current_offsets
from tests.pipeline.sources.sampled_ends import sample_end_offsets
from tests.pipeline.sources.segment_ends import segment_end_offsets
from tests.server.broker.whole_server import batch, create, produce
from tests.server.groups.group_client import GroupClient
from tests.server.raw_client import RawClient

PARTITIONS = 5
Answers = dict[tuple[str, str, int], tuple[int, int | None, str]]


def server_on(data: Path) -> RunningServer:
    settings = {
        "listeners": "127.0.0.1:0",
        "muster.data": str(data),
        "muster.durability": "os",
        "group.initial.rebalance.delay.ms": "0",
        "offsets.topic.num.partitions": str(PARTITIONS),
    }
    return RunningServer(Settings.of(settings))


def wake(client: RawClient) -> None:
    """As every client begins: the first FindCoordinator has the coordinator's topic made, and it is asked until it is ready."""
    while client.ask("FindCoordinator", 3, FindCoordinatorRequest(key="group-0")).error_code:
        pass
    while True:
        answers = client.ask(
            "OffsetFetch",
            8,
            OffsetFetchRequest(
                groups=[OffsetFetchRequestGroup(group_id=f"group-{number}", topics=None) for number in range(12)]
            ),
        )
        if not any(group.error_code for group in answers.groups):
            return


def act(client: RawClient, chance: random.Random) -> None:
    """One step of a history: mostly commits, some of them back, some deletes."""
    group = f"group-{chance.randint(0, 11)}"
    topic = chance.choice(["orders", "payments"])
    partitions = chance.sample(range(4), chance.randint(1, 4))
    kind = chance.random()
    if kind < 0.06:
        client.ask("DeleteGroups", 2, DeleteGroupsRequest([group]))
    elif kind < 0.15:
        gone = [OffsetDeleteRequestPartition(partition) for partition in partitions]
        client.ask("OffsetDelete", 0, OffsetDeleteRequest(group, [OffsetDeleteRequestTopic(topic, gone)]))
    else:
        metadata = chance.choice(["", "", "note", "ü" * 100])
        asked = [
            OffsetCommitRequestPartition(partition, chance.randint(0, 1000), chance.randint(-1, 3), metadata)
            for partition in partitions
        ]
        reply = client.ask(
            "OffsetCommit",
            8,
            OffsetCommitRequest(group, topics=[OffsetCommitRequestTopic(name=topic, partitions=asked)]),
        )
        assert all(part.error_code == 0 for part in reply.topics[0].partitions)


def fetched(client: RawClient) -> Answers:
    groups = [each.group_id for each in client.ask("ListGroups", 4, ListGroupsRequest()).groups]
    asked = [OffsetFetchRequestGroup(group_id=group, topics=None) for group in groups]
    answer = client.ask("OffsetFetch", 8, OffsetFetchRequest(groups=asked))
    return {
        (group.group_id, topic.name, part.partition_index): (
            part.committed_offset,
            part.committed_leader_epoch if part.committed_leader_epoch >= 0 else None,
            part.metadata,
        )
        for group in answer.groups
        for topic in group.topics
        for part in topic.partitions
    }


def read_from(data: Path) -> Answers:
    rows = current_offsets(data)
    return {
        (row["group_id"], row["topic"], row["partition"]): (
            row["committed_offset"],
            row["leader_epoch"],
            row["metadata"],
        )
        for row in rows
    }


@pytest.mark.parametrize("seed", range(3))
def test_current_offsets_equal_offset_fetch_after_a_history_with_restarts(tmp_path: Path, seed: int) -> None:
    """Law of the pipeline: for every group, at any moment, also while the server runs."""
    chance = random.Random(seed)
    answers: Answers = {}
    for _ in range(3):
        with server_on(tmp_path) as server, RawClient(server.port) as client:
            wake(client)
            if not answers:
                for topic in ("orders", "payments"):
                    create(client, topic, 4)
            for _ in range(60):
                act(client, chance)
            answers = fetched(client)
            assert read_from(tmp_path) == answers
        assert read_from(tmp_path) == answers
    assert len(answers) > 20


def test_broker_and_its_files_give_the_same_rows(tmp_path: Path) -> None:
    chance = random.Random(7)
    with server_on(tmp_path) as server:
        with RawClient(server.port) as client:
            wake(client)
            for topic in ("orders", "payments"):
                create(client, topic, 4)
            for _ in range(50):
                act(client, chance)
        files, broker = SegmentLogs((str(tmp_path),), cluster="c"), BrokerLogs(server.address, cluster="c")
        assert broker.ends() == files.ends()
        assert partition_count(broker.ends()) == partition_count(files.ends()) == PARTITIONS
        assert _rows(broker) == _rows(files)
        starts = {partition: end // 2 for partition, end in broker.ends().items()}
        assert _rows(broker, starts) == _rows(files, starts)


def test_fetches_of_any_size_give_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches larger than a fetch come whole, answers cut in the middle of a batch are asked for again."""
    chance = random.Random(8)
    with server_on(tmp_path) as server:
        with RawClient(server.port) as client:
            wake(client)
            for topic in ("orders", "payments"):
                create(client, topic, 4)
            for _ in range(30):
                act(client, chance)
        files, broker = SegmentLogs((str(tmp_path),)), BrokerLogs(server.address)
        for size in (1, 700):
            monkeypatch.setattr(broker_module, "FETCH_BYTES", size)
            assert _rows(broker) == _rows(files)


def test_beginning_that_was_deleted_is_passed_over(tmp_path: Path) -> None:
    with server_on(tmp_path) as server:
        with RawClient(server.port) as client:
            create(client, "orders")
            for _ in range(4):
                produce(client, "orders", batch(b"a", b"b"))
            cut = DeleteRecordsRequest(
                [DeleteRecordsRequestTopic("orders", [DeleteRecordsRequestPartition(0, 4)])], timeout_ms=1000
            )
            assert client.ask("DeleteRecords", 2, cut).topics[0].partitions[0].error_code == 0
        assert [row["log_offset"] for row in _rows(BrokerLogs(server.address, "orders"))] == [4, 5, 6, 7]
        (row,) = sample_end_offsets(server.address).to_pylist()
        assert (row["log_start"], row["leo"]) == (4, 8)


def test_broker_without_groups_has_no_log_to_read(tmp_path: Path) -> None:
    with server_on(tmp_path) as server:
        logs = BrokerLogs(server.address, topic="nowhere")
        assert logs.ends() == {}


def test_nobody_there_says_where() -> None:
    with pytest.raises(SourceError, match=r"127\.0\.0\.1:1: cannot connect"):
        BrokerLogs("127.0.0.1:1").ends()


@pytest.mark.parametrize(
    "text", ["", "host", "host:", ":9092", "host:x", "a:1,b", pytest.param("host:" + "9" * 5_000, id="long")]
)
def test_bootstrap_that_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(SourceError, match="is not HOST:PORT"):
        BrokerLogs(text).ends()


def test_journal_of_a_server_is_read_from_itself_and_from_its_files(tmp_path: Path) -> None:
    """Nobody waits for the journal: what the server shows is the beginning of what its files have in the end."""
    with server_on(tmp_path) as server:
        with GroupClient(server.port) as client:
            wake(client)
            client.join("g1", version=3).answer()
        shown = _events(BrokerLogs(server.address, GROUP_JOURNAL))
    written = _events(SegmentLogs((str(tmp_path),), GROUP_JOURNAL))
    assert shown == written[: len(shown)]
    kinds = [row["kind"] for row in written]
    assert kinds[0] == "group_created"
    assert {"member_joined", "rebalance_started", "join_completed"} <= set(kinds)
    assert {row["group_id"] for row in written} == {"g1"}
    assert list(written[0]) == TABLES["b_journal_event"].names


def _events(logs: LogSource) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for partition, end in logs.ends().items():
        for bronze in logs.open(Stretch(partition, 0, end)).bronze():
            events, refused = journal_rows(bronze)
            assert refused.num_rows == 0
            rows += events.to_pylist()
    return rows


def test_end_offsets_sampled_from_the_server_equal_those_of_its_segments(tmp_path: Path) -> None:
    with server_on(tmp_path) as server:
        with RawClient(server.port) as client:
            create(client, "orders", 2)
            create(client, "empty")
            for number in range(3):
                produce(client, "orders", batch(b"a", b"b", timestamp_ms=1_700_000_000_000 + number))
        times = iter([100, 105])
        sampled = sample_end_offsets(server.address, cluster="c", clock=lambda: next(times))
        history = segment_end_offsets([str(tmp_path)], cluster="c")
    assert sampled.schema == history.schema == TABLES["b_leo_sample"]
    now = {(row["topic"], row["partition"]): row for row in sampled.to_pylist()}
    assert {place: row["leo"] for place, row in now.items()} == {("empty", 0): 0, ("orders", 0): 6, ("orders", 1): 0}
    assert now["orders", 0]["max_timestamp_ms"] == 1_700_000_000_002
    assert (now["orders", 0]["begin_ms"], now["orders", 0]["end_ms"]) == (100, 105)
    known = [
        (row["leo"], row["end_ms"]) for row in history.to_pylist() if (row["topic"], row["partition"]) == ("orders", 0)
    ]
    assert known == [(2, 1_700_000_000_000), (4, 1_700_000_000_001), (6, 1_700_000_000_002)]
    last = {(row["topic"], row["partition"]): row["leo"] for row in history.to_pylist()}
    assert last == {place: row["leo"] for place, row in now.items()}
    assert {row["topic_id"] for row in history.to_pylist()} == {row["topic_id"] for row in now.values()}


def _rows(logs: LogSource, starts: dict[int, int] | None = None) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for partition, end in logs.ends().items():
        for bronze in logs.open(Stretch(partition, (starts or {}).get(partition, 0), end)).bronze():
            rows += bronze.drop_columns(["source"]).to_pylist()
    return rows
