"""Many of our members come and go in one consumer group, by chance: no partition has two owners at any time, all have one at
the end.

And running groups are moved from the classic protocol to the new one and back, member by member, while records are read: none is
lost, and none is read twice after it was committed.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from muster.client import admin
from muster.client.admin import TopicPartition
from muster.client.cluster import Cluster
from muster.client.member import Member
from muster.core.assignors.choice import COOPERATIVE_STICKY, RANGE
from muster.testing import Broker
from tests.client.members import HEARTBEAT_MS, QUICK_CONSUMERS, run, until
from tests.client.readers import Reader

PARTITIONS = 6
LONGEST_CALLBACK_SECONDS = 0.05
"""Longer than the time between two heartbeats."""
SETTINGS = {**QUICK_CONSUMERS, "group.min.session.timeout.ms": 1_000}


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(SETTINGS, topics={"orders": PARTITIONS}) as running:
        yield running


class Owners:
    """Who holds which partition, as the members' own callbacks say."""

    def __init__(self) -> None:
        self.holder: dict[TopicPartition, str] = {}

    def assigned(self, name: str, places: frozenset[TopicPartition]) -> None:
        for place in sorted(places):
            assert self.holder.get(place) in (None, name), f"{place} is given to {name} and {self.holder[place]} has it"
            self.holder[place] = name

    def given_up(self, name: str, places: frozenset[TopicPartition]) -> None:
        for place in sorted(places):
            assert self.holder.get(place) == name, f"{name} gives up {place}, which {self.holder.get(place)} has"
            del self.holder[place]


def crowd_member(cluster: Cluster, owners: Owners, name: str, chance: random.Random, **options: Any) -> Member:
    async def assigned(places: frozenset[TopicPartition]) -> None:
        owners.assigned(name, places)
        await asyncio.sleep(chance.random() * LONGEST_CALLBACK_SECONDS)

    async def revoked(places: frozenset[TopicPartition]) -> None:
        await asyncio.sleep(chance.random() * LONGEST_CALLBACK_SECONDS)
        owners.given_up(name, places)

    return Member(cluster, "g", ["orders"], on_assigned=assigned, on_revoked=revoked, **options)


async def come_and_go(broker: Broker, seed: int, protocols: list[dict[str, Any]]) -> None:
    """One member of the consumer protocol stays all the time: the group is a consumer group from beginning to end."""
    chance, owners = random.Random(seed), Owners()
    async with Cluster(broker.bootstrap_servers) as cluster:
        stays = crowd_member(cluster, owners, "stays", chance, protocol="consumer")
        stays.start()
        await stays.stable()
        members: list[Member] = []
        everybody = [stays]
        try:
            for number in range(14):
                if members and (len(members) == 4 or chance.random() < 0.4):
                    await members.pop(chance.randrange(len(members))).stop()
                else:
                    joined = crowd_member(cluster, owners, f"m{number}", chance, **chance.choice(protocols))
                    joined.start()
                    members.append(joined)
                    everybody.append(joined)
                if members and chance.random() < 0.6:
                    waited = chance.choice(members)
                    await waited.stable(waited.membership.rebalances + (not waited.membership.rebalances))
                if chance.random() < 0.15:
                    broker.faults.drop_reply("ConsumerGroupHeartbeat")
            await until(lambda: _is_shared([stays, *members]) and len(owners.holder) == PARTITIONS, stays, *members)
            broker.kit.faults.forget()
        finally:
            await asyncio.gather(*(each.stop() for each in (stays, *members)))
        assert [each.membership.failure for each in everybody if each.membership.failure is not None] == []
        assert owners.holder == {}


def _is_shared(members: list[Member]) -> bool:
    held = [place for each in members for place in each.assignment]
    assert len(held) == len(set(held)), f"held twice: {held}"
    return len(held) == PARTITIONS


@pytest.mark.parametrize("seed", range(12))
def test_whoever_comes_and_goes_no_partition_has_two_owners_and_none_is_left_over(broker: Broker, seed: int) -> None:
    run(lambda: come_and_go(broker, seed, [{"protocol": "consumer"}]))


@pytest.mark.parametrize("seed", range(8))
def test_the_same_with_members_of_both_protocols_in_one_group(broker: Broker, seed: int) -> None:
    """As long as it stays a consumer group. A conversion takes assignments as they are decided (spec 7.8), and does not know
    what a classic member has yet to give up."""
    classic = {"heartbeat_interval_ms": HEARTBEAT_MS, "assignors": [COOPERATIVE_STICKY]}
    run(lambda: come_and_go(broker, seed, [{"protocol": "consumer"}, classic]))


# -- members of both protocols, and from one to the other


STYLES: dict[str, dict[str, Any]] = {
    "consumer": {"protocol": "consumer"},
    "eager": {"heartbeat_interval_ms": HEARTBEAT_MS, "assignors": [RANGE]},
    "cooperative": {"heartbeat_interval_ms": HEARTBEAT_MS, "assignors": [COOPERATIVE_STICKY]},
}


@pytest.mark.parametrize("classic", ["eager", "cooperative"])
def test_members_of_both_protocols_share_one_group(broker: Broker, classic: str) -> None:
    """Spec 7.8, 7.9."""

    async def story() -> None:
        async with (
            Cluster(broker.bootstrap_servers) as cluster,
            Member(cluster, "g", ["orders"], **STYLES[classic]) as old,
        ):
            await until(lambda: len(old.assignment) == 6, old)
            async with Member(cluster, "g", ["orders"], **STYLES["consumer"]) as new:
                await until(lambda: len(old.assignment) == len(new.assignment) == 3, old, new)
                assert not old.assignment & new.assignment
                assert (await admin.describe_group(cluster, "g")).type == "consumer"
            await until(lambda: len(old.assignment) == 6, old)
            assert (await admin.describe_group(cluster, "g")).type == "classic"

    run(story)


@pytest.mark.parametrize("classic", ["eager", "cooperative"])
def test_a_running_group_is_moved_to_the_new_protocol_and_back(broker: Broker, classic: str) -> None:
    """T231, T234: members are exchanged one by one, as in a rolling restart. Nothing is lost, nothing committed is read again."""

    async def story() -> None:
        read: Counter[bytes] = Counter()
        sent = 0

        async def produce_and_wait() -> None:
            nonlocal sent
            values = [b"%d" % number for number in range(sent, sent + 60)]
            sent += len(values)
            await asyncio.to_thread(broker.produce, "orders", *values)
            while len(read) < sent:  # noqa: ASYNC110 - the readers of this loop say nothing
                await asyncio.sleep(0.005)

        async with Cluster(broker.bootstrap_servers) as cluster:
            readers = [Reader(cluster, read, "g", "orders", **STYLES[classic]) for _ in range(2)]
            for each in readers:
                each.member.start()
            types = []
            for style in ("consumer", "consumer", classic, classic):
                await _evenly_shared(readers)
                await produce_and_wait()
                readers.append(Reader(cluster, read, "g", "orders", **STYLES[style]))
                readers[-1].member.start()
                await asyncio.to_thread(broker.produce, "orders", *(b"%d" % n for n in range(sent, sent + 30)))
                sent += 30
                await _evenly_shared(readers)
                await readers.pop(0).member.stop()
                types.append((await admin.describe_group(cluster, "g")).type)
            await _evenly_shared(readers)
            await produce_and_wait()
            await asyncio.gather(*(each.member.stop() for each in readers))
            assert types == ["consumer", "consumer", "consumer", "classic"]
            assert [value for value, times in read.items() if times > 1] == []
            assert len(read) == sent
            assert sum(broker.group("g").offsets().values()) == sent

    run(story)


async def _evenly_shared(readers: list[Reader]) -> None:
    """Nobody has yet to give anything up: the moment for the next step of a rolling restart."""
    members = [each.member for each in readers]
    even = PARTITIONS // len(members)
    await until(lambda: all(len(each.assignment) == even for each in members) and _is_shared(members), *members)
