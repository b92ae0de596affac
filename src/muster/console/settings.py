"""What the console was started with, and what follows from that. Knows no web framework."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from muster.client.security import PLAINTEXT, Security


class HistorySource(Protocol):
    """Plots of the past, made from a lake by whoever starts the console: this room knows no pipeline."""

    cluster: str | None
    """The cluster's name in the lake; None: its own id."""

    def plots(self, group: str, cluster: str, from_ms: int | None, to_ms: int | None) -> str:
        """Markup that is safe to show, of the group of that cluster: others may have one of the same name. Raises HistoryFailure
        with a sentence."""
        ...

    def style_sheet(self) -> str:
        """What the plots are drawn with."""
        ...


class HistoryFailure(Exception):
    """Why there are no plots, as a sentence for people."""


@dataclass(frozen=True, slots=True)
class NodeLease:
    """What the store of a Muster cluster says about a node."""

    seconds: int
    """So long its lease still lasts unless it is renewed."""
    is_draining: bool
    release: str


class LeaseSource(Protocol):
    """The store of a Muster cluster, opened by whoever starts the console."""

    def leases(self) -> Mapping[int, NodeLease]:
        """By node; raises StoreFailure with a sentence."""
        ...


class StoreFailure(Exception):
    """Why the leases are not known, as a sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleSettings:
    bootstrap: str
    security: Security = PLAINTEXT
    """Of the command line. With a login only its TLS part and mechanism are used."""
    host: str = "127.0.0.1"
    port: int = 8080
    host_names: tuple[str, ...] = ()
    """Names in the addresses that browsers may ask for, besides numbers, localhost and that of `public_origin`."""
    public_origin: str | None = None
    """`https://name` or `https://name:port`, as browsers send it: what they connect to is a proxy in front, which does TLS."""
    tls_certificate: str | None = None
    tls_key: str | None = None
    allow_changes: bool = False
    login: bool = False
    """Ask for a login also on a loopback address."""
    timeout_seconds: float = 15.0
    history: HistorySource | None = None
    store: LeaseSource | None = None

    @property
    def needs_login(self) -> bool:
        """A proxy stands before a loopback address for others, so what connects there need not be on this machine."""
        return self.login or self.public_origin is not None or not is_loopback(self.host)

    @property
    def scheme(self) -> str:
        """Of the console's own listener."""
        return "https" if self.tls_certificate is not None else "http"

    @property
    def is_secure(self) -> bool:
        """Whether browsers connect by TLS, here or at the proxy in front."""
        return self.public_origin is not None or self.scheme == "https"

    @property
    def known_names(self) -> tuple[str, ...]:
        public = urlsplit(self.public_origin).hostname if self.public_origin is not None else None
        return (*self.host_names, self.host, *([public] if public is not None else []))


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
