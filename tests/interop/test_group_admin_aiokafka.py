"""Groups and their offsets through aiokafka's admin client, as far as it goes."""

from __future__ import annotations

from typing import Any

from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient

from tests.interop.client_aiokafka import Loop
from tests.interop.stage import Stage


def test_a_group_is_listed_described_and_its_offsets_are_shown(stage: Stage) -> None:
    stage.produce()
    loop = Loop()
    with stage.fleet() as fleet:
        fleet.add("anna", "aiokafka")
        stage.await_all_read(fleet)
        listed, described, offsets = loop.run(_ask(stage))
    loop.close()
    assert (stage.topic, "consumer") in listed
    ((group,),) = (answer.groups for answer in described)
    error_code, group_id, state, protocol_type, protocol, members = group[:6]
    assert (error_code, group_id, state, protocol_type, protocol) == (0, stage.topic, "Stable", "consumer", "range")
    assert len(members) == 1
    assert {at.partition: committed.offset for at, committed in offsets.items()} == stage.ends
    assert all(isinstance(at, TopicPartition) and at.topic == stage.topic for at in offsets)


async def _ask(stage: Stage) -> tuple[Any, Any, Any]:
    admin = AIOKafkaAdminClient(bootstrap_servers=stage.server.address)
    await admin.start()
    try:
        return (
            await admin.list_consumer_groups(),
            await admin.describe_consumer_groups([stage.topic]),
            await admin.list_consumer_group_offsets(stage.topic),
        )
    finally:
        await admin.close()
