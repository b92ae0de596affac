"""Many connections send the beginnings of large requests: what is held of them is bounded, and everybody else goes on."""

from __future__ import annotations

import logging
import select
import socket
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from muster.log_limit import LINES, TRACEBACKS, LogLimit
from muster.server.limits import UNAUTHENTICATED_BYTES
from muster.wire.generated.fetch import FetchRequestForgottenTopic
from muster.wire.generated.metadata import MetadataRequest
from tests.security.attacks.victim import Neighbour, Victim
from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer
from tests.server.broker.whole_server import batch, create, fetch_request, produce
from tests.server.raw_client import request_frame

LARGE_FRAME = (100_000_000).to_bytes(4, "big")
MEGABYTE = bytes(1_000_000)


def send_while_it_is_taken(connection: socket.socket, data: bytes, times: int) -> None:
    """From a thread: the server may stop reading at any time."""
    with suppress(OSError):
        for _ in range(times):
            connection.sendall(data)


class Flood:
    """Connections that begin a request of 100 MB each, and send on as long as the server takes it."""

    def __init__(self, stack: ExitStack, port: int, connections: int = 20) -> None:
        self.sockets = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(connections)]
        self._threads = [
            threading.Thread(target=send_while_it_is_taken, args=(each, MEGABYTE, 90)) for each in self.sockets
        ]
        for each, thread in zip(self.sockets, self._threads, strict=True):
            each.sendall(LARGE_FRAME)
            thread.start()

    def end(self) -> None:
        for each in self.sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()


def test_requests_that_never_end_hold_no_more_than_the_budget(tmp_path: Path) -> None:
    """20 connections came to 1.2 GB in two seconds. All that is asked for: 20 times 90 MB."""
    with Victim(tmp_path, "--set", "queued.max.request.bytes=110000000") as victim, victim.client() as client:
        create(client, "t")
        before = victim.peak_megabytes()
        with ExitStack() as stack, Neighbour(victim):
            flood = Flood(stack, victim.port)
            # Those who hold the budget are crowded out, one after the other, so that honest requests are served.
            large = batch(*(b"x" * 1000 for _ in range(900)))
            while victim.said().count("queued.max.request.bytes = 110000000") < 2:
                assert produce(client, "t", large).error_code == 0
            flood.end()
        assert victim.is_alive
        assert victim.peak_megabytes() - before < 250


def padded_fetch() -> bytes:
    """Waits five minutes for a record, and has four megabytes of names of topics that it is not about."""
    forgotten = [FetchRequestForgottenTopic("y" * 32_000) for _ in range(127)]
    return request_frame("Fetch", 7, fetch_request("t", max_wait_ms=300_000, forgotten_topics_data=forgotten))


def test_large_requests_that_wait_are_crowded_out_by_honest_ones(tmp_path: Path) -> None:
    """They held all of the budget for five minutes, and the producer was closed because of it. 32 of them are 130 MB."""
    with Victim(tmp_path, "--set", "queued.max.request.bytes=110000000") as victim, victim.client() as client:
        create(client, "t")
        create(client, "u")
        with ExitStack() as stack, Neighbour(victim):
            sockets = [stack.enter_context(socket.create_connection(("127.0.0.1", victim.port))) for _ in range(32)]
            frame = padded_fetch()
            threads = [threading.Thread(target=send_while_it_is_taken, args=(each, frame, 1)) for each in sockets]
            for thread in threads:
                thread.start()
            while "queued.max.request.bytes = 110000000" not in victim.said():
                assert produce(client, "u", batch(*(b"x" * 1000 for _ in range(900)))).error_code == 0
            assert produce(client, "u", batch(*(b"x" * 1000 for _ in range(900)))).error_code == 0
            for each in sockets:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join()


def test_without_memory_a_connection_ends_and_not_the_server(tmp_path: Path) -> None:
    """The budget is larger than what the system gives: the server died of it, after 434 tracebacks."""
    with Victim(tmp_path, memory_megabytes=250) as victim:
        with ExitStack() as stack:
            flood = Flood(stack, victim.port)
            readable, _, _ = select.select(flood.sockets, [], [], 60)
            assert any(is_closed(each) for each in readable)
            with victim.client() as client:
                assert client.ask("Metadata", 9, MetadataRequest([])).brokers
            flood.end()
        with victim.client() as client:
            assert client.ask("Metadata", 9, MetadataRequest([])).brokers
        assert victim.is_alive
        assert "MemoryError" in victim.said()
        assert victim.said().count("Traceback") <= 2 * TRACEBACKS


def is_closed(connection: socket.socket) -> bool:
    """By the server: whoever only waits gets nothing here."""
    connection.settimeout(60)
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


@pytest.mark.parametrize("is_bare", [False, True], ids=["requests", "bare tokens"])
def test_before_authentication_much_less_is_held(tmp_path: Path, is_bare: bool) -> None:
    """928 MB were held for those who had not said who they are: 512 KiB for each of 200 connections from each of 9 addresses."""
    with SecureServer(tmp_path) as server, ExitStack() as stack:
        port = server.port("SASL_PLAINTEXT")
        threads, sockets = [], []
        for number in range(2):
            for _ in range(100):
                each = stack.enter_context(socket.socket())
                each.bind((f"127.0.0.{number + 2}", 0))
                each.connect(("127.0.0.1", port))
                client = RawSaslClient.__new__(RawSaslClient)
                client.socket = each
                if is_bare:
                    client.handshake("PLAIN", 0)
                part = (500_000).to_bytes(4, "big") + bytes(499_000)
                thread = threading.Thread(target=send_while_it_is_taken, args=(each, part, 1))
                thread.start()
                threads.append(thread)
                sockets.append(each)
        listener = server.running.server.listener  # type: ignore[union-attr]
        server.until(lambda: listener.newcomer_budget.used >= UNAUTHENTICATED_BYTES)
        # Somebody with the right password comes in all the same.
        with RawSaslClient(port) as honest:
            assert honest.scram().error_code == 0
            assert honest.metadata().brokers
        server.until(lambda: listener.newcomer_budget.crowded_out > 0)
        most = listener.newcomer_budget.most_used
        assert UNAUTHENTICATED_BYTES <= most < 1.1 * UNAUTHENTICATED_BYTES
        for each in sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()
        # Nothing is read from those who wait, so it is their time to authenticate that ends them, after 30 s: now.
        server.running.run(listener.newcomers.end_all)
        server.until(lambda: listener.newcomer_budget.used == 0)


def test_what_was_held_is_given_back_when_requests_are_served(tmp_path: Path) -> None:
    with SecureServer(tmp_path) as server, RawSaslClient(server.port("PLAINTEXT")) as client:
        create(client, "t")
        for _ in range(3):
            assert produce(client, "t", batch(*(b"x" * 1000 for _ in range(900)))).error_code == 0
        budget = server.running.server.listener.request_budget  # type: ignore[union-attr]
        server.until(lambda: budget.used == 0)
        assert 800_000 < budget.most_used < 1_200_000
        assert not budget._holders
        assert not budget._waiting


def test_faults_are_told_with_a_traceback_a_few_times_and_then_counted(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    limit = LogLimit(logging.getLogger("muster.test"), "faults", lambda: now[0])
    for number in range(LINES + 50):
        limit.error("serving %d failed", number, exc_info=MemoryError("no room"))
    assert sum(record.exc_info is not None for record in caplog.records) == TRACEBACKS
    assert caplog.records[TRACEBACKS].getMessage() == f"serving {TRACEBACKS} failed: MemoryError: no room"
    assert len(caplog.records) == LINES
    now[0] += 61
    limit.error("serving failed")
    assert "and 50 more faults" in caplog.text
