"""Groups and their offsets through kafka-python's admin client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.interop.kafka_python import KafkaAdminClient, MemberToRemove, OffsetAndMetadata, OffsetSpec, TopicPartition
from tests.interop.kafka_python import errors as kafka_errors
from tests.interop.stage import PARTITIONS, Stage


@pytest.fixture
def admin(stage: Stage) -> Iterator[Any]:
    client = KafkaAdminClient(bootstrap_servers=stage.server.address)
    yield client
    client.close()


def committed(admin: Any, stage: Stage) -> dict[int, int]:
    found = admin.list_group_offsets(stage.topic)[stage.topic]
    return {at.partition: answer.offset for at, answer in found.items()}


def at(stage: Stage, partition: int) -> Any:
    return TopicPartition(stage.topic, partition)


def test_a_group_with_members_is_listed_and_described(stage: Stage, admin: Any) -> None:
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("anna", "kafka-python", instance="a")
        fleet.add("boris", "kafka-python")
        stage.await_stable(fleet)
        (found,) = [group for group in admin.list_groups() if group["group_id"] == stage.topic]
        assert (found["protocol_type"], found["group_state"], found["group_type"]) == ("consumer", "Stable", "classic")
        described = admin.describe_groups([stage.topic])[stage.topic]
        assert described["error"] is None
        assert (described["group_state"], described["protocol_type"]) == ("Stable", "consumer")
        assert described["protocol_data"] == "range"
        members = described["members"]
        assert sorted(str(member["group_instance_id"]) for member in members) == ["None", "a"]
        owned = [
            partition
            for member in members
            for assigned in member["member_assignment"]["assigned_partitions"]
            for partition in assigned["partitions"]
        ]
        assert sorted(owned) == list(range(PARTITIONS))


def test_a_group_is_deleted_when_its_members_are_gone_and_not_before(stage: Stage, admin: Any) -> None:
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("anna", "kafka-python")
        stage.await_all_read(fleet)
        assert _name(admin.delete_groups([stage.topic])[stage.topic]) == "NonEmptyGroupError"
        fleet.leave("anna")
    assert committed(admin, stage) == stage.ends
    assert _name(admin.delete_groups([stage.topic])[stage.topic]) == "OK"
    assert committed(admin, stage) == {}
    assert stage.topic not in {group["group_id"] for group in admin.list_groups()}


def test_offsets_are_altered_reset_and_deleted(stage: Stage, admin: Any) -> None:
    stage.produce(10)
    with stage.fleet() as fleet:
        fleet.add("anna", "kafka-python")
        stage.await_all_read(fleet)
        refused = admin.delete_group_offsets(stage.topic, [at(stage, 0)])
        assert _name(refused[at(stage, 0)]) == "GroupSubscribedToTopicError"
        fleet.leave("anna")
    altered = admin.alter_group_offsets(stage.topic, {at(stage, 0): OffsetAndMetadata(4, "by hand", -1)})
    assert altered == {at(stage, 0): kafka_errors.NoError}
    assert admin.list_group_offsets({stage.topic: [at(stage, 0)]})[stage.topic][at(stage, 0)].metadata == "by hand"
    reset = admin.reset_group_offsets(stage.topic, {at(stage, 1): OffsetSpec.EARLIEST})
    assert reset[at(stage, 1)]["error"] is kafka_errors.NoError
    assert committed(admin, stage) == {0: 4, 1: 0, 2: 10, 3: 10}
    deleted = admin.delete_group_offsets(stage.topic, [at(stage, 2)])
    assert deleted == {at(stage, 2): kafka_errors.NoError}
    assert committed(admin, stage) == {0: 4, 1: 0, 3: 10}


def test_an_administrator_removes_a_member_and_the_others_share_its_partitions(stage: Stage, admin: Any) -> None:
    """LeaveGroup in a batch, by group instance id (KIP-345)."""
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("anna", "kafka-python")
        fleet.add("gone", "kafka-python", instance="g")
        stage.await_stable(fleet)
        stage.await_all_read(fleet)
        fleet.kill("gone")
        removed = admin.remove_group_members(stage.topic, [MemberToRemove(group_instance_id="g", reason="it is dead")])
        assert [_name(error) for error in removed.values()] == ["NoError"]
        stage.await_stable(fleet)
        stage.judge(fleet)
    (event,) = [event for event in stage.journal(stage.topic) if event["kind"] == "member_left"]
    assert (event["instance"], event["reason"]) == ("g", "it is dead")


def _name(answer: Any) -> str:
    """An error class, however deep the library wraps it."""
    found = answer.get("error", answer) if isinstance(answer, dict) else answer
    return str(getattr(found, "__name__", None) or found)
