"""Our members and Java's in one group: Kafka's VerifiableConsumer, which tells as JSON what it is given."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from muster.client import admin
from muster.client.member import Member
from muster.core.assignors.choice import assignor_named
from tests.conformance.clients.ours.checks import member
from tests.conformance.clients.ours.probe import Probe, until
from tests.conformance.clients.tools.shell import Shell, lines_of, make_archive

CLASSES: Final = {
    "range": "org.apache.kafka.clients.consumer.RangeAssignor",
    "roundrobin": "org.apache.kafka.clients.consumer.RoundRobinAssignor",
    "sticky": "org.apache.kafka.clients.consumer.StickyAssignor",
    "cooperative-sticky": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
}


async def ours_first(probe: Probe, assignor: str) -> None:
    """Ours leads, Java follows, then Java goes."""
    name = f"ours-then-java-{assignor}"
    await admin.create_topic(probe.cluster, name, 4, replication=1)
    async with member(probe.cluster, name, [name], assignors=[assignor_named(assignor)]) as ours:
        await ours.stable()
        async with java(probe, name, assignor) as output:
            await until("they share", lambda: _shared(ours, output))
            assert ours.is_leader
        await until("ours has all", lambda: _has(ours, 4))


async def java_first(probe: Probe, assignor: str) -> None:
    """Java leads, ours follows, then ours goes, and comes again with what it remembers."""
    name = f"java-then-ours-{assignor}"
    await admin.create_topic(probe.cluster, name, 4, replication=1)
    async with java(probe, name, assignor) as output:
        await until("Java has all", lambda: _java_has(output, 4))
        async with member(probe.cluster, name, [name], assignors=[assignor_named(assignor)]) as ours:
            await until("they share", lambda: _shared(ours, output))
            assert not ours.is_leader
        await until("Java has all again", lambda: _java_has(output, 4))


async def in_consumer_group(probe: Probe) -> None:
    """Ours has everything, Java takes half, then ours goes and comes again."""
    name = "ours-and-java-consumers"
    await admin.create_topic(probe.cluster, name, 4, replication=1)
    async with Member(probe.cluster, name, [name], protocol="consumer") as ours:
        await ours.stable()
        async with java(probe, name, "") as output:
            await until("they share", lambda: _shared(ours, output))
            await ours.stop()
            await until("Java has all", lambda: _java_has(output, 4))
            async with Member(probe.cluster, name, [name], protocol="consumer") as again:
                await until("they share again", lambda: _shared(again, output))


@asynccontextmanager
async def java(probe: Probe, name: str, assignor: str) -> AsyncIterator[Path]:
    """Without an assignor it is a member of a consumer group. Ends like a killed process if it must: it is told to stop, and
    says goodbye."""
    place = probe.folder / name
    place.mkdir()
    shell = Shell(probe.node, place, await asyncio.to_thread(make_archive, probe.node))
    settings = place / "consumer.properties"
    settings.write_text("metadata.max.age.ms=1000\n" + ("heartbeat.interval.ms=100\n" if assignor else ""))
    strategy: tuple[str, ...] = ("--group-protocol", "consumer")
    if assignor:
        strategy = ("--assignment-strategy", CLASSES[assignor], "--session-timeout", "6000")
    beside = shell.beside(
        "verifiable-consumer", "--topic", name, "--group-id", name, "--command-config", str(settings), *strategy
    )
    output = beside.__enter__()
    try:
        yield output
    finally:
        await asyncio.to_thread(beside.__exit__, None, None, None)


async def _shared(ours: Member, output: Path) -> bool:
    mine = {place.partition for place in ours.assignment}
    theirs = _owned(output)
    return len(mine) == 2 and len(theirs) == 2 and not mine & theirs


async def _java_has(output: Path, count: int) -> bool:
    return len(_owned(output)) == count


async def _has(ours: Member, count: int) -> bool:
    return len(ours.assignment) == count


def _owned(output: Path) -> set[int]:
    """What Java's member holds, from what it said about every change."""
    owned: set[int] = set()
    for line in lines_of(output):
        if not line.startswith("{"):
            continue
        told = json.loads(line)
        partitions = {each["partition"] for each in told.get("partitions", ())}
        if told.get("name") == "partitions_assigned":
            owned |= partitions
        elif told.get("name") == "partitions_revoked":
            owned -= partitions
    return owned
