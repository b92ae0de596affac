"""`track` in a session: which query goes to which group, over TLS and SASL, and what is skipped."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.query import StreamingQueryManager

from muster.client.admin import committed_offsets, list_offsets
from muster.client.cluster import Cluster
from muster.client.offsets import LATEST
from muster.client.properties import read_properties
from muster.client.security import PLAINTEXT, Security
from muster.pipeline.sources.spark_sources import register
from muster.server.running import RunningServer
from muster.spark import Tracking, TrackingError, track
from muster.spark.offsets import Offsets
from tests.listeners import address_of
from tests.pipeline.jobs.test_secure_broker import (  # noqa: F401  # fixtures: a broker behind TLS and SASL with commits
    authority,
    config,
    history,
    server,
)
from tests.pipeline.tracking.story import produce
from tests.security.certificates import Authority

TOPIC = "orders"
PATIENCE_SECONDS = 60


def read(spark: Any, bootstrap: str, topic: str, **more: str) -> Any:
    register(spark)
    options = {"bootstrap": bootstrap, "topic": topic, "table": "b_log_record", **more}
    return spark.readStream.format("muster_broker").options(**options).load().select("log_offset")


def run(rows: Any, home: Path, name: str | None = None) -> None:
    writer = rows.writeStream.foreachBatch(lambda batch, number: batch.count())
    writer = writer if name is None else writer.queryName(name)
    query = writer.option("checkpointLocation", str(home)).trigger(availableNow=True).start()
    assert query.awaitTermination(120)


def endless(rows: Any, home: Path, name: str) -> Any:
    """The writer of a query that goes on when it has read everything."""
    writer = rows.writeStream.format("noop").queryName(name).option("checkpointLocation", str(home))
    return writer.trigger(processingTime="50 milliseconds")


def held(bootstrap: str, group: str, security: Security = PLAINTEXT) -> Offsets:
    async def ask() -> Offsets:
        async with Cluster(bootstrap, security=security) as cluster:
            found = await committed_offsets(cluster, group)
            ends = await list_offsets(cluster, dict.fromkeys(found, LATEST))
        assert {place: each.offset for place, each in ends.items()} == {
            place: each.offset for place, each in found.items()
        }, "the query has read to the end"
        return {place: each.offset for place, each in found.items()}

    return asyncio.run(ask())


def test_query_behind_tls_and_sasl_is_tracked_by_its_name(
    spark: Any,
    history: RunningServer,  # noqa: F811
    authority: Authority,  # noqa: F811
    tmp_path: Path,
) -> None:
    file = config(tmp_path, authority)
    bootstrap, properties = address_of(history, "SASL_SSL"), read_properties(file)
    produce(address_of(history, "PLAINTEXT"), 10)
    security = {f"kafka.{name}": value for name, value in properties.items()}
    with track(spark, bootstrap, properties=file) as tracking:
        run(read(spark, bootstrap, TOPIC, **security), tmp_path / "named", "by-name")
        run(read(spark, bootstrap, TOPIC, **security), tmp_path / "nameless")
    assert tracking.figures.commits >= 1
    assert tracking.figures.failures == 0
    assert tracking.figures.skipped >= 1, "a query without a name has no group"
    assert len(held(bootstrap, "by-name", Security.of(properties))) == 2


def test_sources_without_topics_are_left_out_and_one_query_is_picked_by_name(
    spark: Any,
    history: RunningServer,  # noqa: F811
    authority: Authority,  # noqa: F811
    tmp_path: Path,
) -> None:
    file = config(tmp_path, authority)
    bootstrap, properties = address_of(history, "SASL_SSL"), read_properties(file)
    produce(address_of(history, "PLAINTEXT"), 10)
    security = {f"kafka.{name}": value for name, value in properties.items()}
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.txt").write_text("1\n")
    files = spark.readStream.format("text").load(str(tmp_path / "in")).selectExpr("cast(value as long) as log_offset")
    with track(spark, bootstrap, group="etl", query="both", properties=properties) as tracking:
        run(files, tmp_path / "files", "both-not")
        both = read(spark, bootstrap, TOPIC, **security).union(read(spark, bootstrap, TOPIC, **security)).union(files)
        run(both, tmp_path / "both", "both")
    assert tracking.figures.skipped >= 1
    assert len(held(bootstrap, "etl", Security.of(properties))) == 2


def test_query_goes_on_to_its_end_while_the_coordinator_is_away(
    spark: Any,
    history: RunningServer,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bootstrap = address_of(history, "PLAINTEXT")
    produce(bootstrap, 10)
    tracking = track(spark, "127.0.0.1:1", group="away")
    run(read(spark, bootstrap, TOPIC), tmp_path / "away")
    assert not tracking.flush(0), "it is still tried"
    assert tracking.figures.commits == 0
    given: list[float] = []
    monkeypatch.setattr(tracking._committer, "stop", given.append)
    tracking.stop(timeout_seconds=0.1)
    assert given == [0.0], "the whole of it was spent in waiting for the commit"
    monkeypatch.undo()
    tracking._committer.stop(0)


def test_query_ends_while_the_coordinator_is_frozen(
    spark: Any,
    history: RunningServer,  # noqa: F811
    tmp_path: Path,
) -> None:
    """It takes the connection and answers nothing, until the query has done everything and ended."""
    bootstrap = address_of(history, "PLAINTEXT")
    produce(bootstrap, 10)
    with socket.create_server(("127.0.0.1", 0)) as frozen:
        frozen.settimeout(PATIENCE_SECONDS)
        tracking = track(spark, f"127.0.0.1:{frozen.getsockname()[1]}", group="frozen")
        run(read(spark, bootstrap, TOPIC, maxOffsetsPerPartition="3"), tmp_path / "frozen")
        batches = len(list((tmp_path / "frozen" / "commits").glob("[0-9]*")))
        held_up, _ = frozen.accept()
        with held_up:
            assert not tracking.flush(0), "the first commit still waits for its answer"
            assert tracking.figures.commits == 0
            assert batches > 1
            tracking.stop(0)


def test_query_whose_checkpoint_may_be_behind_is_not_tracked(
    spark: Any,
    history: RunningServer,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    bootstrap = address_of(history, "PLAINTEXT")
    produce(bootstrap, 10)
    with track(spark, bootstrap) as tracking:
        writer = endless(read(spark, bootstrap, TOPIC), tmp_path / "later", "later")
        query = writer.option("asyncProgressTrackingEnabled", "true").start()
        query.processAllAvailable()
        query.stop()
    assert (tracking.figures.commits, tracking.figures.failures) == (0, 0)
    assert tracking.figures.skipped >= 1
    assert "has asyncProgressTrackingEnabled" in caplog.text
    assert held(bootstrap, "later") == {}

    monkeypatch.setattr(StreamingQueryManager, "get", lambda *_: None)
    with track(spark, bootstrap) as tracking:
        run(read(spark, bootstrap, TOPIC), tmp_path / "unseen", "unseen")
    assert tracking.figures.commits == 0
    assert tracking.figures.skipped >= 1
    assert "cannot be seen" in caplog.text


def test_query_that_has_nothing_to_read_commits_its_offsets_again(
    spark: Any,
    history: RunningServer,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bootstrap = address_of(history, "PLAINTEXT")
    produce(bootstrap, 10)
    monkeypatch.setattr("muster.spark.tracking._RENEW_SECONDS", 0.0)
    interval, before = "spark.sql.streaming.noDataProgressEventInterval", "10s"
    spark.conf.set(interval, "100ms")
    try:
        with track(spark, bootstrap, group="idle") as tracking:
            query = endless(read(spark, bootstrap, TOPIC), tmp_path / "idle", "idle").start()
            query.processAllAvailable()
            batches = query.lastProgress["batchId"] + 1
            with tracking._changed:
                assert tracking._changed.wait_for(lambda: tracking.figures.commits > batches, 60)
            query.stop()
    finally:
        spark.conf.set(interval, before)
    assert len(held(bootstrap, "idle")) == 2


def test_query_that_has_read_everything_before_it_is_tracked_is_committed_where_it_is(
    spark: Any,
    history: RunningServer,  # noqa: F811
    tmp_path: Path,
) -> None:
    bootstrap = address_of(history, "PLAINTEXT")
    produce(bootstrap, 10)
    query = endless(read(spark, bootstrap, TOPIC), tmp_path / "before", "before").start()
    try:
        query.processAllAvailable()
        with track(spark, bootstrap, group="before") as tracking:
            pass
    finally:
        query.stop()
    assert (tracking.figures.failures, tracking.figures.skipped) == (0, 0)
    assert len(held(bootstrap, "before")) == 2


def test_what_makes_no_sense_is_refused_where_it_is_asked(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(TrackingError, match="group is empty"):
        track(spark, "127.0.0.1:1", group="")
    with pytest.raises(TrackingError, match=r"nowhere\.properties"):
        track(spark, "127.0.0.1:1", properties=tmp_path / "nowhere.properties")
    with pytest.raises(TrackingError, match="HOST:PORT"):
        Tracking(spark, "no port")
