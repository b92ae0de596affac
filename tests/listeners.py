"""Where a server of a test listens when it has several listeners."""

from __future__ import annotations

from muster.server.running import RunningServer


def address_of(running: RunningServer, listener: str) -> str:
    """HOST:PORT of one listener, by its name."""
    assert running.server is not None
    return next(str(door.bound) for door in running.server.listener.doors if door.address.name == listener)
