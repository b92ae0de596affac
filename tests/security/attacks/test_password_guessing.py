"""Somebody guesses passwords: each try waits longer than the one before, and nobody else is kept out by it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from muster.security.guess_delays import (
    FREE_OF_ADDRESS,
    FREE_OF_USER,
    LONGEST_QUEUE_SECONDS,
    LONGEST_SECONDS,
    MOST_KEPT,
    GuessDelays,
)
from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer


def plain(client: RawSaslClient, password: str) -> int:
    code: int = client.plain("alice", password).error_code
    return code


def scram(client: RawSaslClient, password: str) -> int:
    code: int = client.scram("alice", password).error_code
    return code


@pytest.mark.parametrize("guess", [plain, scram])
def test_guesses_of_one_address_take_longer_and_longer(
    tmp_path: Path, guess: Callable[[RawSaslClient, str], int]
) -> None:
    """220 guesses a second were possible. Four after the free ones wait 0.1, 0.2, 0.4 and 0.8 s before they are checked."""
    with SecureServer(tmp_path) as server:
        began = time.monotonic()
        for number in range(FREE_OF_USER + 4):
            with RawSaslClient(server.port("SASL_PLAINTEXT")) as client:
                assert guess(client, f"guess {number}") == 58
        assert time.monotonic() - began > 1.4
        delays = server.running.server.listener.guess_delays  # type: ignore[union-attr]
        assert delays.seconds("/127.0.0.1", "alice") > 1.4
        # The same user from elsewhere, and others from the same address, do not wait.
        assert delays.seconds("/127.0.0.2", "alice") == 0
        assert delays.seconds("/127.0.0.1", "bob") == 0
        with RawSaslClient(server.port("SASL_PLAINTEXT")) as bob:
            assert bob.plain("bob").error_code == 0


def test_the_wait_comes_before_the_check(tmp_path: Path) -> None:
    """After it, somebody who guesses could take silence for a no and try the next password at once."""
    with SecureServer(tmp_path) as server:
        delays = server.running.server.listener.guess_delays  # type: ignore[union-attr]
        for _ in range(FREE_OF_USER + 2):
            server.running.run(delays.failed, "/127.0.0.1", "alice")
        with RawSaslClient(server.port("SASL_PLAINTEXT")) as alice:
            began = time.monotonic()
            assert alice.plain().error_code == 0
            assert time.monotonic() - began > 0.35
        assert delays.seconds("/127.0.0.1", "alice") == 0


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_wait_has_a_longest_and_is_forgotten() -> None:
    clock = Clock()
    delays = GuessDelays(clock)
    for _ in range(1_000):
        delays.failed("a", "alice")
    assert delays.seconds("a", "alice") == LONGEST_SECONDS
    clock.now += 3_600
    assert delays.seconds("a", "alice") == 0


def test_passwords_on_many_connections_wait_one_behind_the_other() -> None:
    """Each waited for itself: a thousand connections could try a thousand passwords in five seconds."""
    clock = Clock()
    delays = GuessDelays(clock)
    for _ in range(1_000):
        delays.failed("a", "alice")
    waits = [delays.take_place("a", "alice") for _ in range(1_000)]
    fitting = int(LONGEST_QUEUE_SECONDS // LONGEST_SECONDS)
    assert waits[:fitting] == [LONGEST_SECONDS * (number + 1) for number in range(fitting)]
    assert set(waits[fitting:]) == {None}
    assert delays.take_place("b", "alice") == 0  # nobody is locked out from elsewhere
    clock.now += LONGEST_SECONDS
    assert delays.take_place("a", "alice") == LONGEST_QUEUE_SECONDS  # the next one takes the place that came free
    clock.now += 3_600
    assert delays.take_place("a", "alice") == 0


def test_more_passwords_than_may_wait_are_refused_unchecked(tmp_path: Path) -> None:
    with SecureServer(tmp_path) as server:
        delays = server.running.server.listener.guess_delays  # type: ignore[union-attr]
        for _ in range(100):
            server.running.run(delays.failed, "/127.0.0.1", "alice")
        while server.running.run(delays.take_place, "/127.0.0.1", "alice") is not None:
            pass
        with RawSaslClient(server.port("SASL_PLAINTEXT")) as alice:
            refused = alice.plain()
            assert refused.error_code == 58
            assert "are waiting to be checked" in refused.error_message


def test_one_password_tried_with_many_names_waits_too() -> None:
    delays = GuessDelays(Clock())
    for number in range(FREE_OF_ADDRESS + 100):
        delays.failed("a", f"user {number}")
    assert delays.seconds("a", "somebody else") == LONGEST_SECONDS
    assert delays.seconds("b", "somebody else") == 0


def test_a_success_forgives_the_user_and_not_the_address() -> None:
    """Or somebody with one account of his own could try those of others without waiting."""
    delays = GuessDelays(Clock())
    for _ in range(FREE_OF_ADDRESS + 40):
        delays.failed("a", "alice")
    delays.succeeded("a", "alice")
    assert delays.seconds("a", "alice") == pytest.approx(1.6)


def test_what_is_kept_of_failures_is_bounded() -> None:
    delays = GuessDelays(Clock())
    for number in range(MOST_KEPT + 500):
        delays.failed(f"address {number}", "alice")
    assert len(delays._of_user._counted) == len(delays._of_address._counted) == MOST_KEPT
