"""A server for tests that need nothing special of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.groups.group_server import GroupServer


@pytest.fixture
def server() -> Iterator[GroupServer]:
    with GroupServer() as running:
        yield running
