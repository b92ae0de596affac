"""Is everything there where the tasks run? Asked of the workers themselves before the query starts.

What a worker lacks would else end the query with a traceback of two languages; what it writes elsewhere than readers look
would be lost without a word. `look_around` runs in a task and must import nothing that may be missing.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NEEDED: Final = {
    "pyarrow": (19, 0),
    "pandas": (2, 2),
    "polars": (1, 36),
    "numpy": (1, 26),
    "cramjam": (2, 9),
    "google-crc32c": (1, 6),
    "librt": (0, 16),
    "mypy-extensions": (1, 0),
}
"""Packages of a worker, by their names on PyPI, and the oldest version of each that is known to do."""
NEEDED_BY_ROUNDS: Final = {"deltalake": (1, 6), "pyarrow": NEEDED["pyarrow"]}
"""Packages of the process that makes rounds: the driver, or one beside a Connect server."""
_OURS: Final = ("muster.pipeline.sources.spark_sources", "muster.pipeline.fold.kernel", "muster.pipeline.now.build")
"""Modules that tasks import: whatever they need is then there."""
_OURS_OF_ROUNDS: Final = ("muster.pipeline.connect_batch",)
_MOST_TASKS: Final = 64
_UNFIT: Final = "what is missing where rounds are made: "

Finding = tuple[str, str, str]
"""Host, Python's version, what is wrong there (empty: nothing)."""


def look_around(needed: Mapping[str, tuple[int, int]] = NEEDED, ours: Sequence[str] = _OURS) -> Finding:
    """What this process finds where it runs."""
    problems = []
    for name, oldest in needed.items():
        try:
            found = version(name)
        except PackageNotFoundError:
            problems.append(f"{name} is missing")
            continue
        if _numbers(found) < oldest:
            problems.append(f"{name} is {found}, {oldest[0]}.{oldest[1]} or later is needed")
    if not problems:
        problems += filter(None, map(_import_problem, ours))
    return socket.gethostname(), ".".join(map(str, sys.version_info[:3])), "; ".join(problems)


def words_of(
    findings: Iterable[Finding],
    cannot: str = "workers cannot run the pipeline",
    advice: str = "Install Muster with its extra `pipeline` where tasks run, or send an environment along",
) -> str | None:
    """One line about all processes that lack something; None if none does."""
    hosts: dict[str, list[str]] = {}
    for host, python, problem in sorted(set(findings)):
        if problem:
            hosts.setdefault(f"{problem} (Python {python})", []).append(host)
    if not hosts:
        return None
    told = "; ".join(f"on {', '.join(names)}: {problem}" for problem, names in hosts.items())
    return f"{cannot}: {told}. {advice}"


def probe_workers(spark: SparkSession, *, is_connect: bool) -> str | None:
    """A task on every core that is there now. What is wrong, in one line."""
    if is_connect:
        rows = spark.range(0, 2, 1, 2).mapInArrow(_rows, "host string, python string, problem string").collect()
        return words_of((row.host, row.python, row.problem) for row in rows)
    context = spark.sparkContext
    tasks = max(2, min(_MOST_TASKS, context.defaultParallelism))
    return words_of(context.parallelize(range(tasks), tasks).map(lambda _: look_around()).collect())


def probe_rounds(spark: SparkSession, needed: Mapping[str, tuple[int, int]] = NEEDED_BY_ROUNDS) -> str | None:
    """A micro-batch in the process where a Connect server runs our rounds. What is wrong there, in one line."""
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", "1").load()
    query = rows.writeStream.foreachBatch(LookAroundRounds(needed)).trigger(availableNow=True).start()
    try:
        query.awaitTermination()
    except Exception as error:
        found = str(error).partition(_UNFIT)[2]
        if not found:
            raise
        host, python, problem = json.JSONDecoder().raw_decode(found)[0]
        advice = "Install Muster with its extra `pipeline` where the server runs"
        return words_of([(host, python, problem)], "the Connect server cannot make rounds", advice)
    finally:
        query.stop()
    return None


@dataclass(frozen=True)
class LookAroundRounds:
    """Called with a micro-batch. What it finds comes back as an error: nothing else of that process reaches us."""

    needed: Mapping[str, tuple[int, int]]

    def __call__(self, rows: DataFrame, batch_id: int) -> None:
        found = look_around(self.needed, _OURS_OF_ROUNDS)
        if found[2]:
            raise RuntimeError(_UNFIT + json.dumps(found))


def probe_lake(spark: SparkSession, url: str, name: str, sees: Callable[[str], bool]) -> str | None:
    """A task writes a small file of this name; `sees` says whether it is there for us too. What is wrong, in one line.

    The caller removes it, however this ends.
    """
    spark.range(0, 1, 1, 1).selectExpr("cast(id as string) as value").write.text(f"{url}/{name}")
    if sees(name):
        return None
    return (
        f"what the workers write to {url} does not arrive here: a path of one machine is not enough for workers on others."
        " Use a directory that all share, or an hdfs:// or s3a:// URL"
    )


def _rows(batches: Iterator[Any]) -> Iterator[Any]:
    import pyarrow as pa

    for _ in batches:
        host, python, problem = look_around()
        yield pa.RecordBatch.from_pydict({"host": [host], "python": [python], "problem": [problem]})


def _import_problem(module: str) -> str:
    try:
        import_module(module)
    except Exception as error:  # whatever a broken installation raises
        return f"{module} cannot be imported: {str(error).partition(chr(10))[0] or type(error).__name__}"
    return ""


def _numbers(text: str) -> tuple[int, int]:
    parts = [int(part) if part.isdigit() else 0 for part in text.split(".")[:2]]
    return (parts[0], parts[1] if len(parts) > 1 else 0)
