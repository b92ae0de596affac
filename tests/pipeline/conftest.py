"""One Spark session for every pipeline test of a run: whoever takes the `spark` fixture shares it.

Those tests are put into one xdist group, so that with `--dist loadgroup` one worker runs them all and only one Java starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "xdist_group(name): run by one worker (known without xdist too)")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A local session with one core and two shuffle partitions: enough for rows to meet, cheap enough for a laptop."""
    from muster.pipeline.session import SessionSettings, open_session

    two = {"spark.sql.shuffle.partitions": "2", "spark.default.parallelism": "2"}
    settings = SessionSettings(master="local[1]", app_name="muster-tests", extra=two)
    with open_session(settings) as session:
        yield session
