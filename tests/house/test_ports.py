"""No two tests are given the same port."""

from __future__ import annotations

import socket

import pytest

from tests import ports


def test_a_port_is_given_once() -> None:
    rows = [range(first, first + 3) for first in (ports.free_ports(3) for _ in range(50))]
    assert len({port for row in rows for port in row}) == 150


def test_two_workers_choose_from_different_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "2")
    given = []
    for worker in ("gw0", "gw1"):
        monkeypatch.setenv("PYTEST_XDIST_WORKER", worker)
        given.append([ports.free_port() for _ in range(50)])
    middle = (ports.FIRST + ports.END) // 2
    assert min(given[0]) >= ports.FIRST
    assert max(given[0]) < middle <= min(given[1])
    assert max(given[1]) < ports.END


def test_a_port_that_somebody_has_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", ports.free_port()))
        monkeypatch.setattr(ports, "_given", set())
        monkeypatch.setattr(ports, "_begin", lambda: taken.getsockname()[1])
        monkeypatch.setattr(ports, "_share", lambda: 1_000)
        assert taken.getsockname()[1] not in [ports.free_port() for _ in range(500)]
