"""A JoinGroup or SyncGroup that waits tells members and assignments only to somebody who may still read the group."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.security.acls import Acl, AclFilter
from muster.security.resources import Operation, Pattern, Permission, ResourceType
from muster.wire.errors import GROUP_AUTHORIZATION_FAILED
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer
from tests.server.groups.group_client import join_request
from tests.server.raw_client import request_frame

AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
READ = Acl(ResourceType.GROUP, "g", Pattern.LITERAL, "User:alice", "*", Operation.READ, Permission.ALLOW)


class Scene:
    """Bob leads group `g`, and a JoinGroup of alice waits for him."""

    def __init__(self, server: SecureServer, alice: RawSaslClient, bob: RawSaslClient) -> None:
        self.server, self.alice, self.bob = server, alice, bob
        assert (alice.plain("alice").error_code, bob.plain("bob").error_code) == (0, 0)
        server.running.run(server.running.node.acls.create, [READ])
        while bob.ask("FindCoordinator", 3, FindCoordinatorRequest("g", 0)).error_code:
            pass  # the first answer says to come again
        self.bob_id = self.first_join(bob).member_id
        assert bob.ask("JoinGroup", 9, join_request("g", self.bob_id)).error_code == 0
        self.alice_id = self.first_join(alice).member_id
        alice.send(request_frame("JoinGroup", 9, join_request("g", self.alice_id)))
        self.until_it_waits()

    def first_join(self, client: RawSaslClient) -> Any:
        while True:
            given = client.ask("JoinGroup", 9, join_request("g"))
            if given.error_code == 79:
                return given
            assert given.error_code == 14, "it may still load, and nothing else"

    def until_it_waits(self) -> None:
        connection = self.server.connection_of(self.alice.local_port)
        self.server.until(lambda: connection.call is not None)

    def take_the_right_away(self) -> None:
        self.server.running.run(self.server.running.node.acls.delete, [AclFilter(name="g")])


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    settings = {"authorizer.class.name": AUTHORIZER, "super.users": "User:bob"}
    with (
        SecureServer(tmp_path, settings) as server,
        RawSaslClient(server.port("SASL_PLAINTEXT")) as alice,
        RawSaslClient(server.port("SASL_PLAINTEXT")) as bob,
    ):
        yield Scene(server, alice, bob)


def test_a_join_that_waited_is_refused_after_the_right_was_taken_away(scene: Scene) -> None:
    scene.take_the_right_away()
    scene.bob.send(request_frame("JoinGroup", 9, join_request("g", scene.bob_id)))
    joined = scene.alice.read("JoinGroup", 9)
    assert (joined.error_code, list(joined.members)) == (GROUP_AUTHORIZATION_FAILED, [])
    assert scene.bob.read("JoinGroup", 9).error_code == 0


def test_a_sync_that_waited_is_refused_after_the_right_was_taken_away(scene: Scene) -> None:
    scene.bob.send(request_frame("JoinGroup", 9, join_request("g", scene.bob_id)))
    generation = scene.alice.read("JoinGroup", 9).generation_id
    assert scene.bob.read("JoinGroup", 9).error_code == 0

    def sync(member_id: str, *assignments: SyncGroupRequestAssignment) -> SyncGroupRequest:
        return SyncGroupRequest("g", generation, member_id, None, "consumer", "range", assignments)

    scene.alice.send(request_frame("SyncGroup", 5, sync(scene.alice_id)))
    scene.until_it_waits()
    scene.take_the_right_away()
    plan = [SyncGroupRequestAssignment(each, b"secret plan") for each in (scene.alice_id, scene.bob_id)]
    assert scene.bob.ask("SyncGroup", 5, sync(scene.bob_id, *plan)).assignment == b"secret plan"
    answer = scene.alice.read("SyncGroup", 5)
    assert (answer.error_code, answer.assignment) == (GROUP_AUTHORIZATION_FAILED, b"")
