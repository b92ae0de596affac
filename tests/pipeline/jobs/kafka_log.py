"""The log of a real Kafka 4.3.1 (tests/pipeline/fixtures) as a data directory."""

from __future__ import annotations

import tarfile
from pathlib import Path

FIXTURE = Path(__file__).parent.parent / "fixtures" / "kafka-4.3.1"


def unpacked(directory: Path) -> Path:
    with tarfile.open(FIXTURE / "data.tar.xz") as tar:
        tar.extractall(directory, filter="data")
    return directory
