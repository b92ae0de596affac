"""Expiry of offsets and groups, and what the log makes of them, seen by clients (spec 4.7, 11.14, 11.15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.core.records import OffsetCommitted
from muster.wire.batch import Record, encode_batch, encode_pairs, parse_header
from tests.coordinator_records import encode_records
from tests.server.groups.group_client import subscription
from tests.server.groups.group_server import GroupServer

MINUTE = 60_000
RETENTION = {"offsets.retention.minutes": "100", "offsets.retention.check.interval.ms": str(MINUTE)}
"""A look every minute for what is 100 minutes old."""


@pytest.fixture
def server() -> Iterator[GroupServer]:
    with GroupServer(RETENTION) as running:
        yield running


def minutes(server: GroupServer, count: float) -> None:
    server.pass_time(int(count * MINUTE), step_ms=MINUTE)


def test_the_offsets_of_an_emptied_group_go_when_it_has_been_empty_for_the_retention(server: GroupServer) -> None:
    """T194, T201: exactly then, and the group goes with them."""
    (member,) = server.form("g", session_ms=1_800_000)
    client = server.client()
    client.commit("g", ("orders", 0, 5), generation=1, member_id=member.member_id)
    minutes(server, 20)
    client.leave("g", member.member_id)
    minutes(server, 99)
    assert client.committed("g") == 5
    minutes(server, 1)
    assert client.committed("g") == -1
    assert client.state("g") == "Dead"


def test_a_fresh_commit_to_an_emptied_group_does_not_live_longer(server: GroupServer) -> None:
    """T195: the time at which the group became Empty is what counts."""
    (member,) = server.form("g")
    client = server.client()
    client.leave("g", member.member_id)
    client.commit("g", ("orders", 1, 1))
    minutes(server, 99)
    assert client.commit("g", ("orders", 0, 5)) == [0]
    minutes(server, 1)
    assert client.committed("g") == -1
    assert client.state("g") == "Dead"


def test_a_stable_group_loses_only_what_it_is_not_subscribed_to(server: GroupServer) -> None:
    """T196."""
    (member,) = server.form("g", session_ms=1_800_000)
    client = server.client()
    client.commit("g", ("orders", 0, 5), ("returns", 0, 6), **member.ids)
    for _ in range(10):
        minutes(server, 10)
        assert member.beat() == 0
    assert client.committed("g", "orders") == 5
    assert client.committed("g", "returns") == -1


@pytest.mark.parametrize("kind", ["gathering", "completing", "connect"])
def test_nothing_expires_in_a_rebalance_or_in_a_live_group_of_another_type(server: GroupServer, kind: str) -> None:
    """T197."""
    client = server.client()
    client.commit("g", ("returns", 0, 6))
    fields: dict[str, Any] = {"session_ms": 1_800_000, "rebalance_ms": 2_000_000_000}
    if kind == "connect":
        (member,) = server.form("g", protocol_type="connect", **fields)
    elif kind == "completing":
        (member,) = server.gather("g", **fields)
    else:
        member = server.form("g", 2, **fields)[1]
        server.client().enter("g", **fields)
        server.settle()
        assert client.state("g") == "PreparingRebalance"
    for _ in range(5):
        minutes(server, 25)
        assert member.beat() in (0, 27)
    assert client.committed("g", "returns") == 6


def test_offsets_of_a_simple_group_go_one_by_one(server: GroupServer) -> None:
    """T198."""
    client = server.client()
    client.commit("g", ("orders", 0, 5))
    minutes(server, 30)
    client.commit("g", ("orders", 1, 6))
    minutes(server, 70)
    assert (client.committed("g", "orders", 0), client.committed("g", "orders", 1)) == (-1, 6)
    minutes(server, 30)
    assert client.state("g") == "Dead"


def test_an_empty_group_without_offsets_goes_at_the_next_look(server: GroupServer) -> None:
    """T199: however long the retention is."""
    (member,) = server.form("g")
    client = server.client()
    client.leave("g", member.member_id)
    assert client.state("g") == "Empty"
    minutes(server, 1)
    assert client.state("g") == "Dead"


def test_a_group_with_nothing_but_a_pending_id_goes_too(server: GroupServer) -> None:
    """T203a."""
    client = server.client()
    given = client.join("g", session_ms=1_800_000).answer().member_id
    minutes(server, 1)
    assert client.state("g") == "Dead"
    assert client.join("g", given).answer().error_code == 25


@pytest.mark.parametrize("version", [2, 3, 4])
def test_a_retention_that_an_old_client_asks_for_counts_instead_of_the_servers(
    server: GroupServer, version: int
) -> None:
    """T165, T200: only what it asks for; -1 asks for nothing."""
    client = server.client()
    assert client.commit("g", ("orders", 0, 5), retention_ms=5 * MINUTE, version=version) == [0]
    assert client.commit("g", ("orders", 1, 6), retention_ms=-1, version=version) == [0]
    minutes(server, 4)
    assert client.committed("g") == 5
    minutes(server, 1)
    assert (client.committed("g"), client.committed("g", "orders", 1)) == (-1, 6)


def test_an_expiry_of_its_own_does_not_touch_a_topic_that_is_subscribed_to(server: GroupServer) -> None:
    """T203b: it goes at the first look after the group became Empty."""
    (member,) = server.form("g", session_ms=1_800_000)
    client = server.client()
    client.commit("g", ("orders", 0, 5), retention_ms=0, version=4, **member.ids)
    minutes(server, 3)
    assert client.committed("g") == 5
    client.leave("g", member.member_id)
    minutes(server, 1)
    assert client.committed("g") == -1


def test_the_longest_retention_does_not_overflow() -> None:
    """T204."""
    with GroupServer({**RETENTION, "offsets.retention.minutes": "2147483647"}) as server:
        client = server.client()
        client.commit("g", ("orders", 0, 5))
        server.pass_time(1_000 * MINUTE, step_ms=100 * MINUTE)
        assert client.committed("g") == 5


# ---- what a client sees of a log that was written before


def append(server: GroupServer, group: str, *batches: bytes) -> None:
    """Put batches into the group's partition behind the coordinator's back; it reads them at the next load."""
    server.lose(group)
    log = server.node.broker.partition(CONSUMER_OFFSETS, server.partition_of(group)).log

    def write() -> None:
        for batch in batches:
            log.append(batch, parse_header(batch, 0), 0, server.clock.now_ms())
        server.node.durable.soon()

    server.run(write)
    server.settle()
    server.take_over(group)


def offset_record(offset: int) -> tuple[bytes, bytes | None]:
    (pair,) = encode_records([OffsetCommitted("g", "orders", 0, offset, -1, "", 1_700_000_000_000)])
    return pair


def transactional(offset: int, *, marker: int) -> list[bytes]:
    """A transactional commit and its end marker: 0 aborts, 1 commits."""
    key, value = offset_record(offset)
    producer = {"producer_id": 9, "producer_epoch": 0, "transactional": True}
    control = Record(0, 1, bytes((0, 0, 0, marker)), bytes(6))
    return [
        encode_batch([Record(0, 1, key, value)], base_sequence=0, **producer),  # type: ignore[arg-type]
        encode_batch([control], control=True, **producer),  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize(("marker", "expected"), [(0, 5), (1, 9)])
def test_offsets_of_a_transaction_count_only_if_it_was_committed(
    server: GroupServer, marker: int, expected: int
) -> None:
    client = server.client()
    client.commit("g", ("orders", 0, 5))
    append(server, "g", *transactional(9, marker=marker))
    assert client.committed("g") == expected


def test_an_aborted_offset_followed_by_a_plain_one_leaves_the_plain_one(server: GroupServer) -> None:
    """T212."""
    append(server, "g", *transactional(9, marker=0), encode_pairs([offset_record(7)], 1))
    assert server.client().committed("g") == 7


def test_records_of_unknown_types_are_skipped(server: GroupServer) -> None:
    """T206."""
    client = server.client()
    client.commit("g", ("orders", 0, 5))
    append(server, "g", encode_pairs([(b"\0\x63what", b"ever")], 1))
    assert client.committed("g") == 5
    assert server.run(lambda: server.node.coordinator.unknown_records) == 1


def test_a_record_that_cannot_be_decoded_is_skipped_and_its_neighbours_are_not(server: GroupServer) -> None:
    """T211. Deviates: Kafka fails the load of the shard."""
    client = server.client()
    key, value = offset_record(7)
    assert value is not None
    append(server, "g", encode_pairs([(key, value[:3]), (key, value), (b"\0\1", value)], 1))
    assert client.committed("g") == 7
    assert server.run(lambda: server.node.coordinator.undecodable_records) == 2


def test_an_emptied_group_is_loaded_with_its_type_and_the_time_it_became_empty(server: GroupServer) -> None:
    """T213."""
    (member,) = server.form("g", protocols=[("range", subscription("orders"))])
    client = server.client()
    client.commit("g", ("orders", 0, 5), generation=1, member_id=member.member_id)
    client.leave("g", member.member_id)
    minutes(server, 50)
    server.lose("g")
    server.take_over("g")
    entry = client.describe("g")
    assert (entry.group_state, entry.protocol_type) == ("Empty", "consumer")
    minutes(server, 49)
    assert client.committed("g") == 5
    minutes(server, 1)
    assert client.state("g") == "Dead"
