"""Commits in the background: newest wins, a coordinator that is away is waited for, one that refuses is not."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from muster.client.admin import committed_offsets, create_topic
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.partitions import TopicPartition
from muster.core.offsets.tracked_query import TrackedQuery, query_in
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.spark.committer import Committer
from muster.spark.newest import BatchCommit, NewestCommits
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED, NETWORK_EXCEPTION
from tests.pipeline.decode.test_muster_log import wake
from tests.ports import free_port
from tests.server.groups.group_client import GroupClient

PLACE = TopicPartition("orders", 0)
PATIENCE_SECONDS = 60


def batch(number: int, group: str = "etl", place: TopicPartition = PLACE) -> BatchCommit:
    return BatchCommit(group, TrackedQuery("a", "b", number, 5), {place: 10 * number})


class Watched:
    """A committer, and a way to wait for what it has done."""

    def __init__(self, address: str) -> None:
        self._changed = threading.Condition()
        self.committer = Committer(
            lambda: Cluster(address, request_timeout_seconds=1, patience_seconds=0.2), self._notify
        )
        self.committer.start()

    @staticmethod
    def of(monkeypatch: pytest.MonkeyPatch, outcomes: dict[str, Callable[[], Awaitable[None]]]) -> Watched:
        """Nothing is sent: a commit ends as its group's outcome says, and well if there is none."""

        async def commit(cluster: Cluster, group: str, offsets: object) -> None:
            if group in outcomes:
                await outcomes[group]()

        monkeypatch.setattr("muster.spark.committer.commit_offsets", commit)
        return Watched("127.0.0.1:1")

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def wait(self, condition: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, PATIENCE_SECONDS)


def server_at(port: int, directory: Path) -> RunningServer:
    return RunningServer(Settings.of({"muster.data": str(directory), "listeners": f"127.0.0.1:{port}"}))


def test_newest_commit_of_a_group_replaces_the_one_that_waits() -> None:
    waiting = NewestCommits(most=2)
    assert [waiting.put(each) for each in (batch(1), batch(1, "other"), batch(2), batch(1, "third"))] == [
        True,
        True,
        True,
        False,
    ]
    waiting.put_back(batch(1))
    assert (waiting.take(), waiting.take(), waiting.take()) == (batch(2), batch(1, "other"), None)
    assert waiting.superseded == 2
    waiting.put_back(batch(2))
    assert waiting.take() == batch(2)


def test_commit_waits_for_a_coordinator_that_is_away_and_only_the_newest_is_made(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    port = free_port()
    watched = Watched(f"127.0.0.1:{port}")
    committer = watched.committer
    committer.submit(batch(1))
    watched.wait(lambda: committer.counts.failures >= 1)
    assert "NETWORK_EXCEPTION" in (committer.counts.last_error or "")
    assert all(each.endswith("; trying again") for each in warnings(caplog))
    assert warnings(caplog)
    committer.submit(batch(2))
    committer.submit(batch(3))
    with server_at(port, tmp_path) as server:
        asyncio.run(make_topic(server.address))
        watched.wait(lambda: committer.counts.commits >= 1 and committer.is_idle)
        assert asyncio.run(held(server.address)) == {PLACE: (30, 3)}
    assert not committer.counts.last_error
    assert committer.waiting.superseded >= 1
    committer.stop(PATIENCE_SECONDS)


def test_refused_commit_is_counted_and_given_up_and_the_next_one_is_made(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with server_at(free_port(), tmp_path) as server:
        asyncio.run(make_topic(server.address))
        watched = Watched(server.address)
        committer = watched.committer
        committer.submit(batch(1, place=TopicPartition("nowhere", 0)))
        watched.wait(lambda: committer.counts.failures >= 1 and committer.is_idle)
        assert "UNKNOWN_TOPIC_OR_PARTITION" in (committer.counts.last_error or "")
        committer.submit(batch(2, place=TopicPartition("nowhere", 0)))
        watched.wait(lambda: committer.counts.failures >= 2 and committer.is_idle)
        assert committer.counts.failures == 2, "each was tried once"
        (logged,) = warnings(caplog)
        assert "UNKNOWN_TOPIC_OR_PARTITION" in logged
        assert logged.endswith("; given up for this micro-batch"), "the same reason is told once"
        committer.submit(batch(2))
        watched.wait(lambda: committer.counts.commits >= 1)
        assert asyncio.run(held(server.address)) == {PLACE: (20, 2)}
        assert (committer.counts.commits, committer.counts.failures, committer.counts.last_error) == (1, 2, None)
        committer.stop(PATIENCE_SECONDS)


def test_group_with_members_is_told_in_words_that_name_the_way_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with server_at(free_port(), tmp_path) as server, GroupClient(server.port) as member:
        asyncio.run(make_topic(server.address))
        wake(member)
        assert member.join("etl", version=3).answer().error_code == 0
        watched = Watched(server.address)
        committer = watched.committer
        committer.submit(batch(1))
        watched.wait(lambda: committer.counts.failures >= 1 and committer.is_idle)
        assert (committer.counts.commits, committer.counts.failures) == (0, 1)
        assert warnings(caplog) == [
            "commit offsets of group etl: the group has members, and a tracked query needs a group of its own: choose another name;"
            " given up for this micro-batch"
        ]
        committer.stop(PATIENCE_SECONDS)


def test_commit_that_fails_as_nobody_thought_is_counted_and_dropped_and_the_next_one_is_made(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def stumble() -> None:
        raise KeyError("a bug")

    outcomes: dict[str, Callable[[], Awaitable[None]]] = {"etl": stumble}
    watched = Watched.of(monkeypatch, outcomes)
    committer = watched.committer
    committer.submit(batch(1))
    watched.wait(lambda: committer.counts.failures >= 1 and committer.is_idle)
    assert "a bug" in (committer.counts.last_error or "")
    assert warnings(caplog) == [f"{committer.counts.last_error}; given up for this micro-batch"]
    committer.submit(batch(1, "other"))
    watched.wait(lambda: committer.counts.commits >= 1 and committer.is_idle)
    del outcomes["etl"]
    committer.submit(batch(2))
    watched.wait(lambda: committer.counts.commits >= 2 and committer.is_idle)
    assert (committer.counts.failures, committer.counts.last_error) == (1, None)
    committer.stop(PATIENCE_SECONDS)


def test_error_of_one_group_is_kept_and_told_once_while_another_group_succeeds(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def refuse() -> None:
        raise ClientError(GROUP_AUTHORIZATION_FAILED, "commit offsets of group etl")

    outcomes: dict[str, Callable[[], Awaitable[None]]] = {"etl": refuse}
    watched = Watched.of(monkeypatch, outcomes)
    committer = watched.committer

    def has_tried(tries: int) -> bool:
        return committer.counts.failures + committer.counts.commits >= tries and committer.is_idle

    for number in (1, 2):
        committer.submit(batch(number))
        watched.wait(partial(has_tried, 2 * number - 1))
        committer.submit(batch(number, "other"))
        watched.wait(partial(has_tried, 2 * number))
        assert "GROUP_AUTHORIZATION_FAILED" in (committer.counts.last_error or "")
    assert len(warnings(caplog)) == 1
    del outcomes["etl"]
    committer.submit(batch(3))
    watched.wait(lambda: committer.counts.commits >= 3 and committer.is_idle)
    assert committer.counts.last_error is None
    committer.stop(PATIENCE_SECONDS)


def test_group_whose_coordinator_is_away_or_frozen_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pause of the first is longer than the test waits, and the second has no answer before the third has its commit."""
    released = threading.Event()

    async def fail() -> None:
        raise ClientError(NETWORK_EXCEPTION, "commit offsets of group away")

    async def wait() -> None:
        await asyncio.to_thread(released.wait, PATIENCE_SECONDS)

    monkeypatch.setattr("muster.spark.committer._FIRST_PAUSE_SECONDS", 10.0 * PATIENCE_SECONDS)
    watched = Watched.of(monkeypatch, {"away": fail, "frozen": wait})
    committer = watched.committer
    committer.submit(batch(1, "away"))
    watched.wait(lambda: committer.counts.failures >= 1)
    committer.submit(batch(1, "frozen"))
    committer.submit(batch(1))
    watched.wait(lambda: committer.counts.commits >= 1)
    assert not committer.is_idle
    released.set()
    watched.wait(lambda: committer.counts.commits >= 2)
    assert not committer.is_idle, "the first has yet to be tried again"
    assert committer.counts.failures == 1
    committer.stop(PATIENCE_SECONDS)


def test_thread_that_cannot_begin_says_so_and_nobody_waits_for_it(caplog: pytest.LogCaptureFixture) -> None:
    def refuse() -> Cluster:
        raise OSError("no more files")

    committer = Committer(refuse)
    committer.start()
    committer.stop(PATIENCE_SECONDS)
    committer.submit(batch(1))
    assert committer.is_idle
    assert (committer.counts.failures, committer.counts.last_error) == (1, "tracking ended: OSError('no more files')")
    assert warnings(caplog) == ["tracking ended: nothing is committed any more, the queries go on"]


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.name == "muster.spark"]


async def make_topic(address: str) -> None:
    async with Cluster(address) as cluster:
        await create_topic(cluster, "orders", 1)


async def held(address: str) -> dict[TopicPartition, tuple[int, int | None]]:
    async with Cluster(address) as cluster:
        found = await committed_offsets(cluster, "etl")
    queries = {place: query_in(each.metadata) for place, each in found.items()}
    return {
        place: (each.offset, query.batch_id if (query := queries[place]) is not None else None)
        for place, each in found.items()
    }
