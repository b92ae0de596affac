"""TxnOffsetCommit asked over TCP, and what OffsetFetch shows of it (spec 4.6, 11.13).

The transaction coordinator says here what a test wants, at first that all is well; tests/server/transactions has the real one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.core.records import EndTransactionMarker
from muster.core.replies import MarkerReply
from muster.core.transactions.replies import AddPartitionsReply
from muster.core.transactions.requests import AddPartitions, TransactionRequest
from muster.runtime import node
from muster.runtime.coordinator_shards import LedPartition, ShardState
from muster.runtime.tickets import Redeemable
from muster.runtime.transaction_coordinator import TransactionCoordinator
from muster.wire.errors import (
    INVALID_PRODUCER_EPOCH,
    INVALID_PRODUCER_ID_MAPPING,
    MESSAGE_TOO_LARGE,
    NETWORK_EXCEPTION,
    NONE,
    TRANSACTION_ABORTABLE,
)
from muster.wire.generated.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from muster.wire.generated.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from muster.wire.value import Value
from tests.server.groups.group_client import GroupClient
from tests.server.groups.group_server import GroupServer

VERSIONS = range(6)


@pytest.fixture(autouse=True)
def _all_is_well(monkeypatch: pytest.MonkeyPatch) -> None:
    verifying(monkeypatch, NONE)


@pytest.fixture
def server() -> Iterator[GroupServer]:
    with GroupServer() as running:
        yield running


def request(
    *offsets: tuple[str, int, int],
    group: str = "g",
    transactional_id: str = "tx",
    epoch: int = 0,
    generation: int = -1,
    member_id: str = "",
    metadata: str | None = "",
) -> TxnOffsetCommitRequest:
    return TxnOffsetCommitRequest(
        transactional_id,
        group,
        9,
        epoch,
        generation,
        member_id,
        None,
        [
            TxnOffsetCommitRequestTopic(topic, [TxnOffsetCommitRequestPartition(partition, offset, -1, metadata)])
            for topic, partition, offset in offsets
        ],
    )


def answered(
    client: GroupClient, version: int, asked: TxnOffsetCommitRequest
) -> list[tuple[str, list[tuple[int, int]]]]:
    reply = client.call("TxnOffsetCommit", version, asked)
    return [(topic.name, [(p.partition_index, p.error_code) for p in topic.partitions]) for topic in reply.topics]


def code(client: GroupClient, version: int, **fields: Any) -> int:
    ((_, ((_, error),)),) = answered(client, version, request(("orders", 0, 5), **fields))
    return error


class Marked(Redeemable):
    def __init__(self) -> None:
        super().__init__()
        self.error = -99

    @property
    def is_abandoned(self) -> bool:
        return False

    def redeem(self, reply: Value) -> None:
        assert isinstance(reply, MarkerReply)
        self.error = reply.error


def end(server: GroupServer, *, commit: bool, group: str = "g") -> int:
    """As the transaction coordinator does."""
    ticket = Marked()
    marker = EndTransactionMarker(9, 0, commit, 0)
    server.run(server.node.coordinator.end_transaction, server.partition_of(group), marker, ticket)
    server.settle()
    return ticket.error


def fetched(client: GroupClient, version: int, partitions: Sequence[int]) -> list[tuple[int, int, str, int]]:
    if version >= 8:
        reply = client.fetch_offsets("g", [("orders", list(partitions))], version=version, stable=True).groups[0]
    else:
        topics = [OffsetFetchRequestTopic("orders", list(partitions))]
        reply = client.call("OffsetFetch", version, OffsetFetchRequest("g", topics, require_stable=True))
    return [
        (each.partition_index, each.committed_offset, each.metadata, each.error_code)
        for each in reply.topics[0].partitions
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_T181_a_transaction_is_committed_and_another_aborted(server: GroupServer, version: int) -> None:
    client = server.client()
    assert answered(client, version, request(("orders", 0, 5), ("orders", 1, 6), ("returns", 1, 7))) == [
        ("orders", [(0, 0)]),
        ("orders", [(1, 0)]),
        ("returns", [(1, 0)]),
    ]
    assert client.committed("g") == -1
    assert end(server, commit=True) == NONE
    assert (client.committed("g"), client.committed("g", "returns", 1)) == (5, 7)
    assert code(client, version) == NONE
    assert end(server, commit=False) == NONE
    assert client.committed("g") == 5


@pytest.mark.parametrize("version", [7, 8, 9])
@pytest.mark.parametrize("metadata", ["", "note"])
def test_T175_a_stable_fetch_shows_which_partitions_are_unstable(
    server: GroupServer, version: int, metadata: str
) -> None:
    client = server.client()
    client.commit("g", ("orders", 0, 1), ("orders", 1, 2), metadata=metadata)
    answered(client, 3, request(("orders", 1, 5), ("orders", 2, 6)))
    assert fetched(client, version, [0, 1, 2]) == [(0, 1, metadata, 0), (1, -1, "", 88), (2, -1, "", 88)]
    assert client.committed("g", "orders", 1) == 2
    end(server, commit=True)
    assert fetched(client, version, [0, 1, 2]) == [(0, 1, metadata, 0), (1, 5, "", 0), (2, 6, "", 0)]


def test_T176_all_of_a_group_lists_no_partition_with_nothing_but_a_pending_offset(server: GroupServer) -> None:
    client = server.client()
    client.commit("g", ("orders", 1, 2))
    answered(client, 3, request(("orders", 1, 5), ("orders", 2, 6), ("returns", 0, 7)))
    (group,) = client.fetch_offsets("g", None, stable=True).groups
    found = [
        (t.name, [(p.partition_index, p.committed_offset, p.error_code) for p in t.partitions]) for t in group.topics
    ]
    assert found == [("orders", [(1, -1, 88)])]


def test_T186_members_are_checked_if_they_name_themselves(server: GroupServer) -> None:
    (member,) = server.form("g")
    client = server.client()
    assert code(client, 2) == NONE
    assert code(client, 3, generation=1, member_id=member.member_id) == NONE
    assert code(client, 3, generation=7, member_id=member.member_id) == 22
    assert code(client, 3, generation=1, member_id="stranger") == 25
    assert code(client, 5, group="unknown", generation=3) == 22


@pytest.mark.parametrize(("version", "expected"), [(0, 15), (1, 15), (2, 14), (5, 14)])
def test_T189_while_the_shard_is_loading_old_versions_hear_that_it_is_not_available(
    server: GroupServer, version: int, expected: int
) -> None:
    places, partition = server.node.coordinator.places, server.partition_of("g")
    server.run(places.__setitem__, partition, LedPartition(partition, 5, ShardState.LOADING))
    assert code(server.client(), version) == expected


def test_a_shard_elsewhere_or_no_coordinator_at_all_is_told_on_every_partition(server: GroupServer) -> None:
    server.lose("g")
    assert code(server.client(), 5) == 16
    with GroupServer(with_coordinator=False) as fresh:
        assert code(fresh.client(), 5) in (15, 16)


def test_unknown_partitions_are_answered_first_and_alone_they_make_no_group(server: GroupServer) -> None:
    """As T162 and T163: a request with nothing but unknown topics is answered 3 without a group check."""
    client = server.client()
    assert answered(client, 5, request(("nothing", 0, 1), ("orders", 9, 1), generation=77)) == [
        ("nothing", [(0, 3)]),
        ("orders", [(9, 3)]),
    ]
    assert answered(client, 5, request()) == []
    assert answered(client, 5, request(("nothing", 0, 1), group="")) == [("nothing", [(0, 3)])]
    assert client.state("g") == "Dead"
    assert answered(client, 5, request(("orders", 0, 1), ("orders", -1, 1), ("returns", 5, 1))) == [
        ("orders", [(-1, 3), (0, 0)]),
        ("returns", [(5, 3)]),
    ]


def test_an_empty_group_id_and_long_metadata_are_refused(server: GroupServer) -> None:
    client = server.client()
    assert code(client, 5, group="") == 24
    assert code(client, 5, metadata="x" * 5_000) == 12
    assert code(client, 5, metadata=None) == 0


def test_an_older_epoch_is_fenced(server: GroupServer) -> None:
    client = server.client()
    assert code(client, 5, epoch=3) == NONE
    assert code(client, 5, epoch=2) == INVALID_PRODUCER_EPOCH


# ---- the transaction is verified


def verifying(monkeypatch: pytest.MonkeyPatch, error: int) -> list[AddPartitions]:
    """The coordinator says this; what it was asked."""
    asked: list[AddPartitions] = []
    monkeypatch.setattr(SaysWhatATestWants, "error", error)
    monkeypatch.setattr(SaysWhatATestWants, "asked", asked)
    monkeypatch.setattr(node, "TransactionCoordinator", SaysWhatATestWants)
    return asked


class SaysWhatATestWants(TransactionCoordinator):
    error = NONE
    asked: ClassVar[list[AddPartitions]] = []

    def submit(self, request: TransactionRequest, ticket: Redeemable) -> None:
        assert isinstance(request, AddPartitions)
        self.asked.append(request)
        self._call_soon(lambda: ticket.redeem(AddPartitionsReply(self.error)))


@pytest.mark.parametrize(
    ("version", "error", "expected"),
    [
        (5, NETWORK_EXCEPTION, 14),
        (2, NETWORK_EXCEPTION, 14),
        (1, NETWORK_EXCEPTION, 15),
        (4, TRANSACTION_ABORTABLE, 120),
        (3, TRANSACTION_ABORTABLE, 48),
        (0, TRANSACTION_ABORTABLE, 48),
        (5, INVALID_PRODUCER_EPOCH, 47),
        (0, INVALID_PRODUCER_ID_MAPPING, 49),
        (5, 3, 15),
        (5, MESSAGE_TOO_LARGE, -1),
        (5, NONE, NONE),
    ],
)
def test_T190_what_the_transaction_coordinator_says_is_told_in_the_words_of_the_version(
    server: GroupServer, monkeypatch: pytest.MonkeyPatch, version: int, error: int, expected: int
) -> None:
    asked = verifying(monkeypatch, error)
    client = server.client()
    assert answered(client, version, request(("orders", 0, 5), ("nothing", 0, 5))) == [
        ("nothing", [(0, 3)]),
        ("orders", [(0, expected)]),
    ]
    place = (CONSUMER_OFFSETS, (server.partition_of("g"),))
    (question,) = asked
    assert (question.transactional_id, question.producer_id, question.producer_epoch) == ("tx", 9, 0)
    assert (question.topics, question.verify_only) == ((place,), version < 5)
    assert (client.state("g") == "Dead") is (expected != NONE)


def test_no_transaction_is_asked_about_for_what_is_refused_anyway(
    server: GroupServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = verifying(monkeypatch, NONE)
    client = server.client()
    code(client, 5, group="")
    answered(client, 5, request(("nothing", 0, 1)))
    server.lose("g")
    code(client, 5)
    assert not asked


# ---- rights

RULES = """
[[allow]]
principal = "User:*"
operation = "ALL"
resource = "cluster"

[[allow]]
principal = "User:*"
operation = "READ"
resource = "group"
name = "g"

[[allow]]
principal = "User:*"
operation = "WRITE"
resource = "transactional_id"
name = "tx"

[[allow]]
principal = "User:*"
operation = "READ"
resource = "topic"
name = "orders"
"""


def test_rights_are_asked_for_in_the_order_transaction_group_topic(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES)
    with GroupServer({"muster.rules": str(rules)}, with_coordinator=False) as server:
        client = server.client()
        everything = [("orders", 0, 1), ("nothing", 3, 1)]
        for fields, expected in (({"transactional_id": "other", "group": "other"}, 53), ({"group": "other"}, 30)):
            assert answered(client, 5, request(*everything, **fields)) == [  # type: ignore[arg-type]
                ("orders", [(0, expected)]),
                ("nothing", [(3, expected)]),
            ]
        assert answered(client, 5, request(("returns", 0, 1), ("nothing", 0, 1))) == [
            ("returns", [(0, 29)]),
            ("nothing", [(0, 29)]),
        ]


def test_pending_offsets_count_among_what_a_principal_may_have_the_server_hold() -> None:
    with GroupServer({"muster.max.offsets.per.principal": "2"}) as server:
        client = server.client()
        assert [code(client, 5), code(client, 5)] == [0, 0]
        assert answered(client, 5, request(("orders", 1, 1), ("orders", 2, 1))) == [
            ("orders", [(1, 44)]),
            ("orders", [(2, 44)]),
        ]
        assert client.commit("g", ("orders", 1, 1)) == [0]
        assert client.commit("g", ("orders", 2, 1)) == [44]
        assert end(server, commit=True) == NONE
        assert client.commit("g", ("orders", 0, 1), ("orders", 2, 1)) == [44, 44]
