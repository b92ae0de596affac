"""Every served API x allowed, denied, partly denied, over TCP, with ACLs that change between two requests (spec 9).

Beyond that: exactly the operations that imply the right are enough, a denial beats ALL, and a denied request changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from muster.security.acls import Acl, AclFilter
from muster.security.resources import ALLOWED_BY, CLUSTER_NAME, OPERATIONS_ON, Operation, Pattern, Permission
from muster.server.handlers.table import SERVED
from muster.server.running import RunningServer
from muster.topics.creation import NewTopic
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.init_producer_id import InitProducerIdRequest
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.security.rights import CLUSTER, GROUP, MINE, NOTHING_NEEDED, THEIRS, TOPIC, TRANSACTIONAL_ID, Grant, Right
from tests.security.rights_of_topics import NEW
from tests.security.rights_page import ALL_RIGHTS, PAGE, with_table
from tests.server.broker.whole_server import whole_server
from tests.server.raw_client import RawClient

ANONYMOUS = "User:ANONYMOUS"
SETTINGS = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
}
EVERYTHING = [(Operation.ALL, kind) for kind in (TOPIC, GROUP, CLUSTER, TRANSACTIONAL_ID)]


class Server:
    """A server whose ACLs a test sets from one request to the next."""

    def __init__(self, running: RunningServer) -> None:
        self.running = running
        self.node = running.node
        self.client = RawClient(running.port)

    def grant(
        self, grants: Sequence[Grant], names: Sequence[str] = (MINE, THEIRS), denials: Sequence[Grant] = ()
    ) -> None:
        """These rights and no others."""
        acls = [
            Acl(kind, name, Pattern.LITERAL, ANONYMOUS, "*", operation, permission)
            for each, permission in ((grants, Permission.ALLOW), (denials, Permission.DENY))
            for operation, kind in each
            for name in (_names(kind, names))
        ]
        self.running.run(lambda: (self.node.acls.delete([AclFilter()]), self.node.acls.create(acls)))

    def also_grant(self, grants: Sequence[Grant], names: Sequence[str]) -> None:
        acls = [
            Acl(kind, name, Pattern.LITERAL, ANONYMOUS, "*", operation, Permission.ALLOW)
            for operation, kind in grants
            for name in _names(kind, names)
        ]
        self.running.run(self.node.acls.create, acls)

    def prepare(self) -> None:
        """Both topics, both groups and both transactional ids exist, and what requests make does not."""
        self.grant(EVERYTHING)
        self.running.run(self._remake_topics)
        for group in (MINE, THEIRS):
            partitions = [OffsetCommitRequestPartition(0, 1)]
            topics = [OffsetCommitRequestTopic(name, partitions=partitions) for name in (MINE, THEIRS)]
            reply = self.client.ask("OffsetCommit", 9, OffsetCommitRequest(group, topics=topics))
            assert reply.topics[0].partitions[0].error_code in (0, 25), "25: a member is in it from another request"

        for name in (MINE, THEIRS):
            self.client.ask("InitProducerId", 4, InitProducerIdRequest(name, 60_000))

    def _remake_topics(self) -> None:
        broker = self.node.broker
        broker.delete_topics([(NEW + name, bytes(16)) for name in (MINE, THEIRS)])
        broker.create_topics([NewTopic(name) for name in (MINE, THEIRS) if broker.topic(name) is None])

    def codes(self, right: Right) -> dict[str, int]:
        return right.codes(self.client.ask(right.api, right.version, right.request(right.names)))


def _names(kind: object, names: Sequence[str]) -> Sequence[str]:
    if kind is CLUSTER:
        return (CLUSTER_NAME,)
    return (*names, *(NEW + name for name in names)) if kind is TOPIC else names


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with whole_server(SETTINGS) as running:
        server = Server(running)
        server.grant(EVERYTHING)
        for key_type in (0, 1):
            ask = FindCoordinatorRequest("", key_type, [MINE])
            for _ in range(1_000):
                if server.client.ask("FindCoordinator", 4, ask).coordinators[0].error_code == 0:
                    break
        yield server
        server.client.close()


@pytest.fixture
def server(shared: Server) -> Server:
    shared.prepare()
    return shared


def test_every_served_api_stands_in_the_table() -> None:
    """Whoever serves a new API says here what it needs: tests/security/rights*.py, then `python -m tests.security.rights_page`."""
    stated = {right.api for right in ALL_RIGHTS} | set(NOTHING_NEEDED)
    assert set(SERVED) - stated == set()


def test_the_table_in_the_documentation_is_this_one() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_table(page), "docs/security.md is out of date: run `python -m tests.security.rights_page`"


@pytest.mark.parametrize("right", ALL_RIGHTS, ids=str)
def test_allowed(server: Server, right: Right) -> None:
    server.grant([right.needs, *right.also])
    codes = server.codes(right)
    assert set(codes) == set(right.names)
    assert right.denied not in codes.values()


@pytest.mark.parametrize("right", ALL_RIGHTS, ids=str)
def test_denied(server: Server, right: Right) -> None:
    """And nothing has changed: the same topics are there, the same groups."""
    before = _usage(server)
    server.grant(right.also)
    assert server.codes(right) == dict.fromkeys(right.names, right.denied)
    assert _usage(server) == before


@pytest.mark.parametrize("right", [right for right in ALL_RIGHTS if right.several], ids=str)
def test_partly_denied(server: Server, right: Right) -> None:
    """Each is answered for itself: what may be done is done, the other is refused."""
    server.grant(right.also)
    server.also_grant([right.needs], [MINE])
    codes = server.codes(right)
    assert codes[THEIRS] == right.denied
    assert codes[MINE] != right.denied


@pytest.mark.parametrize("right", [right for right in ALL_RIGHTS if right.instead], ids=str)
def test_another_right_does_as_well(server: Server, right: Right) -> None:
    assert right.instead is not None
    server.grant([right.instead, *right.also])
    assert right.denied not in server.codes(right).values()


@pytest.mark.parametrize("right", ALL_RIGHTS, ids=str)
def test_only_operations_that_imply_the_right_are_enough(server: Server, right: Right) -> None:
    """ALL, the operation itself, and what implies it; no other operation on the same resource."""
    needed, kind = right.needs
    implied = {*ALLOWED_BY.get(needed, {needed, Operation.ALL}), *_instead_on(right, kind)}
    for operation in (*OPERATIONS_ON[kind], Operation.ALL):
        server.prepare()
        server.grant([(operation, kind), *right.also])
        is_denied = right.denied in server.codes(right).values()
        assert is_denied == (operation not in implied), operation.name


@pytest.mark.parametrize("right", ALL_RIGHTS, ids=str)
def test_a_denial_beats_a_permission_to_do_everything(server: Server, right: Right) -> None:
    kind = right.needs[1]
    denials = [right.needs, *((operation, kind) for operation in _instead_on(right, kind))]
    server.grant([(Operation.ALL, kind), *right.also], denials=denials)
    assert server.codes(right) == dict.fromkeys(right.names, right.denied)


def _instead_on(right: Right, kind: object) -> list[Operation]:
    """The operation on the same resource that does as well, if there is one."""
    return [right.instead[0]] if right.instead is not None and right.instead[1] is kind else []


def _usage(server: Server) -> object:
    def look() -> object:
        topics = {topic.name: len(topic.partitions) for topic in server.node.broker.catalog.topics()}
        groups = [sorted(shard.groups) for shard in server.node.coordinator.shards()]
        return topics, groups, sorted(topics)

    return server.running.run(look)
