"""The what-if job on Spark: the rows of the pure function, for every pair of a group and a variant; and the command over a lake."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pytest

from muster.cli.main import main
from muster.client.admin import NewRecord, Producer, commit_offsets, create_topic
from muster.client.cluster import Cluster
from muster.client.offset_messages import CommittedOffset
from muster.client.partitions import TopicPartition
from muster.core.internal_topics import GROUP_JOURNAL
from muster.core.offsets.tracked_query import TrackedQuery
from muster.pipeline import session
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.spark_reader import SparkLake, open_lake
from muster.pipeline.log_schema import log_spark_schema
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.whatif import job
from muster.whatif.advice import advise, best_of
from muster.whatif.answer import answer, as_row
from muster.whatif.arrivals import Arrivals
from muster.whatif.generations import ASSUMED, FROM_GENERATIONS
from muster.whatif.job import NO_JOURNAL, answer_rows, what_if, what_if_in_order
from muster.whatif.variants import Variant, parse_grid
from tests.cli.plain_pipes import assert_plain
from tests.pipeline.decode.test_muster_log import wake
from tests.pipeline.stream.lakes import LakeRun, source_of
from tests.server.groups.group_client import GroupClient
from tests.whatif.generation_rows import generation, member
from tests.whatif.random_group import RandomGroup

GROUPS = 6
BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
PARTITIONS = "spark.sql.shuffle.partitions"
VARIANTS = [Variant(), *parse_grid(["session.timeout.ms=2000,20000", "static"]).variants]


def journal(seed: int) -> list[dict[str, Any]]:
    return [{**event.to_json(), "group": f"g{seed}"} for event in RandomGroup(seed, length_ms=60_000).run().journal]


def log_of(spark: Any, journals: dict[str, list[dict[str, Any]]], more: list[dict[str, Any]] | None = None) -> Any:
    """Rows of the table `log`, as far as the job reads it, in no order."""
    rows = [
        {
            "cluster": "c",
            "log_topic": GROUP_JOURNAL,
            "group_id": group,
            "log_offset": number,
            "event": {"payload": json.dumps(event)},
        }
        for group, events in journals.items()
        for number, event in enumerate(events)
    ]
    return spark.createDataFrame([*rows[::2], *rows[1::2], *(more or ())], log_spark_schema())


def commits_of(group: str, rate: int) -> list[dict[str, Any]]:
    """Two commits of a partition, a second apart."""
    place = {
        "cluster": "c",
        "log_topic": "__consumer_offsets",
        "group_id": group,
        "record_type": 1,
        "is_tombstone": False,
    }
    return [
        {
            **place,
            "topic": "orders",
            "partition": 0,
            "log_offset": turn,
            "commit_ms": 1_000 * turn,
            "committed_offset": rate * turn,
        }
        for turn in (0, 1)
    ]


def test_commits_tell_how_many_records_waited(spark: Any) -> None:
    log = log_of(spark, {"g1": journal(1), "g2": journal(2)}, commits_of("g1", 1_000))
    (first, second) = what_if(spark, log, [Variant()]).orderBy("group_id").collect()
    events = list(map(json.dumps, journal(1)))
    (expected,) = answer("g1", events, [Variant()], Arrivals({("orders", 0): 1.0}))
    assert first.recorded_waited == first.replayed_waited == expected.recorded.waited
    assert first.recorded_waited > 0
    assert second.recorded_waited is None


def generations_of(group: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "cluster": "c",
            "log_topic": "__consumer_offsets",
            "group_id": group,
            "record_type": 2,
            "log_offset": number,
            "record_ms": row["at_ms"],
            "is_tombstone": row["generation"] is None,
            "generation": row["generation"],
        }
        for number, row in enumerate(rows)
    ]


def test_log_without_a_journal_is_replayed_from_its_generations(spark: Any) -> None:
    anna, boris = member("anna-1"), member("boris-1")
    rows = [generation(10_000, 5, anna), generation(20_000, 6, anna, boris), generation(30_000, 7, boris)]
    log = log_of(spark, {}, generations_of("billing", rows))
    (found, doubled) = what_if(spark, log, [Variant(), Variant(partition_times=2)]).orderBy("variant").collect()
    assert found.variant == "as recorded"
    assert found.problem is None
    assert found.recorded_rebalances == found.replayed_rebalances == found.reproduced == 3
    assert doubled.replayed_moved == 2 * found.replayed_moved > 0
    assert found.assumed.startswith(ASSUMED)
    assert doubled.assumed.startswith(ASSUMED)


def test_group_whose_journal_has_no_beginning_is_replayed_from_its_generations_and_says_so(spark: Any) -> None:
    """A journal that can be replayed goes before them."""
    anna, boris = member("anna-1"), member("boris-1")
    rows = [generation(10_000, 5, anna), generation(20_000, 6, anna, boris)]
    journals = {"g1": journal(1)[4:6], "g2": journal(2)}
    log = log_of(spark, journals, [*generations_of("g1", rows), *generations_of("g2", rows)])
    (first, second) = what_if(spark, log, [Variant()]).orderBy("group_id").collect()
    assert (first.problem, first.recorded_rebalances, first.reproduced) == (None, 2, 2)
    assert first.assumed.startswith(
        "the journal has neither the beginning of the group nor a rebalance that was finished, so it is replayed"
        " from generations, as if members had left"
    )
    (expected,) = answer("g2", map(json.dumps, journal(2)), [Variant()])
    assert (second.recorded_rebalances, second.assumed) == (expected.recorded.rebalances, expected.assumed)
    assert FROM_GENERATIONS not in second.assumed


def test_group_whose_journal_begins_with_a_stable_end_without_settings_is_replayed_from_its_generations(
    spark: Any,
) -> None:
    events = journal(1)
    first, second, *_ = [number for number, event in enumerate(events) if event.get("result") == "stable"]
    rows = [generation(10_000, 5, member("anna-1")), generation(20_000, 6, member("anna-1"), member("boris-1"))]
    (found,) = what_if(
        spark, log_of(spark, {"g1": events[first:second]}, generations_of("g1", rows)), [Variant()]
    ).collect()
    assert (found.problem, found.recorded_rebalances) == (None, 2)
    assert FROM_GENERATIONS in found.assumed


def test_consumer_group_whose_journal_was_cut_is_not_replayed_from_generations_of_its_classic_life() -> None:
    rows = [generation(10_000, 5, member("anna-1")), generation(20_000, 6, member("anna-1"), member("boris-1"))]
    event = {"kind": "target_assigned", "at_ms": 90_000, "group": "g", "generation": 7, "cause": "new_member"}
    pair = {
        "cluster": "c",
        "group_id": "g",
        "changes": "as recorded",
        "committed": None,
        "is_consumer": True,
        "payloads": [json.dumps(event)],
        "generations": [json.dumps(row) for row in rows],
    }
    (found,) = pa.Table.from_batches(answer_rows([pa.RecordBatch.from_pylist([pair])])).to_pylist()
    assert "does not go back to a time when it was empty" in found["problem"]
    (classic,) = pa.Table.from_batches(
        answer_rows([pa.RecordBatch.from_pylist([{**pair, "is_consumer": None}])])
    ).to_pylist()
    assert (classic["problem"], classic["recorded_rebalances"]) == (None, 2)


def test_rows_are_read_in_order_every_pair_is_replayed_once_and_few_are_unpacked_at_a_time(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To sort, Spark looks at all rows twice: first for the ranges."""

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            (tmp_path / uuid4().hex).write_text(str(batch.num_rows))
            yield from answer_rows([batch])

    monkeypatch.setattr(job, "answer_rows", count)
    monkeypatch.setattr(job, "_BATCH", (BATCH, "2"))
    monkeypatch.setattr(job, "_tasks", lambda _: 1)
    journals = {f"g{seed}": journal(seed) for seed in range(3)}
    partitions, batch = (spark.conf.get(name) for name in (PARTITIONS, BATCH))
    spark.conf.set(PARTITIONS, "3")
    try:
        with what_if_in_order(spark, log_of(spark, journals), VARIANTS) as found:
            rows = [place(row.asDict()) for row in found.toLocalIterator()]
    finally:
        spark.conf.set(PARTITIONS, partitions)
    assert spark.conf.get(BATCH) == batch
    assert rows == sorted((group, str(each)) for group in journals for each in VARIANTS)
    sizes = [int(each.read_text()) for each in tmp_path.iterdir()]
    assert sum(sizes) == len(rows)
    assert max(sizes) == 2


def test_consumer_group_without_a_journal_says_that_it_cannot_be_replayed(spark: Any) -> None:
    row = {"cluster": "c", "log_topic": "__consumer_offsets", "group_id": "newer", "is_tombstone": False}
    of_group = {**row, "record_type": 3, "log_offset": 0, "epoch": {"epoch": 2}}
    of_member = {**row, "record_type": 5, "log_offset": 1, "epoch": {"member_id": "anna"}}
    share = {**row, "group_id": "shared", "record_type": 10, "log_offset": 2}
    (found,) = what_if(spark, log_of(spark, {}, [of_group, of_member, share]), [Variant()]).collect()
    assert (found.group_id, found.recorded_rebalances) == ("newer", None)
    assert found.problem == NO_JOURNAL


def test_log_of_a_real_kafka_that_was_compacted_says_that_its_generations_are_gone(
    spark: Any, whole: Lake, whole_root: Path
) -> None:
    found = what_if(spark, open_lake(spark, whole_root).table("log"), [Variant()]).collect()
    gone = "the log has no generation of it"
    assert {row.group_id: row.problem for row in found} == {
        "classic-group": gone,
        "simple-5": gone,
        "new-protocol-group": NO_JOURNAL,
    }


def test_every_group_with_every_variant_gets_the_answer_of_the_pure_function(spark: Any) -> None:
    journals = {f"g{seed}": journal(seed) for seed in range(GROUPS)}
    found = [row.asDict(recursive=True) for row in what_if(spark, log_of(spark, journals), VARIANTS).collect()]
    expected = [
        {"cluster": "c", **as_row(each)}
        for group, events in journals.items()
        for each in answer(group, map(json.dumps, events), VARIANTS)
    ]
    assert sorted(found, key=place) == sorted(expected, key=place)
    assert len(found) == GROUPS * len(VARIANTS)


def test_groups_are_chosen_by_name_and_one_that_cannot_be_replayed_says_why(spark: Any) -> None:
    journals = {"billing-1": journal(1)[4:6], "billing.2": journal(2), "billing.3": journal(4), "shipping": journal(3)}
    journals = {group: [{**event, "group": group} for event in events] for group, events in journals.items()}
    next(event for event in journals["billing.3"] if event["kind"] == "join_completed")["settings"] = ["forged"]
    found = what_if(spark, log_of(spark, journals), [Variant()], "billing*").orderBy("group_id").collect()
    (first, second, third) = found
    assert third.problem.startswith("its journal tells what cannot have been")
    assert first.problem == "the journal has neither the beginning of the group nor a rebalance that was finished"
    assert first.recorded_rebalances is None
    assert (second.group_id, second.problem) == ("billing.2", None)


def place(row: dict[str, Any]) -> tuple[str, str]:
    return row["group_id"], row["variant"]


def test_journal_in_a_lake_is_found(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"muster.data": str(tmp_path / "data"), "listeners": "127.0.0.1:0", "offsets.topic.num.partitions": "2"}
    settings["group.initial.rebalance.delay.ms"] = "0"
    with RunningServer(Settings.of(settings)) as server, GroupClient(server.port) as client:
        wake(client)
        client.join("g1", version=3).answer()
        asyncio.run(commit_as_tracked_query(server.address, "etl"))
    LakeRun(spark, tmp_path / "lake", source_of(tmp_path / "data")).run()
    log = open_lake(spark, tmp_path / "lake").table("log")
    (found,) = what_if(spark, log, [Variant(session_timeout_ms=9_000)], "g1").collect()
    assert (found.group_id, found.variant, found.problem) == ("g1", "session.timeout.ms=9000", None)
    monkeypatch.setattr("muster.pipeline.session.open_session", lambda settings: nullcontext(spark))
    asked = ["whatif", "--lake", str(tmp_path / "lake"), "--set", "static", "--group"]
    assert [main([*asked, group]) for group in ("g1", "g*", "nobody")] == [0, 0, 1]
    assert "neither a journal nor generations of nobody" in capsys.readouterr().err
    assert main(["lag", "--lake", str(tmp_path / "lake"), "--group", "etl", "--json"]) == 0
    (row,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (row["topic"], row["committed"], row["end"], row["lag"]) == ("orders", 2, 3, 1)


async def commit_as_tracked_query(address: str, group: str) -> None:
    """Two of three records, as `muster.spark` commits them."""
    async with Cluster(address) as cluster:
        await create_topic(cluster, "orders", 1)
        await Producer(cluster).send("orders", [NewRecord(b"order")] * 3)
        query = TrackedQuery("8c6e", "51d0", 12, 345)
        commit = CommittedOffset(2, metadata=query.metadata())
        await commit_offsets(cluster, group, {TopicPartition("orders", 0): commit})


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "say what is to be changed"),
        (["--set", "static", "--grid", "static"], "say what is to be changed"),
        (["--set", "max.poll.records=5"], "cannot be changed"),
        (["--grid", "session.timeout.ms=1,x"], "give milliseconds"),
        (["--set", "static"], "nowhere"),
    ],
)
def test_command_refuses_what_it_cannot_do_before_java_starts(
    flags: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["whatif", "--lake", str(tmp_path / "nowhere"), *flags]) == 2
    assert said in capsys.readouterr().err


@pytest.fixture
def _shared_session(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command opens the session of the tests instead of one of its own."""
    monkeypatch.setattr(session, "open_session", lambda _: nullcontext(spark))


@pytest.mark.usefixtures("_shared_session")
def test_command_names_below_the_table_what_cannot_be_replayed_and_fails_for_a_group_that_is_not_there(
    whole: Lake, whole_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["whatif", "--lake", str(whole_root), "--set", "static"]
    assert main(asked) == 0
    told = capsys.readouterr()
    assert "simple-5 cannot be replayed: the log has no generation of it" in told.err.splitlines()
    assert "simple-5: Nothing of this group can be replayed." in told.out
    assert main([*asked, "--group", "simple-6"]) == 1
    (said,) = capsys.readouterr().err.strip().splitlines()
    assert "neither a journal nor generations of simple-6" in said


@pytest.mark.usefixtures("_shared_session")
def test_command_answers_a_grid_as_json_as_csv_as_a_page_and_as_a_table_with_its_advice(
    spark: Any,
    whole: Lake,
    whole_root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log, page = log_of(spark, {"g6": journal(6)}), tmp_path / "whatif.html"
    monkeypatch.setattr(SparkLake, "table", lambda *_: log)
    grid = ["group.protocol=consumer", "group.initial.rebalance.delay.ms=0,3000"]
    asked = ["whatif", "--lake", str(whole_root), "--grid", grid[0], "--grid", grid[1]]
    expected = [as_row(each) for each in answer("g6", map(json.dumps, journal(6)), parse_grid(grid).variants)]
    expected.sort(key=place)
    advice = advise(expected)
    assert advice is not None

    assert main([*asked, "--page", str(page), "--json"]) == 0
    told = capsys.readouterr()
    rows = [json.loads(line) for line in told.out.splitlines()]
    assert [each.pop("advice") for each in rows] == [advice if each is best_of(expected) else None for each in expected]
    assert [{"group_id": each.pop("group"), **each} for each in rows] == [{"cluster": "c", **each} for each in expected]
    assert "2 combinations left out: group.initial.rebalance.delay.ms is of the classic protocol" in told.err
    assert all(f'<th scope="row">{each["variant"]}</th>' in page.read_text() for each in expected)

    assert main([*asked, "--csv"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [each["variant"] for each in lines] == [each["variant"] for each in expected]
    assert [int(each["replayed_unowned_ms"]) for each in lines] == [each["replayed_unowned_ms"] for each in expected]

    assert main(asked) == 0
    shown = capsys.readouterr()
    assert shown.out.strip().endswith(advice)
    assert_plain(shown.out, shown.err)
