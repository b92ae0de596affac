"""How nodes of a cluster know each other: both know its secret, and talk to whom they believe to talk to."""

from __future__ import annotations

import os

import pytest

from muster.log.contract import DocumentChanged, StorageError
from muster.log.memory import MemoryStore
from muster.security.node_proof import DOCUMENT, NodeClaim, NodeExchange, new_nonce, shared_secret
from muster.security.sasl import Accepted, AuthenticationFailed, Challenge, is_node
from muster.wire.errors import ILLEGAL_SASL_STATE
from muster.wire.generated.sasl_handshake import SaslHandshakeRequest
from tests.server.groups.group_server import GroupServer
from tests.server.raw_client import RawClient

SECRET, OTHER_SECRET = b"s" * 32, b"o" * 32
SHOWN, FORGED = b"the node's certificate", b"somebody else's"


def claim(secret: bytes = SECRET, seen: bytes = SHOWN) -> NodeClaim:
    return NodeClaim(secret, 3, new_nonce(os.urandom), seen)


def exchange(secret: bytes = SECRET, shown: bytes = SHOWN) -> NodeExchange:
    return NodeExchange(secret, new_nonce(os.urandom), shown)


def challenged(server: NodeExchange, client: NodeClaim) -> bytes:
    step = server.step(client.first_token)
    assert isinstance(step, Challenge)
    return step.token


def test_a_node_that_knows_the_secret_is_a_node() -> None:
    server, client = exchange(), claim()
    accepted = server.step(client.answer(challenged(server, client)))
    assert accepted == Accepted("3", principal_type="Node")
    assert is_node("Node:3")
    assert not is_node("User:Node:3")


def test_a_server_that_does_not_know_the_secret_is_told_nothing() -> None:
    server, client = exchange(OTHER_SECRET), claim()
    with pytest.raises(AuthenticationFailed, match="not a node of this cluster"):
        client.answer(challenged(server, client))


@pytest.mark.parametrize("answer", [b"", b"x" * 32])
def test_a_client_that_does_not_know_the_secret_is_refused(answer: bytes) -> None:
    server, client = exchange(), claim(OTHER_SECRET)
    challenged(server, client)
    with pytest.raises(AuthenticationFailed, match="not a node of this cluster"):
        server.step(answer)


def test_what_the_server_said_does_not_do_as_the_clients_proof() -> None:
    server, client = exchange(), claim()
    with pytest.raises(AuthenticationFailed):
        server.step(challenged(server, client)[32:])


def test_somebody_in_between_with_another_certificate_is_found_out() -> None:
    """The tokens are passed on as they are; but what the client saw is not what the server showed."""
    server, client = exchange(), claim(seen=FORGED)
    with pytest.raises(AuthenticationFailed):
        client.answer(challenged(server, client))


@pytest.mark.parametrize("token", [b"", b"x" * 35, b"x" * 37])
def test_a_first_token_of_another_size_is_refused(token: bytes) -> None:
    with pytest.raises(AuthenticationFailed, match="first token"):
        exchange().step(token)


# -- the secret


def test_the_first_node_makes_the_secret_and_all_others_read_it() -> None:
    store = MemoryStore()
    made = shared_secret(store, os.urandom)
    assert len(made) == 32
    assert shared_secret(store, os.urandom) == made


def test_of_two_nodes_that_make_it_at_once_the_second_takes_the_firsts() -> None:
    class Raced(MemoryStore):
        def write_document(self, name: str, content: bytes) -> None:
            super().write_document(name, b'{"version": 1, "secret": "%s"}' % (b"ab" * 32))
            raise DocumentChanged("another node was quicker")

    assert shared_secret(Raced(), os.urandom) == b"\xab" * 32


@pytest.mark.parametrize("content", [b"", b"{}", b'{"secret": "ab"}', b'{"secret": 5}', b"[1]"])
def test_a_secret_that_cannot_be_read_is_not_replaced(content: bytes) -> None:
    store = MemoryStore()
    store.write_document(DOCUMENT, content)
    with pytest.raises(StorageError, match="delete it"):
        shared_secret(store, os.urandom)
    assert store.read_document(DOCUMENT) == content


def test_a_server_that_is_alone_takes_nobody_for_a_node() -> None:
    with GroupServer() as server, RawClient(server.port) as client:
        assert client.ask("SaslHandshake", 1, SaslHandshakeRequest("MUSTER-NODE")).error_code == ILLEGAL_SASL_STATE
