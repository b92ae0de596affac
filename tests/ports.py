"""Ports for the servers of tests, known before the server is there and still its own when it is started again.

Below those that the system hands out: a client that knocks while the server is down must not be given that very port for its own
end. No two tests are given the same one: not by one process, and not by two workers of xdist, each of which has its own part.
"""

from __future__ import annotations

import os
import random
import re
import socket
from typing import Final

FIRST: Final = 20_000
END: Final = 32_000

_random = random.SystemRandom()
"""Tests seed the common one: two processes that did so alike would choose alike."""
_given: set[int] = set()


def free_port() -> int:
    return free_ports(1)


def free_ports(count: int) -> int:
    """The first of so many in a row that nobody has now."""
    for first in _random.sample(range(_begin(), _begin() + _share() - count), 200):
        wanted = range(first, first + count)
        if _given.isdisjoint(wanted) and all(_is_free(port) for port in wanted):
            _given.update(wanted)
            return first
    raise AssertionError(f"at none of 200 places {count} ports in a row are free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _share() -> int:
    return (END - FIRST) // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))


def _begin() -> int:
    number = re.sub(r"\D", "", os.environ.get("PYTEST_XDIST_WORKER", "")) or "0"
    return FIRST + int(number) * _share()
