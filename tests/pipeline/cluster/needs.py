"""What the tests of this package need and `make test` does not: jars from Maven, and a Python with packages of its own.

Everything is fetched once, by name and version, into a cache directory outside the repository. `Missing` says in one line what
could not be had; the tests are then skipped with it.

Versions that work together with PySpark 4.3.0 (it brings Hadoop 3.5.0's client): Hadoop's mini cluster and `hadoop-aws` 3.5.0
with the AWS bundle that the latter names (2.35.4); moto 5.2; Spark's Kafka connector 4.2.0, the newest that the
repositories had that were tried; Delta's Spark package 4.4.0 on PySpark 4.2.1, which has no release for Spark 4.3 yet.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "muster" / "pipeline-cluster"

HADOOP: Final = "3.5.0"
MINI_CLUSTER: Final = (
    f"org.apache.hadoop:hadoop-client-minicluster:{HADOOP}",
    # The mini cluster's classes refer to these, and its pom does not name them.
    "junit:junit:4.13.2",
    "org.junit.jupiter:junit-jupiter-api:5.12.2",
    "org.mockito:mockito-core:4.11.0",
    "org.bouncycastle:bcprov-jdk18on:1.78.1",
    "org.bouncycastle:bcpkix-jdk18on:1.78.1",
    "org.slf4j:slf4j-reload4j:1.7.36",
)
S3A: Final = (f"org.apache.hadoop:hadoop-aws:{HADOOP}",)
CONNECTOR: Final = (
    "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0",
    "org.apache.kafka:kafka-clients:3.9.0",
    "org.apache.commons:commons-pool2:2.12.0",
)
"""Spark's Kafka connector and all that it needs beyond Spark's own jars, as docs/pipeline.md names them. They are fetched
without what they depend on: Spark's parent POM sends Maven to a repository of its own for that, which not every network reaches."""
DELTA: Final = ("io.delta:delta-spark_4.2_2.13:4.4.0",)

_POM: Final = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>muster.tests</groupId><artifactId>{name}</artifactId><version>1</version>
  <dependencies>
{dependencies}
  </dependencies>
</project>
"""
_DEPENDENCY: Final = (
    "<dependency><groupId>{0}</groupId><artifactId>{1}</artifactId><version>{2}</version>{more}</dependency>"
)
_ALONE: Final = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
_GOAL: Final = "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies"


class Missing(Exception):
    """Something cannot be had here; the text says what, in one line."""


@dataclass(frozen=True, slots=True)
class Jars:
    directory: Path

    @property
    def files(self) -> list[Path]:
        return sorted(self.directory.glob("*.jar"))

    @property
    def class_path(self) -> str:
        return f"{self.directory}/*"


def jars(name: str, coordinates: Sequence[str], *, leave_out: Sequence[str] = (), alone: bool = False) -> Jars:
    """These Maven packages with all that they need, except groups that Spark has in its own form; `alone`: nothing but these."""
    directory = CACHE / name
    more = _ALONE if alone else ""
    dependencies = "\n".join(_DEPENDENCY.format(*text.split(":"), more=more) for text in coordinates)
    pom = _POM.format(name=name, dependencies=dependencies)
    done = directory / "pom.xml"
    if done.is_file() and done.read_text() == pom:
        return Jars(directory / "jars")
    if shutil.which("mvn") is None:
        raise Missing(f"{coordinates[0]} comes from Maven, and `mvn` is not on the path")
    making = directory.with_suffix(f".{os.getpid()}")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    (making / "pom.xml").write_text(pom)
    arguments = [f"-DoutputDirectory={making / 'jars'}", f"-DexcludeGroupIds={','.join(leave_out)}"]
    ran = subprocess.run(
        ["mvn", "-q", "-B", "-f", str(making / "pom.xml"), _GOAL, *arguments], capture_output=True, text=True
    )
    if ran.returncode:
        shutil.rmtree(making, ignore_errors=True)
        reason = next((line for line in ran.stdout.splitlines() if "ERROR" in line), ran.stderr[-300:])
        raise Missing(f"Maven could not fetch {', '.join(coordinates)}: {reason}")
    shutil.rmtree(directory, ignore_errors=True)
    making.rename(directory)
    return Jars(directory / "jars")


def python_with(name: str, packages: Sequence[str]) -> Path:
    """A Python of our version in an environment of its own, with these packages and nothing of ours."""
    directory = CACHE / name
    wanted = "\n".join(packages)
    done = directory / "packages.txt"
    python = directory / "bin" / "python"
    if done.is_file() and done.read_text() == wanted:
        return python
    uv = Path(sys.executable).parent / "uv"
    for arguments in (
        ["venv", "--quiet", "--clear", "--python", sys.executable, str(directory)],
        ["pip", "install", "--quiet", "--python", str(python), *packages],
    ):
        ran = subprocess.run([str(uv), *arguments], capture_output=True, text=True)
        if ran.returncode:
            raise Missing(f"{', '.join(packages)} cannot be installed: {ran.stderr.strip().splitlines()[-1]}")
    done.write_text(wanted)
    return python
