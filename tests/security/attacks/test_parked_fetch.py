"""A Fetch that waits is judged anew when it is answered: by then the right may be gone, or the authentication may have expired."""

from __future__ import annotations

from pathlib import Path

from muster.security.acls import Acl, AclFilter
from muster.security.resources import Operation, Pattern, Permission, ResourceType
from muster.server.limits import LONGEST_FETCH_WAIT_MS
from muster.wire.errors import TOPIC_AUTHORIZATION_FAILED
from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer
from tests.server.broker.whole_server import batch, create, fetch_request, produce
from tests.server.raw_client import request_frame

AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
READ = Acl(ResourceType.TOPIC, "secret", Pattern.LITERAL, "User:alice", "*", Operation.READ, Permission.ALLOW)


def park(server: SecureServer, client: RawSaslClient, max_wait_ms: int = 600_000) -> None:
    client.send(request_frame("Fetch", 12, fetch_request("secret", max_wait_ms=max_wait_ms)))
    server.until(lambda: len(server.running.node.long_polls) == 1)


def test_records_are_not_delivered_after_the_right_was_taken_away(tmp_path: Path) -> None:
    settings = {"authorizer.class.name": AUTHORIZER, "super.users": "User:bob"}
    with (
        SecureServer(tmp_path, settings) as server,
        RawSaslClient(server.port("SASL_PLAINTEXT")) as alice,
        RawSaslClient(server.port("SASL_PLAINTEXT")) as bob,
    ):
        assert (alice.plain("alice").error_code, bob.plain("bob").error_code) == (0, 0)
        create(bob, "secret")
        acls = server.running.node.acls
        server.running.run(acls.create, [READ])
        park(server, alice)
        server.running.run(acls.delete, [AclFilter(name="secret")])
        assert produce(bob, "secret", batch(b"not for alice")).error_code == 0
        (topic,) = alice.read("Fetch", 12).responses
        (partition,) = topic.partitions
        assert (partition.error_code, partition.records) == (TOPIC_AUTHORIZATION_FAILED, b"")


def test_records_are_not_delivered_after_the_authentication_expired(tmp_path: Path) -> None:
    with SecureServer(tmp_path) as server, RawSaslClient(server.port("SASL_PLAINTEXT")) as alice:
        alice.plain("alice")
        with RawSaslClient(server.port("PLAINTEXT")) as anybody:
            create(anybody, "secret")
            park(server, alice)
            session = server.connection_of(alice.local_port).sasl
            assert session is not None
            server.running.run(session.expire)
            assert produce(anybody, "secret", batch(b"too late")).error_code == 0
        assert alice.is_closed_by_server()


def test_a_wait_has_a_longest(tmp_path: Path) -> None:
    """max_wait_ms has 31 bits: 24 days."""
    with SecureServer(tmp_path) as server, RawSaslClient(server.port("PLAINTEXT")) as client:
        create(client, "secret")
        park(server, client, max_wait_ms=2**31 - 1)
        node = server.running.node
        (poll,) = server.running.run(lambda: next(iter(node.long_polls._by_log.values())))
        deadline_ms = server.running.run(lambda: node.long_polls._wheel.timer_of(poll).deadline_ms)
        assert deadline_ms - node.clock.ticks_ms() <= LONGEST_FETCH_WAIT_MS
