"""Tracked streaming queries of Spark as `groups explain` and `groups describe` tell of them: from a cluster and from its files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.cli.main import main
from muster.client.admin import commit_offsets, create_topic
from muster.client.cluster import Cluster
from muster.client.offset_messages import CommittedOffset
from muster.client.partitions import TopicPartition
from muster.core.offsets.tracked_query import TrackedQuery
from muster.server.running import RunningServer
from muster.server.settings import Settings

GROUP = "etl"
BEFORE, NOW = "aaaa-1", "bbbb-2"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    with RunningServer(Settings.of({"muster.data": str(tmp_path), "listeners": "127.0.0.1:0"})) as running:
        asyncio.run(_make_topic(running.address))
        yield running


async def _make_topic(address: str) -> None:
    async with Cluster(address) as cluster:
        await create_topic(cluster, "orders", 4)


def commit(server: RunningServer, query: TrackedQuery, partitions: int) -> None:
    async def work() -> None:
        async with Cluster(server.address) as cluster:
            held = CommittedOffset(0, metadata=query.metadata())
            await commit_offsets(cluster, GROUP, {TopicPartition("orders", each): held for each in range(partitions)})

    asyncio.run(work())


def explained(capsys: pytest.CaptureFixture[str], where: tuple[str, str]) -> dict[str, Any]:
    assert main(["groups", "explain", GROUP, *where, "--json"]) == 0, capsys.readouterr().err
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def said(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    assert main(["groups", *command]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_query_that_began_anew_is_shown_though_its_micro_batches_have_lower_numbers(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another checkpoint is another query, which counts from 0. Partitions that it does not read keep their old commits."""
    commit(server, TrackedQuery(BEFORE, "a1", 900, 70), partitions=4)
    commit(server, TrackedQuery(NOW, "b1", 2, 2_500), partitions=3)
    shown = {"query_id": NOW, "run_id": "b1", "batch_id": 2, "duration_ms": 2_500}
    described = json.loads(said(capsys, "describe", GROUP, "--json", "--bootstrap", server.address))
    assert described["tracked_query"] == shown
    for where in (("--bootstrap", server.address), ("--from", str(tmp_path))):
        assert explained(capsys, where)["tracked_query"] == shown, where


def test_query_of_fewer_partitions_is_the_one_that_the_journal_or_the_log_knows_to_be_the_last(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(server, TrackedQuery(BEFORE, "a1", 900, 70), partitions=4)
    commit(server, TrackedQuery(NOW, "b1", 2, 2_500), partitions=1)
    for where in (("--bootstrap", server.address), ("--from", str(tmp_path))):
        assert explained(capsys, where)["tracked_query"]["query_id"] == NOW, where


def test_each_run_is_told_with_its_first_micro_batch(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for run, batch, took in (("a1", 0, 40), ("a1", 1, 50), ("a2", 2, None), ("a2", 3, 60)):
        commit(server, TrackedQuery(BEFORE, run, batch, took), partitions=2)
    texts = [
        f"Run a1 of streaming query {BEFORE} began to be tracked, with micro-batch 0, which took 40 ms.",
        f"Run a2 of streaming query {BEFORE} began to be tracked, with micro-batch 2.",
    ]
    for where in (("--bootstrap", server.address), ("--from", str(tmp_path))):
        found = explained(capsys, where)
        assert [(each["kind"], each["text"]) for each in found["without_rebalance"]] == [
            ("query_tracked", text) for text in texts
        ]
        assert (found["rebalances"], found["tracked_query"]["batch_id"]) == ([], 3)
        page = " ".join(said(capsys, "explain", GROUP, *where).split())
        assert all(text in page for text in texts), where
        assert "None" not in page, "no member ever joined: there is no generation"
        assert f"query {BEFORE}, run a2; the last commit is of micro-batch 3, which took 60 ms." in page
