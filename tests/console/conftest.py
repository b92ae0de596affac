"""One broker and one console for all tests of a process: each test has groups of its own name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muster.testing import Broker
from tests.console.console_process import ConsoleProcess

SETTINGS = {
    "group.min.session.timeout.ms": 100,
    "group.consumer.min.heartbeat.interval.ms": 200,
    "group.consumer.heartbeat.interval.ms": 200,
}
"""Members of both protocols hear quickly of what they have to do."""


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 4}, settings=SETTINGS) as running:
        yield running


@pytest.fixture(scope="session")
def console(broker: Broker) -> Iterator[ConsoleProcess]:
    with ConsoleProcess(broker.bootstrap_servers, "--allow-changes") as running:
        yield running
