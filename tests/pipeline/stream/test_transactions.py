"""Commits inside transactions of real clients, through the whole query: committed, aborted and open ones, from a broker and from
its files, in several rounds. Each round goes on where the one before stopped, with transactions that were open then.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.cli.main import main
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.spark_reader import open_lake
from muster.pipeline.sources.run_source import broker_source, directory_source
from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.interop.transactional import ConfluentTransactions
from tests.pipeline.stream.lakes import LakeRun, different_tables

Rows = list[tuple[Any, ...]]
TCP, FILES = "tcp", "files"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    settings = {
        "muster.data": str(tmp_path / "data"),
        "muster.listen": "127.0.0.1:0",
        "offsets.topic.num.partitions": "2",
        "transaction.state.log.num.partitions": "2",
    }
    with RunningServer(Settings.of(settings)) as running:
        yield running


class Story:
    """Three applications that read `orders`, write `bills` and commit what they have read in the same transaction."""

    def __init__(self, server: RunningServer) -> None:
        from confluent_kafka.admin import AdminClient, NewTopic

        admin = AdminClient({"bootstrap.servers": server.address, "log_level": 0})
        for each in admin.create_topics([NewTopic("orders", 1), NewTopic("bills", 1)]).values():
            each.result(30)
        self._address = server.address
        patient = 15 * 60_000  # of the broker's clock: Spark takes its time between the rounds
        self._apps = {
            name: ConfluentTransactions(server.address, name, patient) for name in ("billing", "audit", "late")
        }
        orders = ConfluentTransactions(server.address, "orders")
        orders.begin()
        orders.send("orders", 0, *(b"order" for _ in range(9)))
        orders.commit()

    def begin(self, name: str, offset: int) -> None:
        """A bill, and the offset of the group that has the application's name."""
        app = self._apps[name]
        app.begin()
        app.send("bills", 0, b"bill")
        app.send_offsets(name, "orders", {0: offset})

    def commit(self, name: str) -> None:
        self._apps[name].commit()

    def abort(self, name: str) -> None:
        self._apps[name].abort()

    def commit_plainly(self, group: str, offset: int) -> None:
        """A member of the group reads what another application has written."""
        from confluent_kafka import Consumer, TopicPartition

        consumer = Consumer({"bootstrap.servers": self._address, "group.id": group, "log_level": 0})
        consumer.commit(offsets=[TopicPartition("bills", 0, offset)], asynchronous=False)
        consumer.close()

    def first(self) -> None:
        self.begin("billing", 3)
        self.commit("billing")  # bills: record 0, marker 1
        self.begin("audit", 9)
        self.abort("audit")  # record 2, marker 3
        self.begin("late", 5)  # record 4
        self.commit_plainly("reader", 1)

    def second(self) -> None:
        self.commit("late")  # marker 5
        self.begin("billing", 9)
        self.commit("billing")  # record 6, marker 7
        self.begin("audit", 2)  # record 8
        self.commit_plainly("reader", 7)


def told(lake: Lake, table: str, *columns: str) -> Rows:
    return sorted(tuple(row[name] for name in columns) for row in lake.arrow(table).to_pylist())


def current(lake: Lake) -> Rows:
    return told(lake, "s_current_offset", "group_id", "topic", "committed_offset")


def pending(lake: Lake) -> Rows:
    return told(lake, "s_pending_offset", "group_id", "topic", "pending_offset")


def lags(lake: Lake) -> Rows:
    return told(lake, "g_lag", "group_id", "topic", "end", "lag", "stable_end", "stable_lag")


def states(spark: Any, root: Path) -> Rows:
    commits = open_lake(spark, root).table("s_offset_commit").orderBy("group_id", "log_offset")
    return [tuple(row) for row in commits.select("group_id", "committed_offset", "txn_state", "is_effective").collect()]


def test_committed_aborted_and_open_commits_are_told_apart_round_by_round(
    spark: Any, server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Traps 5 to 7, 9 and 10."""
    story = Story(server)
    story.first()
    sources = {TCP: broker_source(server.address, "c"), FILES: directory_source((str(tmp_path / "data"),), "c")}

    def run() -> list[Lake]:
        # three offsets of a log partition a micro-batch: commits and their markers come in different ones
        return [LakeRun(spark, tmp_path / name, each, offsets_per_partition=3).run() for name, each in sources.items()]

    for lake in run():
        assert current(lake) == [("billing", "orders", 3), ("reader", "bills", 1)]
        assert pending(lake) == [("late", "orders", 5)]
        assert lags(lake) == [
            ("billing", "orders", 10, 7, 10, 6),  # the marker of those who wrote the orders is last
            ("reader", "bills", 5, 4, 4, 0),  # marker, what was aborted, its marker; then what is open
        ]
        assert sum(row[0] for row in told(lake, "g_data_quality", "open_transactions")) == 1
    assert states(spark, tmp_path / TCP) == [
        ("audit", 9, "aborted", False),
        ("billing", 3, "committed", True),
        ("late", 5, "open", False),
        ("reader", 1, "none", True),
    ]

    story.second()
    both = run()
    for lake in both:
        assert current(lake) == [("billing", "orders", 9), ("late", "orders", 5), ("reader", "bills", 7)]
        assert pending(lake) == [("audit", "orders", 2)]
        assert lags(lake) == [
            ("billing", "orders", 10, 1, 10, 0),
            ("late", "orders", 10, 5, 10, 4),
            ("reader", "bills", 9, 2, 8, 0),
        ]
    (waiting,) = both[0].arrow("s_pending_offset").to_pylist()
    assert waiting["producer_id"] >= 0
    assert 0 < waiting["since_ms"] <= (waiting["commit_ms"] or 0) + 1
    assert states(spark, tmp_path / FILES)[:2] == [("audit", 9, "aborted", False), ("audit", 2, "open", False)]

    files = both[1]
    assert different_tables(files, tmp_path / "data", "c") == []
    rebuilt = LakeRun(spark, tmp_path / FILES, sources[FILES])
    rebuilt.query.rebuild()
    assert pending(Lake.open(tmp_path / FILES)) == [("audit", "orders", 2)]
    assert current(Lake.open(tmp_path / FILES)) == current(files)

    assert main(["lag", "--lake", str(tmp_path / TCP), "--group", "billing"]) == 0
    heading, billing = (line.split() for line in capsys.readouterr().out.splitlines()[:2])
    assert " ".join(heading).startswith("group topic partition committed end lag stable lag")
    assert billing[:7] == ["billing", "orders", "0", "9", "10", "1", "0"]


def test_marker_of_one_producer_leaves_the_offsets_of_another_as_they_are(
    spark: Any, server: RunningServer, tmp_path: Path
) -> None:
    """A round reads the positions of the groups that it touches; rows of earlier rounds, in which others waited, count no more."""
    story = Story(server)

    def run() -> Lake:
        return LakeRun(spark, tmp_path / "lake", directory_source((str(tmp_path / "data"),), "c")).run()

    story.begin("billing", 3)
    assert pending(run()) == [("billing", "orders", 3)]
    story.commit("billing")
    assert pending(run()) == []
    for name in ("audit", "late"):  # one of them has its offsets in the same log partition, or both
        story.begin(name, 5)
        story.commit(name)
    lake = run()
    assert pending(lake) == []
    assert current(lake) == [("audit", "orders", 5), ("billing", "orders", 3), ("late", "orders", 5)]
