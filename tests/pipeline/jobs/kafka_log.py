"""The log of a real Kafka 4.3.1 (tests/pipeline/fixtures) as a data directory, and what tests ask of lakes made from it."""

from __future__ import annotations

import hashlib
import tarfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from muster.pipeline.old.jobs_sources import DirectorySource, directory_source
from muster.pipeline.old.lake import Lake
from muster.pipeline.schemas import GOLD, SILVER

FIXTURE = Path(__file__).parent.parent / "fixtures" / "kafka-4.3.1"


def unpacked(directory: Path) -> Path:
    with tarfile.open(FIXTURE / "data.tar.xz") as tar:
        tar.extractall(directory, filter="data")
    return directory


def source_of(directory: Path) -> DirectorySource:
    return directory_source((str(directory),), "kafka")


def rows_in(lake: Path, table: str) -> list[dict[str, Any]]:
    opened = Lake.open(lake)
    return [row for path in opened.paths(table) for row in pq.ParquetFile(path).read().to_pylist()]


def digest(lake: Path, table: str) -> str:
    """Equal for equal rows, whatever their order and their files."""
    return digest_of_rows(rows_in(lake, table))


def digest_of_rows(rows: list[dict[str, Any]]) -> str:
    lines = sorted(repr(sorted(row.items())) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def digests(lake: Path) -> dict[str, str]:
    return {table: digest(lake, table) for table in (*SILVER, *GOLD)}
