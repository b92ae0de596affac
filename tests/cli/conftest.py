"""One broker for all tests of a module; tests use topics and groups of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muster.testing import Broker


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as running:
        yield running
