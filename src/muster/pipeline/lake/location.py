"""Where a lake is: one URL, in the form that Hadoop and Spark use and in the form that delta-rs uses.

A lake is a local directory (a path or `file://`), or lies in HDFS (`hdfs://`) or in an object store with S3's protocol (`s3a://`, `s3://`).
Spark gets access to S3 by `spark.hadoop.fs.s3a.*`; delta-rs by options that are derived from the same settings and, where they say
nothing, from the `AWS_*` environment. Knows names only: nothing is opened here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.storage_options import hdfs_options, s3_options

TABLE_PREFIX: Final = "table="
LOG_DIRECTORY: Final = "log"
CHECKPOINT: Final = "_checkpoint"
OLD_MANIFEST: Final = "manifest.json"
"""Marks a lake of the layout before Delta."""
_SCHEMES: Final = "a local path, file://, hdfs:// or s3a://"
_ONE_SLASH: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+:)/(?!/)")
"""Two letters or more: one is a drive."""


def with_slashes(url: str) -> str:
    """Hadoop writes a URL without a host with one slash (`file:/data`, `dbfs:/data`), which is the same as with three."""
    return _ONE_SLASH.sub(r"\1///", url, count=1) if _ONE_SLASH.match(url) else url


def scheme_of(url: str) -> str:
    """In small letters; empty for a path."""
    scheme, found, _ = with_slashes(url).partition("://")
    return scheme.lower() if found else ""


def table_directory(table: str) -> str:
    """The directory of a table under the lake. A round writes most tables in one go, partitioned by `table`, `batch` and `part`.

    The log is partitioned by day: readers that take partitions from paths (Polars) must find no other `name=value` there.
    """
    return LOG_DIRECTORY if table == "log" else f"{TABLE_PREFIX}{table}"


def batch_directory(table: str, batch: str) -> str:
    """The directory of a batch under its table."""
    return batch if table == "log" else f"batch={batch}"


def checkpoint_directory(cluster: str) -> str:
    """The directory of the checkpoint over a cluster's log, under the lake."""
    return f"{CHECKPOINT}/{quote(cluster, safe='')}"


def table_in(directory: str) -> str | None:
    """The table that a directory under the lake is of."""
    if directory == LOG_DIRECTORY:
        return "log"
    return directory.removeprefix(TABLE_PREFIX) if directory.startswith(TABLE_PREFIX) else None


@dataclass(frozen=True, slots=True)
class Location:
    """`url` is for Spark, `delta_url` with `storage_options` for delta-rs, `local` the directory if it is one of this machine."""

    given: str
    url: str
    delta_url: str
    storage_options: Mapping[str, str] = field(default_factory=dict, repr=False)  # may hold secrets
    local: Path | None = None

    def __str__(self) -> str:
        return self.given

    @classmethod
    def parse(
        cls,
        given: str | os.PathLike[str],
        settings: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Location:
        """`settings` are Spark's (`--conf`); the environment is the process's own if it is not given."""
        text = with_slashes(os.fspath(given))
        scheme = scheme_of(text)
        if scheme in ("", "file"):
            return cls._local(text)
        if not urlsplit(text).netloc and scheme != "hdfs":
            raise LakeError(f"{text}: name the bucket, as in s3a://BUCKET/lake")
        settings = settings or {}
        environment = os.environ if environment is None else environment
        rest = text.partition("://")[2].rstrip("/")
        match scheme:
            case "hdfs":
                return cls(text, f"hdfs://{rest}", f"hdfs://{rest}", hdfs_options(settings))
            case "s3" | "s3a":
                bucket = rest.partition("/")[0]
                return cls(text, f"s3a://{rest}", f"s3://{rest}", s3_options(settings, environment, bucket))
            case _:
                raise LakeError(f"{text}: {scheme}:// is not supported; a lake is {_SCHEMES}")

    @classmethod
    def _local(cls, text: str) -> Location:
        named = text[len("file://") :] if text.lower().startswith("file://") else text
        if not named:
            raise LakeError(f"{text!r} names no place; a lake is {_SCHEMES}")
        path = Path(os.path.abspath(named))
        # Not `Path.as_uri`: Hadoop takes a path as it is and would look for a directory with %20 in its name.
        return cls(text, f"file://{path}", str(path), local=path)

    def table_url(self, table: str) -> str:
        """The root of a table, for Spark."""
        return f"{self.url}/{table_directory(table)}"

    def batch_url(self, table: str, batch: str) -> str:
        """Where Spark writes the files of one batch of a table."""
        return f"{self.table_url(table)}/{batch_directory(table, batch)}"

    def delta_table_url(self, table: str) -> str:
        """The root of a table, for delta-rs."""
        return f"{self.delta_url}/{table_directory(table)}"

    def checkpoint(self, cluster: str) -> str:
        """Where the streaming query over a cluster's log keeps its checkpoint, for Spark."""
        return f"{self.url}/{checkpoint_directory(cluster)}"

    @property
    def options(self) -> dict[str, str] | None:
        """`storage_options` as delta-rs takes them."""
        return dict(self.storage_options) or None
