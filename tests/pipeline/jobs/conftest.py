"""The log of a real Kafka, unpacked once, and the lake that one run with one batch makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.old.jobs import RunSettings, Watch, gold_round, read_round
from muster.pipeline.old.lake import Lake
from tests.pipeline.jobs.kafka_log import source_of, unpacked


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("kafka"))


@pytest.fixture(scope="session")
def whole(spark: Any, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lakes") / "whole"
    with Lake.open_or_create(root).write() as writer:
        progress = read_round(spark, writer, source_of(data), RunSettings(), Watch())
        assert progress.batches == 1
        assert progress.behind == 0
        assert gold_round(spark, writer, source_of(data), RunSettings(), Watch())
    return root
