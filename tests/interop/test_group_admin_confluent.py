"""Groups and their offsets through confluent-kafka's admin client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    KafkaError,
    KafkaException,
    TopicPartition,
)

from tests.interop.stage import PARTITIONS, Stage
from tests.interop.waiting import PATIENCE_SECONDS


def only(futures: Mapping[Any, Any]) -> Any:
    (future,) = futures.values()
    return future.result(PATIENCE_SECONDS)


def error_of(futures: Mapping[Any, Any]) -> int:
    with pytest.raises(KafkaException) as caught:
        only(futures)
    code: int = caught.value.args[0].code()
    return code


def offsets(stage: Stage, wanted: Mapping[int, int]) -> list[ConsumerGroupTopicPartitions]:
    partitions = [TopicPartition(stage.topic, partition, offset) for partition, offset in wanted.items()]
    return [ConsumerGroupTopicPartitions(stage.topic, partitions)]


def test_a_group_with_members_is_listed_and_described(stage: Stage) -> None:
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("anna", "confluent-kafka", instance="a")
        fleet.add("boris", "confluent-kafka")
        stage.await_stable(fleet)
        listed = stage.client.admin.list_consumer_groups(states={ConsumerGroupState.STABLE}).result(PATIENCE_SECONDS)
        assert listed.errors == []
        (found,) = [group for group in listed.valid if group.group_id == stage.topic]
        assert (found.state, found.type) == (ConsumerGroupState.STABLE, ConsumerGroupType.CLASSIC)
        described = only(stage.client.admin.describe_consumer_groups([stage.topic]))
        assert described.state == ConsumerGroupState.STABLE
        assert described.partition_assignor == "range"
        assert sorted(str(member.group_instance_id) for member in described.members) == ["None", "a"]
        assert all(member.host == "/127.0.0.1" and member.client_id == "rdkafka" for member in described.members)
        owned = [at.partition for member in described.members for at in member.assignment.topic_partitions]
        assert sorted(owned) == list(range(PARTITIONS))


def test_a_group_without_members_is_listed_as_empty_and_deleted_with_its_offsets(stage: Stage) -> None:
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("anna", "confluent-kafka")
        stage.await_all_read(fleet)
        assert error_of(stage.client.admin.delete_consumer_groups([stage.topic])) == KafkaError.NON_EMPTY_GROUP
        fleet.leave("anna")
    described = only(stage.client.admin.describe_consumer_groups([stage.topic]))
    assert (described.state, described.members) == (ConsumerGroupState.EMPTY, [])
    assert stage.committed(stage.topic) == stage.ends
    assert only(stage.client.admin.delete_consumer_groups([stage.topic])) is None
    assert stage.committed(stage.topic) == {}
    assert error_of(stage.client.admin.delete_consumer_groups([stage.topic])) == KafkaError.GROUP_ID_NOT_FOUND
    listed = stage.client.admin.list_consumer_groups().result(PATIENCE_SECONDS)
    assert stage.topic not in {group.group_id for group in listed.valid}


def test_offsets_are_reset_for_an_empty_group_and_its_next_member_begins_there(stage: Stage) -> None:
    stage.produce(10)
    with stage.fleet() as fleet:
        fleet.add("anna", "confluent-kafka")
        stage.await_all_read(fleet)
        reset = offsets(stage, {0: 7, 1: 10})
        refused = only(stage.client.admin.alter_consumer_group_offsets(reset)).topic_partitions
        assert [at.error.code() for at in refused] == [KafkaError.UNKNOWN_MEMBER_ID] * 2
        fleet.leave("anna")
        only(stage.client.admin.alter_consumer_group_offsets(reset))
        assert stage.committed(stage.topic) == {0: 7, 1: 10, 2: 10, 3: 10}
        fleet.add("boris", "confluent-kafka")
        fleet.watch_until("the reset records to be read", lambda: len(fleet.said("read", "boris")) == 3)
        fleet.leave("boris")
        read = [(said.details["partition"], said.details["offset"]) for said in fleet.said("read", "boris")]
        assert read == [(0, 7), (0, 8), (0, 9)]
    assert stage.committed(stage.topic) == stage.ends


def test_offsets_of_a_group_that_never_was_are_set_and_read(stage: Stage) -> None:
    """A group for offsets only, as tools and manual consumers use one."""
    stage.produce(10)
    only(stage.client.admin.alter_consumer_group_offsets(offsets(stage, {0: 3})))
    assert stage.committed(stage.topic) == {0: 3}
    asked = ConsumerGroupTopicPartitions(stage.topic, [TopicPartition(stage.topic, each) for each in (0, 1)])
    answer = only(stage.client.admin.list_consumer_group_offsets([asked]))
    assert [(at.partition, at.offset) for at in answer.topic_partitions] == [(0, 3), (1, -1001)]
