"""Offsets of sources as positions in topics: which are, which are not, and what several sources of a query come to."""

from __future__ import annotations

import json

import pytest

from muster.client.partitions import TopicPartition
from muster.core.offsets.tracked_query import TrackedQuery, newest_query, query_in
from muster.explain.tracked_query import tell_tracked
from muster.pipeline.sources.positions import marked, offset_of
from muster.spark.failure import OffsetShapeError
from muster.spark.offsets import has_topics, offsets_in, together

PYTHON = "org.apache.spark.sql.execution.datasources.v2.python.PythonMicroBatchStreamWithTriggerAvailableNow@44b801f9"
LIKE_TOPICS = '{"orders":{"0":5}}'


@pytest.mark.parametrize(
    ("description", "offset", "expected"),
    [
        ("KafkaV2[Subscribe[orders]]", LIKE_TOPICS, True),
        ("KafkaSourceV1[SubscribePattern[o.*]]", "not JSON", True),
        (PYTHON, json.dumps(marked(offset_of({"orders": {0: 5}}))), True),
        (PYTHON, LIKE_TOPICS, False),
        (PYTHON, None, False),
        (PYTHON, "muster:source", False),
        ("RateStreamV2[rowsPerSecond=1, rampUpTimeSeconds=0, numPartitions=default", LIKE_TOPICS, False),
        ("FileStreamSource[file:/in]", LIKE_TOPICS, False),
        ("org.apache.spark.sql.eventhubs.EventHubsSource@1", LIKE_TOPICS, False),
    ],
)
def test_kafkas_sources_are_known_by_their_description_and_ours_by_the_mark_in_their_offset(
    description: str, offset: str | None, expected: bool
) -> None:
    assert has_topics(description, offset) is expected


def test_offsets_of_a_kafka_source_are_positions() -> None:
    assert offsets_in('{"orders":{"0":12,"10":0},"audit":{"3":9223372036854775807}}') == {
        TopicPartition("orders", 0): 12,
        TopicPartition("orders", 10): 0,
        TopicPartition("audit", 3): 2**63 - 1,
    }


def test_mark_and_tick_of_our_own_source_are_no_topics_but_a_topic_may_be_called_tick() -> None:
    assert offsets_in(json.dumps(marked(offset_of({"orders": {0: 3}}, 1_794_987_394_780)))) == {
        TopicPartition("orders", 0): 3
    }
    assert offsets_in('{"orders": {"0": 3}, "tick": 1794987394780}') == {TopicPartition("orders", 0): 3}
    assert offsets_in('{"tick": {"0": 3}}') == {TopicPartition("tick", 0): 3}


@pytest.mark.parametrize("text", [None, "None", "{}"])
def test_source_that_has_read_nothing_has_no_positions(text: str | None) -> None:
    assert offsets_in(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "12",
        '{"logOffset":3}',
        '{"orders":{"0":-1}}',
        '{"orders":{"0":1.5}}',
        '{"orders":{"0":true}}',
        '{"orders":{"0":9223372036854775808}}',
        '{"orders":{"x":1}}',
        '{"orders":{"-1":1}}',
        '{"orders":{"4294967296":1}}',
        '{"orders":{"٣":1}}',
        '{"orders":[1]}',
        "[1]",
        "not JSON",
    ],
)
def test_offset_of_another_shape_is_refused(text: str) -> None:
    with pytest.raises(OffsetShapeError):
        offsets_in(text)


def test_partition_that_several_sources_read_counts_as_far_as_the_slowest() -> None:
    first, second = offsets_in('{"a":{"0":5,"1":7}}'), offsets_in('{"a":{"0":3},"b":{"0":1}}')
    assert together([first, second]) == offsets_in('{"a":{"0":3,"1":7},"b":{"0":1}}')


def test_metadata_of_a_commit_comes_back_as_it_was_written() -> None:
    for query in (TrackedQuery("8c6e-1", "51d0-2", 12, 345), TrackedQuery("8c6e-1", None, 0, None)):
        assert query_in(query.metadata()) == query
        assert len(query.metadata()) < 200


@pytest.mark.parametrize(
    "text", ["", "muster.spark/2 query=a run=b batch=1 ms=2", "muster.spark/1 query=a", "muster.spark/1 batch=1 x"]
)
def test_metadata_of_others_is_of_no_query(text: str) -> None:
    assert query_in(text) is None


def test_query_of_a_group_is_that_of_its_latest_micro_batch() -> None:
    queries = [TrackedQuery("a", "b", number, 7) for number in (3, 11, 2)]
    assert newest_query(["", "mine", *(query.metadata() for query in queries)]) == queries[1]
    assert newest_query(["", "mine"]) is None


def test_words_name_run_and_duration_where_they_are_known() -> None:
    assert "run b; the last commit is of micro-batch 3, which took 7 ms." in tell_tracked(TrackedQuery("a", "b", 3, 7))
    assert "of an unknown run; the last commit is of micro-batch 3." in tell_tracked(TrackedQuery("a", None, 3, None))
