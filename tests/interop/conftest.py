"""A server for each test process, a client of each library, names that no other test has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interop.broker_process import BrokerProcess
from tests.interop.client_aiokafka import AiokafkaClient
from tests.interop.client_confluent import ConfluentClient
from tests.interop.client_kafka_python import KafkaPythonClient
from tests.interop.stage import Stage, staged
from tests.interop.vocabulary import Client

CLIENTS: tuple[type[Client], ...] = (ConfluentClient, AiokafkaClient, KafkaPythonClient)
STYLES = (
    {"library": "confluent-kafka", "assignor": "range"},
    {"library": "confluent-kafka", "assignor": "cooperative-sticky"},
    {"library": "aiokafka", "assignor": "range"},
    {"library": "kafka-python", "assignor": "range"},
)
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.interop)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """For all tests that leave it running."""
    with BrokerProcess(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[BrokerProcess]:
    """For a test that stops or kills it."""
    with BrokerProcess(tmp_path) as running:
        yield running


@pytest.fixture(params=CLIENTS, ids=lambda library: library.name)
def library(request: pytest.FixtureRequest) -> type[Client]:
    chosen: type[Client] = request.param
    return chosen


@pytest.fixture
def client(library: type[Client], server: BrokerProcess) -> Iterator[Client]:
    opened = library(server.address)
    yield opened
    opened.close()


@pytest.fixture
def libraries(server: BrokerProcess) -> Iterator[list[Client]]:
    """One client of each."""
    opened = [library(server.address) for library in CLIENTS]
    yield opened
    for client in opened:
        client.close()


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    """A name of the test's own; the topic does not exist yet."""
    whole = f"{request.path.stem}-{request.node.name}".replace("test_", "")
    return re.sub(r"[^a-zA-Z0-9._-]+", "-", whole).strip("-")


@pytest.fixture
def stage(server: BrokerProcess, tmp_path: Path, topic: str) -> Iterator[Stage]:
    with staged(server, tmp_path, topic) as ready:
        yield ready


@pytest.fixture
def own_stage(own_server: BrokerProcess, tmp_path: Path, topic: str) -> Iterator[Stage]:
    """On a server that the test may stop."""
    with staged(own_server, tmp_path, topic) as ready:
        yield ready


@pytest.fixture(params=STYLES, ids=lambda style: "-".join(style.values()))
def style(request: pytest.FixtureRequest) -> dict[str, str]:
    """A library and the way in which it shares partitions out."""
    chosen: dict[str, str] = request.param
    return chosen
