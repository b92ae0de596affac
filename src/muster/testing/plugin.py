"""The pytest plugin: brokers as fixtures, one a test or one for all, and the story of the groups beside a failed test.

Loaded by every pytest of an environment that has Muster, so it imports nothing of it before a test asks for a broker.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from muster.testing.broker import Broker

_BROKERS = pytest.StashKey[list["Broker"]]()
_MARK = "muster"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("muster", "brokers for tests of Kafka clients")
    group.addoption(
        "--muster-frozen", action="store_true", help="brokers of fixtures start with a clock that stands still"
    )
    group.addoption(
        "--muster-set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a broker setting for every fixture; may be repeated, and wins over muster_settings",
    )
    parser.addini("muster_settings", "broker settings for every fixture, a NAME=VALUE a line", type="linelist")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{_MARK}(settings=None, topics=None, frozen=False): what the broker of this test's muster_broker is like",
    )


@pytest.fixture
def muster_broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    """A broker for this test alone."""
    with _broker(request, **_marked(request)) as broker:
        request.node.stash.setdefault(_BROKERS, []).append(broker)
        yield broker


@pytest.fixture(scope="session")
def muster_session_broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    """One broker for all tests that ask for it: let each use groups and topics of its own."""
    with _broker(request) as broker:
        yield broker


@pytest.fixture
def muster_broker_factory(request: pytest.FixtureRequest) -> Iterator[Callable[..., Broker]]:
    """Start as many brokers as the test wants, with the arguments of `muster.testing.Broker`."""
    with ExitStack() as brokers:

        def start(**arguments: Any) -> Broker:
            broker = brokers.enter_context(_broker(request, **arguments))
            request.node.stash.setdefault(_BROKERS, []).append(broker)
            return broker

        yield start


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    if call.when == "call" and report.failed:
        for broker in item.stash.get(_BROKERS, []):
            story = broker.explain()
            if story:
                report.sections.append((f"groups of the broker at {broker.bootstrap_servers}", story))
    return report


def _broker(request: pytest.FixtureRequest, **arguments: Any) -> Broker:
    from muster.testing.broker import Broker

    settings = {**_settings(request.config), **(arguments.pop("settings", None) or {})}
    frozen = arguments.pop("frozen", None)
    if frozen is None:
        frozen = request.config.getoption("--muster-frozen")
    return Broker(settings, frozen=frozen, **arguments)


def _settings(config: pytest.Config) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in [*config.getini("muster_settings"), *config.getoption("--muster-set")]:
        name, equals, value = text.partition("=")
        if not equals:
            raise pytest.UsageError(f"muster setting {text!r}: expected NAME=VALUE")
        found[name.strip()] = value.strip()
    return found


def _marked(request: pytest.FixtureRequest) -> dict[str, Any]:
    marker = request.node.get_closest_marker(_MARK)
    return dict(marker.kwargs) if marker is not None else {}
