"""What `track` hands over for its commit, and what it says: from progress that is made up, without Spark or a coordinator."""

from __future__ import annotations

import atexit
from typing import Any

import pytest

from muster.client.partitions import TopicPartition
from muster.core.offsets.tracked_query import TrackedQuery
from muster.spark.newest import BatchCommit, NewestCommits
from muster.spark.tracking import Tracking
from tests.pipeline.tracking.fake_spark import KAFKA, FakeQuery, FakeSpark, at, progress

NOWHERE = "127.0.0.1:1"
PATIENCE_SECONDS = 60
PYTHON = "org.apache.spark.sql.execution.datasources.v2.python.PythonMicroBatchStream@44b801f9"
ORDERS = TopicPartition("orders", 0)


def tracking(spark: FakeSpark, **settings: Any) -> Tracking:
    """It is not started: what is handed over stays where it waits."""
    return Tracking(spark, NOWHERE, **{"group": "etl", **settings})


def taken(found: Tracking) -> list[BatchCommit]:
    waiting = found._committer.waiting
    commits = []
    while (commit := waiting.take()) is not None:
        waiting.finish(commit)
        commits.append(commit)
    return commits


def commit(batch: int, offset: int, group: str = "etl", took: int | None = 5) -> BatchCommit:
    return BatchCommit(group, TrackedQuery("q1", "r1", batch, took), {ORDERS: offset})


def test_finished_micro_batch_is_handed_over() -> None:
    found = tracking(FakeSpark(FakeQuery()))
    found.on_progress(progress(3, at(30)))
    assert taken(found) == [commit(3, 30)]


def test_topics_that_were_not_chosen_are_left_out_and_a_query_without_the_chosen_ones_is_skipped() -> None:
    found = tracking(FakeSpark(FakeQuery()), topics=["orders"])
    found.on_progress(progress(0, at(10), at(99, "audit")))
    assert taken(found) == [commit(0, 10)]
    found.on_progress(progress(1, at(99, "audit")))
    assert taken(found) == []
    assert found.figures.skipped == 1


def test_group_is_given_to_nobody_while_two_queries_run_and_to_the_one_that_is_left(
    caplog: pytest.LogCaptureFixture,
) -> None:
    spark = FakeSpark(FakeQuery(), FakeQuery("r2", "q2"))
    found = tracking(spark)
    found.on_started("r1", "q1")
    found.on_started("r2", "q2")
    found.on_progress(progress(0, at(10)))
    found.on_progress(progress(0, at(20), run="r2", query="q2"))
    assert taken(found) == []
    assert found.figures.skipped == 2
    assert [each.getMessage() for each in caplog.records] == [
        "group etl stands for one query, and 2 run: nothing is committed while they do; name the query to track, or call track"
        " without a group to have one for each"
    ]
    found.on_terminated("r2")
    found.on_progress(progress(1, at(11)))
    assert taken(found) == [commit(1, 11)]


def test_two_queries_have_a_group_each_if_none_is_named() -> None:
    found = tracking(FakeSpark(FakeQuery(), FakeQuery("r2", "q2")), group=None)
    found.on_progress(progress(0, at(10), name="first"))
    found.on_progress(progress(0, at(20), run="r2", query="q2", name="second"))
    found.on_progress(progress(1, at(21), run="r2", query="q2", name=None))
    assert [each.group for each in taken(found)] == ["first", "second"]
    assert found.figures.skipped == 1, "the one without a name"


def test_query_with_a_kafka_source_of_an_unknown_shape_is_not_shown_by_half(caplog: pytest.LogCaptureFixture) -> None:
    found = tracking(FakeSpark(FakeQuery()))
    found.on_progress(progress(0, at(10), (KAFKA, '{"audit":{"0":-2}}')))
    assert taken(found) == []
    assert found.figures.skipped == 1
    (said,) = [each.getMessage() for each in caplog.records]
    assert said.startswith(f"source {KAFKA} of query q1: ")
    assert said.endswith("-2 is not an offset: not committed")


@pytest.mark.parametrize("offset", ['{"page":7}', '{"a":{"0":5}}'])
def test_python_source_of_somebody_else_is_left_out_though_its_offset_may_look_like_ours(offset: str) -> None:
    found = tracking(FakeSpark(FakeQuery()))
    found.on_progress(progress(0, at(10), (PYTHON, offset)))
    assert taken(found) == [commit(0, 10)]


def test_more_groups_than_the_queue_takes_are_skipped_and_that_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    found = tracking(FakeSpark(FakeQuery()), group=None)
    found._committer.waiting = NewestCommits(most=1)
    for name, batch in (("first", 0), ("second", 1), ("third", 2), ("first", 3)):
        found.on_progress(progress(batch, at(batch), name=name))
    assert taken(found) == [commit(3, 3, "first")]
    assert found.figures.skipped == 2
    assert [each.getMessage() for each in caplog.records] == [
        "too many groups wait for their commit: some micro-batches are not committed"
    ]


def test_flush_hands_over_what_a_running_query_has_finished_though_no_event_has_told_of_it_yet() -> None:
    query = FakeQuery()
    found = tracking(FakeSpark(query))
    found.on_started("r1", "q1")
    found.on_progress(progress(3, at(30)))
    query.lastProgress = progress(4, at(40))
    assert not found.flush(0), "it has yet to be committed"
    assert taken(found) == [commit(4, 40)]
    found.on_progress(progress(4, at(40)))
    assert taken(found) == [], "once is enough"
    assert found.flush(0)
    query.lastProgress = progress(3, at(30))
    assert found.flush(0), "what is older than what was told is nothing new"
    assert found.figures.skipped == 0


def test_query_that_waits_for_records_is_committed_where_its_last_micro_batch_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When tracking begins, and when it was started again while it is tracked: no event tells of either."""
    query = FakeQuery()
    query.lastProgress = progress(5, at(50), idle=True)
    found = tracking(FakeSpark(query))
    monkeypatch.setattr(found._committer, "start", lambda: None)
    found.start()
    atexit.unregister(found._last_words)
    assert taken(found) == [commit(4, 50, took=None)]

    again = tracking(FakeSpark(query))
    again.on_started("r1", "q1")
    again.on_idle("r1", "q1")
    again.on_idle("r1", "q1")
    assert taken(again) == [commit(4, 50, took=None)]
    again.on_idle("r9", "q1")
    assert taken(again) == [], "that run is over"


def start_again(spark: FakeSpark, found: Tracking) -> None:
    """The query q1, as its run r2."""
    spark.streams.running = [FakeQuery("r2")]
    found.on_started("r2", "q1")


def test_late_event_of_a_run_that_was_replaced_takes_nothing_from_the_new_run() -> None:
    """A query is stopped and started again in the same program, under its id."""
    spark = FakeSpark(FakeQuery())
    found = tracking(spark)
    found.on_started("r1", "q1")
    found.on_progress(progress(4, at(40)))
    start_again(spark, found)
    found.on_progress(progress(5, at(50)))
    assert taken(found) == [commit(5, 50)], "the new run has told nothing yet"
    found.on_progress(progress(7, at(70), run="r2"))
    found.on_progress(progress(6, at(60)))
    assert [each.query.batch_id for each in taken(found)] == [7]
    assert found.figures.skipped == 0


def test_run_that_begins_again_with_an_older_checkpoint_is_tracked() -> None:
    spark = FakeSpark(FakeQuery())
    found = tracking(spark)
    found.on_started("r1", "q1")
    found.on_progress(progress(4, at(40)))
    found.on_terminated("r1")
    start_again(spark, found)
    found.on_progress(progress(2, at(20), run="r2"))
    assert [each.query.batch_id for each in taken(found)] == [2]


def test_renewal_of_a_run_that_was_replaced_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muster.spark.tracking._RENEW_SECONDS", 0.0)
    spark = FakeSpark(FakeQuery())
    found = tracking(spark)
    found.on_started("r1", "q1")
    found.on_progress(progress(4, at(40)))
    found.on_idle("r1", "q1")
    assert taken(found) == [commit(4, 40)]
    start_again(spark, found)
    found.on_progress(progress(5, at(50), run="r2"))
    found.on_idle("r1", "q1")
    assert [each.query.batch_id for each in taken(found)] == [5]


def test_query_of_which_nothing_can_be_read_keeps_no_other_from_being_tracked(monkeypatch: pytest.MonkeyPatch) -> None:
    odd, query = FakeQuery("r2", "q2"), FakeQuery()
    odd.lastProgress = object()
    query.lastProgress = progress(4, at(40))
    found = tracking(FakeSpark(odd, query), group=None)
    monkeypatch.setattr(found._committer, "start", lambda: None)
    found.start()
    atexit.unregister(found._last_words)
    assert taken(found) == [commit(4, 40, "orders")]
    query.lastProgress = progress(5, at(50))
    assert not found.flush(0), "it has yet to be committed"
    assert taken(found) == [commit(5, 50, "orders")]
    assert found.flush(0)


@pytest.mark.parametrize("last", [None, progress(0, (KAFKA, None), idle=True)])
def test_query_that_has_finished_nothing_yet_is_not_committed(last: Any) -> None:
    query = FakeQuery()
    query.lastProgress = last
    found = tracking(FakeSpark(query))
    found.on_started("r1", "q1")
    found.on_idle("r1", "q1")
    assert found.flush(0)
    assert taken(found) == []


def test_spark_that_is_gone_hides_no_error_and_leaves_no_thread() -> None:
    spark = FakeSpark()
    found = tracking(spark)
    found.start()
    found.on_started("r1", "q1")
    spark.streams.is_gone = True
    with pytest.raises(ValueError, match="of the program"):
        fail_within(found)
    found._committer._thread.join(PATIENCE_SECONDS)
    assert not found._committer._thread.is_alive()


def fail_within(found: Tracking) -> None:
    with found:
        raise ValueError("of the program")
