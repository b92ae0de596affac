"""One server for a module: tests use topics of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muster.server.running import RunningServer
from tests.server.broker.whole_server import whole_server


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with whole_server() as running:
        yield running
