"""The first run of a lake knows how late groups are that stood still before it: it looks at the first record they have not read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.round_settings import Gold, wall_clock_ms
from muster.pipeline.sources.run_source import BrokerSource, broker_source
from muster.server.running import RunningServer
from tests.pipeline.decode.test_muster_log import server_on
from tests.pipeline.stream.lakes import LakeRun
from tests.pipeline.stream.test_broker_source import commit
from tests.server.broker.whole_server import batch, create, produce
from tests.server.raw_client import RawClient

MINUTE_MS = 60_000


class Asked(BrokerSource):
    """A broker, and the places that it was asked for."""

    def record_times(self, spark: Any, places: Any) -> Any:
        PLACES.append(list(places))
        return super().record_times(spark, places)


PLACES: list[list[Any]] = []


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    PLACES.clear()
    with server_on(tmp_path / "data") as running:
        yield running


def fill(server: RunningServer, *ages_ms: int, partition: int = 0, topic: str = "orders") -> None:
    """One batch of ten records for each age, the oldest first."""
    now = wall_clock_ms()
    with RawClient(server.port) as client:
        for age in ages_ms:
            produce(client, topic, batch(*[b"x"] * 10, timestamp_ms=now - age), partition)


def asked(server: RunningServer) -> Asked:
    found = broker_source(server.address, "c")
    return Asked(found.bootstrap, found.cluster)


def test_first_run_brackets_the_time_lag_of_groups_that_stopped_before(
    spark: Any, server: RunningServer, tmp_path: Path
) -> None:
    with RawClient(server.port) as client:
        create(client, "orders", 2)
    fill(server, 60 * MINUTE_MS, 5 * MINUTE_MS, 0)
    commit(server, "billing", 10)
    commit(server, "audit", 30)
    run = LakeRun(spark, tmp_path / "lake", asked(server))
    lag = {(row["group_id"], row["partition"]): row for row in run.run().arrow("g_lag").to_pylist()}
    late = lag["billing", 0]
    assert (late["lag"], late["method"]) == (20, "bracket")
    assert 5 * MINUTE_MS <= late["time_lag_lo_ms"] <= late["time_lag_hi_ms"] < 10 * MINUTE_MS
    assert lag["audit", 0]["method"] == "caught_up"
    assert PLACES == [[("orders", 0, 10)]]
    samplers = run.run().arrow("b_leo_sample").column("sampler").to_pylist()
    assert {"batch_begin", "batch_end", "list_offsets"} == set(samplers)
    assert len(PLACES) == 1  # what is known is not asked for again
    assert run.writer.make_gold(spark, Gold()) is not None
    assert len(PLACES) == 1


def test_what_the_source_cannot_tell_stays_unknown_and_costs_one_question(
    spark: Any, server: RunningServer, tmp_path: Path
) -> None:
    """A producer's clock an hour ahead: the records were there at the sample, nobody knows since when."""
    with RawClient(server.port) as client:
        create(client, "orders")
    fill(server, -60 * MINUTE_MS)
    commit(server, "billing", 0)
    (row,) = LakeRun(spark, tmp_path / "lake", asked(server)).run().arrow("g_lag").to_pylist()
    assert (row["lag"], row["method"], row["time_lag_est_ms"], row["time_lag_hi_ms"]) == (10, "left_bound", None, None)
    assert len(PLACES) == 1


def test_lake_without_lag_asks_for_nothing(spark: Any, server: RunningServer, tmp_path: Path) -> None:
    with RawClient(server.port) as client:
        create(client, "orders")
    fill(server, MINUTE_MS)
    commit(server, "billing", 10)
    LakeRun(spark, tmp_path / "lake", asked(server)).run()
    assert PLACES == []


def test_round_asks_for_a_limited_number_longest_lag_first(
    spark: Any, server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("muster.pipeline.now.unknown_times.MOST_RECORDS", 1)
    with RawClient(server.port) as client:
        create(client, "orders")
    fill(server, 3 * MINUTE_MS, 2 * MINUTE_MS, MINUTE_MS)
    commit(server, "near", 20)
    commit(server, "far", 0)
    run = LakeRun(spark, tmp_path / "lake", asked(server))
    run.run()
    assert PLACES == [[("orders", 0, 0)]]
    lag = {row["group_id"]: row for row in run.run().arrow("g_lag").to_pylist()}
    assert lag["far"]["method"] == "bracket"
    assert lag["near"]["method"] == "bracket"  # between that batch and the first sample
    assert lag["near"]["time_lag_lo_ms"] < MINUTE_MS <= lag["near"]["time_lag_hi_ms"]
