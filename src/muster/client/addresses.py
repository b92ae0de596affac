"""HOST:PORT lists, as bootstrap.servers has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from muster.client.failure import ClientError
from muster.wire.errors import INVALID_CONFIG


class Address(NamedTuple):
    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_bootstrap(servers: str | Sequence[str]) -> list[Address]:
    """From "host:port,host:port" or a list of such texts; a listener's name in front (`SSL://`) is allowed."""
    texts = servers.split(",") if isinstance(servers, str) else servers
    found = [_address(text.strip()) for text in texts if text.strip()]
    if not found:
        raise ClientError(INVALID_CONFIG, "read bootstrap.servers", "it is empty", "Write HOST:PORT")
    return found


def _address(text: str) -> Address:
    host, colon, port = text.rpartition("://")[2].rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or len(port) > 5 or not 0 < int(port) < 65536:
        raise ClientError(INVALID_CONFIG, "read bootstrap.servers", f"{text!r} is not an address", "Write HOST:PORT")
    return Address(host, int(port))
