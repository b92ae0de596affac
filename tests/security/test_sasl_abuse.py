"""Strangers at a SASL listener who do not play by the rules: what they cost ends with them, and nobody waits for them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from muster.log_limit import LINES
from muster.wire.generated.metadata import MetadataRequest
from muster.wire.generated.sasl_authenticate import SaslAuthenticateRequest
from muster.wire.generated.sasl_handshake import SaslHandshakeRequest
from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer
from tests.server.raw_client import frame, request_frame

WRONG, RIGHT = b"\0alice\0wrong", b"\0alice\0correct-horse"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SecureServer]:
    settings = {"connection.failed.authentication.delay.ms": "10000", "muster.max.connections.per.user": "1"}
    with SecureServer(tmp_path, settings) as running:
        yield running


def test_bytes_behind_a_bare_token_that_waits_for_its_answer_are_kept_up_to_a_limit(
    server: SecureServer, caplog: pytest.LogCaptureFixture
) -> None:
    """sasl.server.max.receive.size. The answer to a failure comes late (KIP-306): time enough to send gigabytes."""
    with RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
        client.handshake("PLAIN", 0)
        client.send(frame(WRONG))
        with pytest.raises(ConnectionError):
            client.send(b"x" * 64_000_000)
    server.until(lambda: not server.connections)
    assert "more than 524288 bytes came before the last one was answered" in caplog.text


def test_requests_sent_along_with_a_bare_token_are_not_served_if_there_is_no_room(server: SecureServer) -> None:
    """muster.max.connections.per.user counts before anything is served."""
    port = server.port("SASL_PLAINTEXT")
    with RawSaslClient(port) as first, RawSaslClient(port) as second:
        assert first.plain().error_code == 0
        second.handshake("PLAIN", 0)
        served = server.traffic.requests
        second.send(frame(RIGHT) + request_frame("Metadata", 9, MetadataRequest([])))
        assert second.read_frame() == b""
        assert second.is_closed_by_server()
        assert server.traffic.requests == served


def test_a_password_of_somebody_who_has_gone_is_not_checked(
    server: SecureServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Checks wait for a thread. Who sends passwords and goes, again and again, must not fill that queue."""
    checked: list[str] = []
    users = server.running.node.users

    def is_password_of(_: object, name: str, password: str) -> bool:
        checked.append(password)
        return False

    monkeypatch.setattr(type(users), "is_password_of", is_password_of)
    listener = server.running.server.listener  # type: ignore[union-attr]
    gateway = next(door.sasl for door in listener.doors if door.address.name == "SASL_PLAINTEXT")
    assert gateway is not None
    release = Event()
    blocked = [gateway.executor.submit(release.wait) for _ in range(2)]
    try:
        for _ in range(5):
            with RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
                client.handshake("PLAIN")
                client.send(request_frame("SaslAuthenticate", 2, SaslAuthenticateRequest(WRONG)))
                server.until(lambda: gateway.executor._work_queue.qsize() > 0)
            server.until(lambda: not server.connections)
    finally:
        release.set()
    assert all(each.result() for each in blocked)
    gateway.executor.submit(int).result()  # behind everything that was waiting
    assert checked == []
    assert "never retrieved" not in caplog.text


def test_lines_about_what_strangers_send_are_limited(server: SecureServer, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(LINES + 10):
        with RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
            client.send_metadata()
            assert client.is_closed_by_server()
    lines = [record for record in caplog.records if record.name == "muster.connection"]
    assert (len(lines), server.traffic.refused_requests) == (LINES, LINES + 10)
    assert all(record.levelno == logging.WARNING for record in lines)


def test_a_long_client_id_is_cut_wherever_a_line_shows_it(
    server: SecureServer, caplog: pytest.LogCaptureFixture
) -> None:
    with RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
        client.handshake("PLAIN")
        whole = request_frame("SaslAuthenticate", 2, SaslAuthenticateRequest(WRONG), client_id="x" * 30_000)
        client.send(frame(whole[4:-8]))
        assert client.is_closed_by_server()
    (line,) = [record.getMessage() for record in caplog.records if record.name == "muster.connection"]
    assert "SaslAuthenticate" in line
    assert len(line) < 1_000


def test_frames_behind_a_handshake_in_the_same_packet_get_no_further_than_it(server: SecureServer) -> None:
    """Nothing that was sent before the answer escapes the swap of what may be asked."""
    metadata = request_frame("Metadata", 9, MetadataRequest([]))
    for version in (0, 1):
        with RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
            client.send(request_frame("SaslHandshake", version, SaslHandshakeRequest("PLAIN")) + metadata)
            assert client.read("SaslHandshake", version).error_code == 0
            assert client.is_closed_by_server()
