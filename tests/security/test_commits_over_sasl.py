"""A connection that knows a commit again still serves nobody who has to show who he is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from muster.server.sasl_session import SaslSession
from muster.topics.creation import NewTopic
from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer
from tests.server.groups.group_client import codes, commit_request
from tests.server.raw_client import request_frame
from tests.server.repeats import serves_repeats_if_it_may

NOT_COORDINATOR = 16
"""Nobody has looked for the coordinator yet: all the same to a commit that is known again."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureServer]:
    folder: Path = tmp_path_factory.mktemp("commits")
    with SecureServer(folder, {"connections.max.reauth.ms": "3600000"}) as running:
        running.running.run(running.running.node.broker.create_topics, [NewTopic("orders", 1)])
        yield running


@pytest.fixture
def client(server: SecureServer) -> Iterator[RawSaslClient]:
    """It has committed until its connection knew its commits."""
    with RawSaslClient(server.port("SASL_PLAINTEXT")) as connected:
        assert connected.plain().error_code == 0
        for offset in range(4):
            assert commit(connected, offset) == [NOT_COORDINATOR]
        assert serves_repeats_if_it_may(server.connection_of(connected.local_port), "OffsetCommit")
        yield connected


def commit(client: RawSaslClient, offset: int) -> list[int]:
    return codes(client.ask("OffsetCommit", 9, commit_request("g", ("orders", 0, offset))))


def change(server: SecureServer, client: RawSaslClient, step: Callable[[SaslSession], None]) -> None:
    session = server.connection_of(client.local_port).sasl
    assert session is not None
    server.running.run(step, session)


def age(session: SaslSession) -> None:
    """As if it had authenticated a while ago."""
    session.proven_at -= 10


def test_a_known_commit_after_the_session_expired_closes_the_connection(
    server: SecureServer, client: RawSaslClient
) -> None:
    change(server, client, SaslSession.expire)
    client.send(request_frame("OffsetCommit", 9, commit_request("g", ("orders", 0, 5))))
    assert client.is_closed_by_server()


def test_a_known_commit_in_the_middle_of_authenticating_again_closes_the_connection(
    server: SecureServer, client: RawSaslClient
) -> None:
    change(server, client, age)
    assert client.handshake("PLAIN").error_code == 0
    client.send(request_frame("OffsetCommit", 9, commit_request("g", ("orders", 0, 5))))
    assert client.is_closed_by_server()


def test_who_has_authenticated_again_goes_on_committing(server: SecureServer, client: RawSaslClient) -> None:
    change(server, client, age)
    assert client.plain().error_code == 0
    assert commit(client, 5) == [NOT_COORDINATOR]
