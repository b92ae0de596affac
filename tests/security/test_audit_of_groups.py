"""Who sets offsets of a group from outside, or removes a member, is in the audit log; what members and readers do is not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator

import pytest

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.member import Member
from muster.client.partitions import TopicPartition
from muster.testing import Broker
from tests.server.transactions.txn_client import TxnServer

PLACE = TopicPartition("orders", 0)
OPERATOR = "changed: 'User:ANONYMOUS' at 127.0.0.1 (client id 'operator') by "


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 2}) as running:
        yield running


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.name == "muster.audit"]


def test_a_reader_without_a_group_is_told_of_only_when_it_goes_back(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "muster.audit")

    async def commit(*offsets: int) -> None:
        async with Cluster(broker.bootstrap_servers, client_id="operator") as cluster:
            for offset in offsets:
                await admin.commit_offsets(cluster, "reader", {PLACE: offset})

    asyncio.run(commit(1, 2, 2, 3))
    assert told(caplog) == []
    asyncio.run(commit(0))
    assert told(caplog) == [f"{OPERATOR}OffsetCommit: set 1 offset of group 'reader' from outside"]


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_group_that_had_members_is_told_of_whatever_is_set(
    broker: Broker, caplog: pytest.LogCaptureFixture, protocol: str
) -> None:
    caplog.set_level(logging.INFO, "muster.audit")
    group = f"team-{protocol}"

    async def live_and_reset() -> None:
        member = Member(broker.bootstrap_servers, group, ["orders"], protocol=protocol, client_id="ada")
        member.start()
        await member.stable()
        await member.commit({PLACE: 1})
        await member.stop()
        async with Cluster(broker.bootstrap_servers, client_id="operator") as cluster:
            await admin.commit_offsets(cluster, group, {PLACE: 5, TopicPartition("orders", 1): 7})

    asyncio.run(live_and_reset())
    assert told(caplog) == [f"{OPERATOR}OffsetCommit: set 2 offsets of group '{group}' from outside"]


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_member_that_somebody_takes_out_is_told_of(
    broker: Broker, caplog: pytest.LogCaptureFixture, protocol: str
) -> None:
    caplog.set_level(logging.INFO, "muster.audit")
    group = f"shrinking-{protocol}"

    async def join_and_remove() -> str:
        member = Member(broker.bootstrap_servers, group, ["orders"], protocol=protocol, client_id="ada")
        member.start()
        await member.stable()
        async with Cluster(broker.bootstrap_servers, client_id="operator") as cluster:
            described = await admin.describe_group(cluster, group)
            await admin.remove_member(cluster, group, described.members[0], "out")
        await member.stop()
        return described.members[0].member_id

    member_id = asyncio.run(join_and_remove())
    assert told(caplog) == [f"{OPERATOR}LeaveGroup: removed member {member_id!r} of group '{group}'"]


@pytest.mark.parametrize(
    ("version", "is_told"), [(2, [False, True]), (3, [True, True])], ids=["cannot name a generation", "can"]
)
def test_offsets_that_a_transaction_sets_without_a_generation_are_told_of(
    caplog: pytest.LogCaptureFixture, version: int, is_told: list[bool]
) -> None:
    """Producers of before KIP-447 commit for members and cannot name their generation: only what is set back is an operator's."""
    caplog.set_level(logging.INFO, "muster.audit")
    with TxnServer() as server:
        server.form("g", 1)
        client = server.txn_client()
        producer = client.started()
        found = []
        for offset in (5, 3):
            caplog.clear()
            assert client.add_offsets(producer, "g") == 0
            assert client.commit_offset(producer, offset, "g", version=version) == 0
            assert client.end(producer).error_code == 0
            server.settle()
            found.append(told(caplog))
    line = (
        "changed: 'User:ANONYMOUS' at 127.0.0.1 (client id 'raw') by TxnOffsetCommit: set 1 offset of group 'g' from outside,"
        " by a transaction"
    )
    assert found == [[line] if is_one else [] for is_one in is_told]
