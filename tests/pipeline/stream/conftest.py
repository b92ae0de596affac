"""The log of a real Kafka, unpacked once, and the lake that one run in one micro-batch makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.lake.reader import Lake
from tests.pipeline.jobs.kafka_log import unpacked
from tests.pipeline.stream.lakes import LakeRun, source_of


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("kafka"))


@pytest.fixture(scope="session")
def whole(spark: Any, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return LakeRun(spark, tmp_path_factory.mktemp("lakes") / "whole", source_of(data)).run()
