"""The batch that holds a record says when it was appended: asked of a running broker, and found in its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.sources.broker_client import BrokerClient
from muster.pipeline.sources.record_times import BrokerRecords, DirectoryRecords, RecordPlace
from muster.pipeline.sources.run_source import DirectorySource, broker_source
from tests.pipeline.decode.test_muster_log import server_on
from tests.pipeline.sources.written_log import WrittenLog, pairs
from tests.security.quota_server import set_quotas
from tests.server.broker.whole_server import batch, create, produce
from tests.server.raw_client import RawClient

Found = tuple[str, int, int, int, str]
AT_MS = 1_700_000_000_000


def found_in(rows: Any) -> list[Found]:
    names = ("topic", "partition", "leo", "end_ms", "sampler")
    return sorted(tuple(row[name] for name in names) for row in rows)


def by_hand(work: BrokerRecords | DirectoryRecords) -> list[Found]:
    return found_in(row for number in range(len(work)) for rows in work.rows(number) for row in rows.to_pylist())


def pair(partition: int, begin: int, end: int, at_ms: int) -> list[Found]:
    return [("orders", partition, begin, at_ms, "batch_begin"), ("orders", partition, end, at_ms, "batch_end")]


def test_broker_and_its_files_tell_the_same(spark: Any, tmp_path: Path) -> None:
    places = [RecordPlace("orders", 0, 3), RecordPlace("orders", 0, 4), RecordPlace("orders", 1, 0)]
    places += [RecordPlace("orders", 1, 9), RecordPlace("gone", 0, 0)]  # behind the end; no such topic
    with server_on(tmp_path) as server:
        with RawClient(server.port) as client:
            create(client, "orders", 2)
            for number in range(3):
                produce(client, "orders", batch(b"a", b"b", timestamp_ms=AT_MS + number))
            produce(client, "orders", batch(b"a" * 100_000, timestamp_ms=AT_MS), partition=1)  # larger than a portion
        asked, by_connector = (
            found_in(row.asDict() for row in reader.record_times(spark, places).collect())
            for reader in (broker_source(server.address, "c"), broker_source(server.address, "c", by_connector=True))
        )
    expected = [*pair(0, 2, 4, AT_MS + 1), *pair(0, 4, 6, AT_MS + 2), *pair(1, 0, 1, AT_MS)]
    assert asked == sorted(expected)
    assert by_connector == asked, "whoever reads the log, records are asked for by our own client"
    from_files = DirectorySource((str(tmp_path),), "c").record_times(spark, places).collect()
    assert found_in(row.asDict() for row in from_files) == asked


def test_large_batches_of_many_partitions_are_asked_for_one_by_one(tmp_path: Path) -> None:
    with server_on(tmp_path) as server:
        with RawClient(server.port) as client:
            create(client, "orders", 5)
            for partition in range(5):
                produce(client, "orders", batch(b"a" * 50_000, timestamp_ms=AT_MS), partition=partition)
        places = [RecordPlace("orders", partition, 0) for partition in range(5)]
        found = by_hand(BrokerRecords.found(server.address, "c", places))
    assert found == sorted(row for partition in range(5) for row in pair(partition, 0, 1, AT_MS))


@pytest.mark.parametrize("chunk", [500, 1], ids=["one chunk", "a chunk each"])
def test_a_round_gets_no_more_bytes_than_its_share_and_one_batch_of_each_chunk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    """Batches may have any size: what is not asked for stays not known, and its turn comes."""
    monkeypatch.setattr("muster.pipeline.sources.record_times.MOST_BYTES", 160_000)
    monkeypatch.setattr("muster.pipeline.sources.record_times._A_CHUNK", chunk)
    sent = noted(monkeypatch)
    with server_on(tmp_path) as server:
        with RawClient(server.port) as client:
            create(client, "orders", 6)
            for partition in range(6):
                for _ in range(2):  # the second one could come with the first
                    produce(client, "orders", batch(b"a" * 50_000, timestamp_ms=AT_MS), partition=partition)
        places = [RecordPlace("orders", partition, 0) for partition in range(6)]
        found = by_hand(BrokerRecords.found(server.address, "c", places))
    received = sum(size for sizes in sent for size in sizes.values())
    if chunk == 1:  # 160,000 / 6 is spent by one batch
        assert found == sorted(row for partition in range(6) for row in pair(partition, 0, 1, AT_MS))
        assert 6 * 50_000 < received < 6 * 51_000
    else:
        assert found == sorted(row for partition in range(4) for row in pair(partition, 0, 1, AT_MS))
        assert 160_000 <= received < 160_000 + 51_000


def test_small_answers_count_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many places in one partition are many requests, each of 16 KiB."""
    monkeypatch.setattr("muster.pipeline.sources.record_times.MOST_BYTES", 20_000)
    sent = noted(monkeypatch)
    with server_on(tmp_path) as server:
        with RawClient(server.port) as client:
            create(client, "orders")
            for _ in range(40):
                produce(client, "orders", batch(b"a" * 1_000, timestamp_ms=AT_MS))
        places = [RecordPlace("orders", 0, offset) for offset in range(10)]
        found = by_hand(BrokerRecords.found(server.address, "c", places))
    assert found == [
        *pair(0, 0, 1, AT_MS)[:1],
        *pair(0, 1, 2, AT_MS)[:1],
        *pair(0, 0, 1, AT_MS)[1:],
        *pair(0, 1, 2, AT_MS)[1:],
    ]
    assert len(sent) == 2


def test_of_a_long_partition_a_few_batches_are_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """16 KiB of each, whatever waits there: a round must not read a topic to know how old its first unread record is."""
    sent = noted(monkeypatch)
    with server_on(tmp_path) as server:
        with RawClient(server.port) as client:
            create(client, "orders", 3)
            for partition in range(3):
                for number in range(60):
                    produce(client, "orders", batch(b"a" * 1_000, timestamp_ms=AT_MS + number), partition)
        places = [RecordPlace("orders", partition, 30) for partition in range(3)]
        found = by_hand(BrokerRecords.found(server.address, "c", places))
    assert found == [row for partition in range(3) for row in pair(partition, 30, 31, AT_MS + 30)]
    assert [sorted(sizes) for sizes in sent] == [[("orders", 0), ("orders", 1), ("orders", 2)]], "one request"
    assert all(1_000 < size <= 16 << 10 for sizes in sent for size in sizes.values())


def test_reader_over_its_quota_asks_once_and_leaves_it_at_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the next partitions nor, one by one, those that nothing came of: every question would make it wait longer."""
    sent = noted(monkeypatch)
    with server_on(tmp_path) as server:
        with RawClient(server.port) as client:
            create(client, "orders", 2)
            for partition in range(2):
                produce(client, "orders", batch(b"a", b"b", b"c", timestamp_ms=AT_MS), partition)
        set_quotas(server.port, {"user": None}, consumer_byte_rate=1)
        places = [RecordPlace("orders", partition, offset) for partition in range(2) for offset in range(3)]
        assert by_hand(BrokerRecords.found(server.address, "c", places)) == []
    assert sent == [{}]


def noted(monkeypatch: pytest.MonkeyPatch) -> list[dict[tuple[str, int], int]]:
    """How many bytes came of each partition, by request."""
    sent: list[dict[tuple[str, int], int]] = []
    fetch_together = BrokerClient.fetch_together

    def noting(self: BrokerClient, *asked: Any) -> Any:
        answers = fetch_together(self, *asked)
        sent.append({place: len(answer.records or b"") for place, answer in answers.items()})
        return answers

    monkeypatch.setattr(BrokerClient, "fetch_together", noting)
    return sent


def test_batch_without_a_time_tells_nothing(tmp_path: Path) -> None:
    WrittenLog(tmp_path, "orders").append(*pairs(1), at_ms=-1)
    assert by_hand(DirectoryRecords((str(tmp_path),), "c", (RecordPlace("orders", 0, 0),))) == []


def test_record_that_compaction_took_is_answered_by_the_next_one(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path, "orders")
    log.append(*pairs(2), at_ms=AT_MS)
    log.skip(5)
    log.roll()
    log.append(*pairs(2), at_ms=AT_MS + 10)
    found = by_hand(DirectoryRecords((str(tmp_path),), "c", (RecordPlace("orders", 0, 3),)))
    assert found == pair(0, 3, 9, AT_MS + 11)
