"""Settings of a group that are changed at one worker count at the others too, on files and on a database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.wire.generated.describe_configs import DescribeConfigsRequest, DescribeConfigsRequestResource
from muster.wire.generated.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequestConfig,
    IncrementalAlterConfigsRequestResource,
)
from tests.cluster.workers_process import SETTINGS, WorkersProcess
from tests.interop.waiting import eventually
from tests.log.postgres_server import empty_database
from tests.server.raw_client import RawClient

GROUP, SET, DELETE = 32, 0, 1
NAME = "consumer.session.timeout.ms"


@pytest.fixture(params=["files", "postgres"])
def workers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[WorkersProcess]:
    flags = ["--store", empty_database()] if request.param == "postgres" else []
    with WorkersProcess(tmp_path, 2, settings={**SETTINGS, "muster.lease.ms": "1000"}, flags=flags) as running:
        yield running


def change(port: int, operation: int, value: str | None) -> int:
    config = IncrementalAlterConfigsRequestConfig(NAME, operation, value)
    resource = IncrementalAlterConfigsRequestResource(GROUP, "billing", [config])
    (answer,) = ask(port, "IncrementalAlterConfigs", 1, IncrementalAlterConfigsRequest([resource])).responses
    return int(answer.error_code)


def shown(port: int) -> str | None:
    request = DescribeConfigsRequest([DescribeConfigsRequestResource(GROUP, "billing", [NAME])])
    (answer,) = ask(port, "DescribeConfigs", 4, request).results
    value: str | None = answer.configs[0].value
    return value


def ask(port: int, api: str, version: int, request: Any) -> Any:
    with RawClient(port) as client:
        return client.ask(api, version, request)


def await_at_both(workers: WorkersProcess, expected: str) -> None:
    eventually(
        f"both workers to say {expected}",
        lambda: {shown(port) for port in workers.ports},
        lambda got: got == {expected},
    )


def test_settings_of_a_group_changed_at_one_worker_count_at_both(workers: WorkersProcess) -> None:
    first, second = workers.ports
    assert change(first, SET, "50000") == 0
    await_at_both(workers, "50000")
    assert change(second, SET, "55000") == 0
    await_at_both(workers, "55000")
    assert change(first, DELETE, None) == 0
    await_at_both(workers, "45000")
