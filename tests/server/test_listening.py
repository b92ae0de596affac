"""Addresses that are only half there, or taken by somebody else between binding and listening."""

from __future__ import annotations

import socket
from errno import EAFNOSUPPORT
from pathlib import Path
from typing import Any

import pytest

from muster.server.assembly import assemble
from muster.server.endpoint import Endpoint
from muster.server.listening import bind_sockets
from muster.server.running import RunningServer
from muster.server.serve import ListenError, ServedNode
from muster.server.setting_sources import from_assignments
from muster.server.settings import Settings, resolve

_Socket = socket.socket


def refuse_family(monkeypatch: pytest.MonkeyPatch, *refused: int) -> None:
    def make(family: int, *rest: Any) -> socket.socket:
        if family in refused:
            raise OSError(EAFNOSUPPORT, "Address family not supported by protocol")
        return _Socket(family, *rest)

    found = [
        (family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", place)
        for family, place in ((socket.AF_INET6, ("::1", 0, 0, 0)), (socket.AF_INET, ("127.0.0.1", 0)))
    ]
    monkeypatch.setattr(socket, "socket", make)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)


def test_a_machine_without_ipv6_listens_on_the_addresses_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_family(monkeypatch, socket.AF_INET6)
    (bound,) = bind_sockets(Endpoint("", 0))
    with bound:
        assert bound.family == socket.AF_INET
        assert bound.getsockname()[1] != 0


def test_a_name_all_of_whose_addresses_are_of_families_that_the_machine_lacks_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refuse_family(monkeypatch, socket.AF_INET6, socket.AF_INET)
    with pytest.raises(OSError, match="family not supported"):
        bind_sockets(Endpoint("", 0))


def test_what_cannot_be_a_host_name_is_one_that_cannot_be_resolved() -> None:
    with pytest.raises(socket.gaierror, match="not a host name"):
        bind_sockets(Endpoint("a..b", 0))


def test_a_server_whose_port_another_one_listens_on_first_says_so_and_leaves_its_directory_to_the_next(
    tmp_path: Path,
) -> None:
    """Until one of them listens, the system lets two programs bind the same port."""

    def settings(port: int) -> Settings:
        wanted = (f"muster.listen=127.0.0.1:{port}", f"muster.data={tmp_path}")
        return resolve(from_assignments("--set", wanted))

    with _Socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 0))

        def be_slower(settings: Settings, advertise: Endpoint) -> ServedNode:
            other.listen()
            return assemble(settings, advertise)

        with pytest.raises(ListenError, match="another program listens there"):
            RunningServer(settings(other.getsockname()[1]), be_slower).start()
    with RunningServer(settings(0)) as running:
        assert running.port
