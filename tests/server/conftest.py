"""A server whose APIs are made for tests, and a client of whichever server the test has."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muster.server.running import RunningServer
from tests.server.fake_apis import fake_server
from tests.server.raw_client import RawClient


@pytest.fixture
def server() -> Iterator[RunningServer]:
    with fake_server() as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Iterator[RawClient]:
    with RawClient(server.port) as connected:
        yield connected
