"""Two Spark sessions for all pipeline tests of a run: whoever takes the `spark` fixture shares one with its half of the tests.

They are put into two xdist groups of about the same length: with `--dist loadgroup` a worker runs each, and only two Javas start.
One group alone would keep a worker busy when all others are done.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "xdist_group(name): run by one worker (known without xdist too)")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            half = "spark-stream" if item.path.parent.name == "stream" else "spark"
            item.add_marker(pytest.mark.xdist_group(half))


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A local session with one core and two shuffle partitions: enough for rows to meet, cheap enough for a laptop."""
    from muster.pipeline.session import SessionSettings, open_session

    two = {"spark.sql.shuffle.partitions": "2", "spark.default.parallelism": "2"}
    settings = SessionSettings(master="local[1]", app_name="muster-tests", extra=two)
    with open_session(settings) as session:
        yield session


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a real Kafka, unpacked once."""
    from tests.pipeline.jobs.kafka_log import unpacked

    return unpacked(tmp_path_factory.mktemp("kafka"))


@pytest.fixture(scope="session")
def whole_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lakes") / "whole"


@pytest.fixture(scope="session")
def whole(spark: Any, data: Path, whole_root: Path) -> Lake:
    """The lake that one run in one micro-batch makes of it."""
    from tests.pipeline.stream.lakes import LakeRun, source_of

    return LakeRun(spark, whole_root, source_of(data)).run()


@pytest.fixture
def lake_of_one_run(whole: Lake, whole_root: Path, tmp_path: Path) -> Path:
    """A copy of that lake, with its checkpoint, for a test to change."""
    return Path(shutil.copytree(whole_root, tmp_path / "lake"))
