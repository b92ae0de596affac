"""`muster spark backfill`: the last finished micro-batch of a checkpoint becomes the offsets of a group, or a clear refusal."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.cli.main import main
from muster.client.admin import commit_offsets
from muster.client.cluster import Cluster
from muster.client.offset_messages import CommittedOffset
from muster.client.partitions import TopicPartition
from muster.pipeline.sources.spark_sources import register
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.spark.checkpoint_files import needs_spark, open_checkpoint, open_checkpoint_by_spark
from muster.spark.failure import TrackingError
from tests.cli.plain_pipes import assert_plain
from tests.pipeline.decode.test_muster_log import wake
from tests.pipeline.tracking.story import fill
from tests.server.groups.group_client import GroupClient

QUERY = "a65bfddd-d722-4eed-89f9-a2da0663fac0"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    settings = {"muster.data": str(tmp_path_factory.mktemp("data")), "listeners": "127.0.0.1:0"}
    with RunningServer(Settings.of(settings)) as running:
        fill(running.address, 40)
        yield running


def checkpoint(directory: Path, *batches: str, unfinished: str | None = None, version: str = "v1") -> Path:
    """As Spark writes it; the text of each micro-batch is its lines of sources."""
    for name in ("offsets", "commits"):
        (directory / name).mkdir(parents=True)
    (directory / "metadata").write_text(json.dumps({"id": QUERY}))
    for number, sources in enumerate([*batches, *([unfinished] if unfinished else [])]):
        (directory / "offsets" / str(number)).write_text(f'{version}\n{{"batchWatermarkMs":0}}\n{sources}')
        (directory / "offsets" / f".{number}.crc").write_bytes(b"\x00")
    for number in range(len(batches)):
        (directory / "commits" / str(number)).write_text('v1\n{"nextBatchWatermarkMs":0}')
    return directory


def backfill(server: RunningServer, directory: Path | str, *flags: str, group: str = "etl") -> int:
    where = ["--checkpoint", str(directory), "--group", group, "--bootstrap", server.address]
    return main(["spark", "backfill", *where, *flags])


def committed(server: RunningServer, capsys: pytest.CaptureFixture[str], group: str = "etl") -> dict[int, Any]:
    capsys.readouterr()
    assert main(["groups", "offsets", group, "--json", "--bootstrap", server.address]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return {row["partition"]: row["committed"] for row in rows}


def test_last_finished_micro_batch_is_committed_and_the_unfinished_one_is_not(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = checkpoint(
        tmp_path / "c", '{"orders":{"0":3}}', '{"orders":{"0":7,"1":9}}\n0', unfinished='{"orders":{"0":15}}'
    )
    assert backfill(server, written, "--dry-run") == 0
    planned = capsys.readouterr()
    assert "would be committed" in planned.err
    assert_plain(planned.out, planned.err)
    assert main(["groups", "offsets", "etl", "--bootstrap", server.address]) == 1, "nothing is committed yet"
    assert backfill(server, written, "--json") == 0
    out, said = capsys.readouterr()
    rows = [json.loads(line) for line in out.splitlines()]
    assert [(row["topic"], row["partition"]) for row in rows] == [("orders", 0), ("orders", 1)]
    assert f"micro-batch 1 of query {QUERY}: 2 partitions committed" in said
    assert "1 of the query's sources read no topics" in said
    assert committed(server, capsys) == {0: 7, 1: 9}


def test_older_copy_of_the_checkpoint_does_not_take_the_group_back(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ('{"orders":{"0":3}}', '{"orders":{"0":7}}')
    assert backfill(server, checkpoint(tmp_path / "new", *both), group="old") == 0
    assert backfill(server, checkpoint(tmp_path / "old", both[0]), group="old") == 1
    assert "at micro-batch 1 of this query already, the checkpoint at 0" in capsys.readouterr().err
    assert committed(server, capsys, "old") == {0: 7}


def test_older_copy_is_seen_though_most_partitions_have_commits_of_another_query(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ('{"orders":{"0":3}}', '{"orders":{"0":7}}')
    assert backfill(server, checkpoint(tmp_path / "new", *both), group="mixed") == 0
    other = checkpoint(tmp_path / "other", *(['{"orders":{"1":3}}'] * 9))
    (other / "metadata").write_text(json.dumps({"id": "beef"}))
    assert backfill(server, other, group="mixed") == 0
    assert backfill(server, checkpoint(tmp_path / "old", both[0]), group="mixed") == 1
    assert "at micro-batch 1 of this query already, the checkpoint at 0" in capsys.readouterr().err
    assert committed(server, capsys, "mixed") == {0: 7, 1: 3}


def test_group_that_is_further_is_taken_back_only_if_that_is_asked_for(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Further by the commits of a consumer, by those of another query, and by a later micro-batch of this one."""
    older = checkpoint(tmp_path / "older", '{"orders":{"0":3,"1":9}}')
    asyncio.run(commit_as_consumer(server.address, "further", {TopicPartition("orders", 0): 5}))
    assert backfill(server, older, group="further") == 1
    assert (
        "further is further than the checkpoint: orders-0 at 5, the checkpoint at 3. Is it" in capsys.readouterr().err
    )
    assert committed(server, capsys, "further") == {0: 5}
    other = checkpoint(tmp_path / "other", '{"orders":{"0":4}}', '{"orders":{"0":7}}')
    (other / "metadata").write_text(json.dumps({"id": "beef"}))
    assert backfill(server, other, group="further") == 0
    assert backfill(server, older, "--dry-run", group="further") == 1
    assert "orders-0 at 7, the checkpoint at 3" in capsys.readouterr().err
    assert backfill(server, older, "--back", group="further") == 0
    assert committed(server, capsys, "further") == {0: 3, 1: 9}
    newer = checkpoint(tmp_path / "newer", *(['{"orders":{"0":3,"1":9}}'] * 2))
    assert backfill(server, newer, group="further") == 0
    assert backfill(server, older, "--back", group="further") == 0


def test_group_with_members_is_refused(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with GroupClient(server.port) as member:
        wake(member)
        assert member.join("consumers", version=3).answer().error_code == 0
        assert backfill(server, checkpoint(tmp_path / "c", '{"orders":{"0":3}}'), "--back", group="consumers") == 1
    assert "group consumers has members: a query needs a group of its own" in capsys.readouterr().err


async def commit_as_consumer(address: str, group: str, offsets: dict[TopicPartition, int]) -> None:
    async with Cluster(address) as cluster:
        await commit_offsets(cluster, group, {place: CommittedOffset(at) for place, at in offsets.items()})


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ("0", "no source of the query has offsets of topics"),
        ('{"page":{"next":7}}\nnot JSON', "no source of the query has offsets of topics"),
        ('{"orders":{"0":-1}}', "-1 is not an offset: a query is not shown by half"),
        ('{"orders":{"0":7}}\n{"audit":{"0":"7"}}', "'7' is not an offset: a query is not shown by half"),
        ('{"nowhere":{"0":1}}', "the cluster has none of the topics that the query reads (nowhere)"),
    ],
)
def test_checkpoint_without_anything_to_commit_is_refused(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], sources: str, said: str
) -> None:
    assert backfill(server, checkpoint(tmp_path / "c", sources), group="none") == 1
    assert said in capsys.readouterr().err


def test_topics_that_the_cluster_lacks_are_left_out_and_named(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = checkpoint(tmp_path / "c", '{"orders":{"0":3,"7":1},"elsewhere":{"0":5}}')
    assert backfill(server, written, group="part") == 0
    assert "left out, for the cluster does not have them: elsewhere-0, orders-7" in capsys.readouterr().err
    assert committed(server, capsys, "part") == {0: 3}


@pytest.mark.parametrize("named", [False, True])
def test_offset_log_that_names_the_sources_is_read(
    spark: Any, server: RunningServer, tmp_path: Path, named: bool
) -> None:
    """Spark writes it if it is set so, and needs it for sources that have names."""
    register(spark)
    settings = {
        "spark.sql.streaming.offsetLog.formatVersion": "2",
        "spark.sql.streaming.queryEvolution.enableSourceEvolution": str(named).lower(),
    }
    options = {"bootstrap": server.address, "topic": "orders", "table": "b_log_record"}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        ours, rate = spark.readStream.format("muster_broker"), spark.readStream.format("rate")
        if named:
            if not hasattr(ours, "name"):
                pytest.skip("this Spark has no names of sources")
            ours, rate = ours.name("ours"), rate.name("ticks")
        rows = ours.options(**options).load().select("log_offset").union(rate.load().select("value"))
        home = str(tmp_path / "query")
        query = rows.writeStream.format("noop").option("checkpointLocation", home).trigger(availableNow=True).start()
        assert query.awaitTermination(120)
    finally:
        for name in settings:
            spark.conf.unset(name)
    found = open_checkpoint(home)
    assert found.offsets == {TopicPartition("orders", 0): 20, TopicPartition("orders", 1): 20}
    assert (found.other_sources, found.query.query_id) == (1, query.id)


def test_directories_that_are_no_checkpoint_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TrackingError, match="no micro-batch has finished"):
        open_checkpoint(str(tmp_path))
    with pytest.raises(TrackingError, match=r"begins with 'v9' and not with v1 or v2"):
        open_checkpoint(str(checkpoint(tmp_path / "newer", "{}", version="v9")))
    damaged = checkpoint(tmp_path / "damaged", "{}", "{}")
    (damaged / "offsets" / "1").unlink()
    with pytest.raises(TrackingError, match="offsets/1 is missing though commits/1 is there"):
        open_checkpoint(str(damaged))
    nameless = checkpoint(tmp_path / "nameless", "{}")
    (nameless / "metadata").unlink()
    with pytest.raises(TrackingError, match="does not name the query"):
        open_checkpoint(str(nameless))


@pytest.mark.parametrize("form", ["{}", "{}/", "file:{}", "file://{}", "file://{}/"])
def test_local_checkpoint_may_be_named_as_hadoop_names_it(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    written = checkpoint(tmp_path / "my c[1]", '{"orders":{"0":7}}')
    group = f"named {form}"
    assert backfill(server, form.format(written), group=group) == 0, capsys.readouterr().err
    assert committed(server, capsys, group) == {0: 7}


def test_checkpoint_on_another_file_system_of_hadoops_is_read_by_a_spark_of_the_commands_own(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hadoop's `viewfs`, which needs a setting: where its directory leads to."""
    written = checkpoint(tmp_path / "c", '{"orders":{"0":3}}', '{"orders":{"0":7,"1":9}}')
    link = f"spark.hadoop.fs.viewfs.mounttable.mounted.link./c=file://{written}"
    asked = ["spark", "backfill", "--checkpoint", "viewfs://mounted/c", "--group", "viewed", "--conf", link]
    ran = subprocess.run(
        [sys.executable, "-m", "muster", *asked, "--bootstrap", server.address],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert f"micro-batch 1 of query {QUERY}: 2 partitions committed" in ran.stderr
    assert committed(server, capsys, "viewed") == {0: 7, 1: 9}


def test_spark_reads_the_same_from_any_file_system(spark: Any, tmp_path: Path) -> None:
    """Also where the path has characters that Spark takes for a pattern: one that would find another directory too."""
    checkpoint(tmp_path / "c1", '{"orders":{"0":99}}')
    written = checkpoint(tmp_path / "c[1] {a,b} *?", '{"orders":{"0":3}}', "-\n0")
    assert open_checkpoint_by_spark(spark, f"file://{written}") == open_checkpoint(str(written))
    assert needs_spark("abfss://data@store/c")
    assert needs_spark("dbfs:/c")
    assert not needs_spark(f"file:{written}")
    assert not needs_spark(str(written))
    with pytest.raises(TrackingError, match="cannot be read by Spark"):
        open_checkpoint_by_spark(spark, f"file://{tmp_path}/nowhere")
