"""The files of a checkpoint, wherever it lies: in a local directory by Python, on HDFS and S3 by delta-rs, elsewhere by Spark.

Only the last needs Java, and its address may be any that Hadoop knows (`abfss://`, `gs://`), with the packages that it needs there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from muster.pipeline.lake.errors import LakeError, store_errors
from muster.pipeline.lake.files import REACHABLE, entries, storage
from muster.pipeline.lake.location import Location, scheme_of
from muster.spark.checkpoint import Checkpoint, read_checkpoint
from muster.spark.failure import TrackingError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_GLOB: Final = re.compile(r"[\\{}\[\]*?]")
_WITHOUT_JAVA: Final = ("", "file", "hdfs", "s3", "s3a")


def needs_spark(url: str) -> bool:
    """Whether only Spark can read from there."""
    return scheme_of(url) not in _WITHOUT_JAVA


def open_checkpoint(url: str, settings: Mapping[str, str] | None = None) -> Checkpoint:
    """Read a checkpoint without Java. `settings` are Spark's, for access to a store. TrackingError if it cannot be read."""
    try:
        location = Location.parse(url, settings)
        return _of_directory(url, location.local) if location.local is not None else _of_store(location)
    except LakeError as error:
        raise TrackingError(str(error)) from None


def _of_directory(url: str, path: Path) -> Checkpoint:
    def read(name: str) -> str | None:
        try:
            return (path / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    try:
        names = [each.name for each in (path / "commits").iterdir()] if (path / "commits").is_dir() else []
        return read_checkpoint(url, names, read)
    except OSError as error:
        raise TrackingError(f"{url} cannot be read: {error.strerror}") from None


def _of_store(location: Location) -> Checkpoint:
    store = storage(location)
    names = {part: {name for name, _ in entries(_under(location, part))} for part in ("commits", "offsets")}

    def read(name: str) -> str | None:
        directory, _, file = name.rpartition("/")
        if directory and file not in names[directory]:
            return None
        with store_errors(f"{location}/{name} cannot be read", REACHABLE), store.open_input_file(name) as opened:
            return bytes(opened.read()).decode("utf-8")

    return read_checkpoint(str(location), names["commits"], read)


def _under(location: Location, part: str) -> Location:
    return replace(location, given=f"{location}/{part}", delta_url=f"{location.delta_url}/{part}")


def open_checkpoint_by_spark(spark: SparkSession, url: str) -> Checkpoint:
    """Read a checkpoint on any file system of Hadoop's."""
    from pyspark.errors import PySparkException

    root = _without_globs(url.rstrip("/"))
    try:
        commits = spark.read.format("binaryFile").load(f"{root}/commits").select("path").collect()
        return read_checkpoint(
            url, [row.path.rpartition("/")[2] for row in commits], lambda name: _text(spark, root, name)
        )
    except PySparkException as error:
        raise TrackingError(f"{url} cannot be read by Spark: {str(error).splitlines()[0]}") from None


def _without_globs(url: str) -> str:
    """Spark takes a path to read for a pattern: then `[` would begin a set of characters. Hadoop's way out is a backslash."""
    return _GLOB.sub(r"\\\g<0>", url)


def _text(spark: Any, root: str, name: str) -> str | None:
    rows = spark.read.format("binaryFile").load(f"{root}/{name}").select("content").collect()
    return bytes(rows[0].content).decode("utf-8") if rows else None
