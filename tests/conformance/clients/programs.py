"""Builds and runs programs: tools that must be on the path, a cache outside the repository, a run with a time limit.

Called by the clients. Knows nothing of brokers or of what the programs find.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.conformance.clients.contract import BuildFailed, Findings, ToolchainMissing, fail_the_silent, read_findings

CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "muster" / "clients"
JVM: Final = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
"""Small and quick to start: several of these run beside other work."""
_POM: Final = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>conformance</groupId><artifactId>of-{artifact}</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>{artifact}</artifactId><version>{version}</version></dependency>
  </dependencies>
</project>
"""


def need(tool: str, what: str) -> str:
    """The tool's path."""
    found = shutil.which(tool)
    if found is None:
        raise ToolchainMissing(f"`{tool}` is not on the path: install {what}")
    return found


def build_once(name: str, inputs: Iterable[Path | str], build: Callable[[Path], None]) -> Path:
    """The folder that `build` fills, made anew only when an input (a file or a word) has changed."""
    digest = hashlib.sha256()
    for each in inputs:
        digest.update(each.read_bytes() if isinstance(each, Path) else each.encode())
        digest.update(b"\0")
    folder = CACHE / f"{name}-{digest.hexdigest()[:12]}"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        build(folder)
        (folder / "complete").touch()
    return folder


def fetch(command: Sequence[str], folder: Path, what: str, environment: Mapping[str, str] | None = None) -> None:
    """A build step that gets packages by name: where it fails, nothing can be said about the client."""
    _step(ToolchainMissing, command, folder, what, environment)


def compile_(command: Sequence[str], folder: Path, what: str, environment: Mapping[str, str] | None = None) -> None:
    """A build step of our own program."""
    _step(BuildFailed, command, folder, what, environment)


def _step(
    fault: type[Exception], command: Sequence[str], folder: Path, what: str, environment: Mapping[str, str] | None
) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    if ran.returncode:
        said = (ran.stdout + ran.stderr)[-2_000:]
        raise fault(f"could not {what}; `{' '.join(command[:4])} ...` ended with {ran.returncode}:\n{said}")


def run_program(
    command: Sequence[str],
    folder: Path,
    features: Iterable[str],
    seconds: int = 600,
    environment: Mapping[str, str] | None = None,
) -> Findings:
    """Runs to the end, or stops it with all it started when its time is up. Silence about a feature is its failure."""
    output = folder / "output.txt"
    with output.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, **(environment or {})},
        )
        try:
            ended = f"the program ended with {process.wait(seconds)} before it came to this"
        except subprocess.TimeoutExpired:
            ended = f"the program was stopped after {seconds} s"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return fail_the_silent(read_findings(output.read_text(errors="replace").splitlines()), features, ended)


def read_features(file: Path) -> tuple[str, ...]:
    """The features that a program tries, in the order of the table."""
    return tuple(file.read_text().splitlines())


def jars_from_maven(artifact: str, version: str) -> Path:
    """The directory of one of Apache Kafka's artifacts with all that it needs, fetched once."""
    mvn = need("mvn", "Apache Maven")
    pom = _POM.format(artifact=artifact, version=version)

    def fetch_into(folder: Path) -> None:
        (folder / "pom.xml").write_text(pom)
        goal = "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies"
        fetch([mvn, "-q", "-B", goal, f"-DoutputDirectory={folder / 'jars'}"], folder, f"fetch {artifact} {version}")

    return build_once(artifact, [pom], fetch_into) / "jars"
