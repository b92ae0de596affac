"""A Spark session for our jobs: quick to start, ours to end, on any master.

Knows Spark's settings and which of them matter for jobs of this size. Knows no table. Jobs and tests call `open_session`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from muster.pipeline.java import Java, JavaError, find_java
from muster.pipeline.session_archive import ClassArchive, cache_directory
from muster.pipeline.session_code import package_code
from muster.pipeline.session_failure import words_of_failure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_REQUIRED: Final = ("pyspark", "pyarrow", "pandas", "polars")
_CONNECT: Final = "sc://"
_OF_A_SESSION: Final = "spark.sql."
_ARROW: Final = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    # Any other limit makes Java add up the size of the batch after every row, which is quadratic in lists.
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
}
_ELSEWHERE: Final = ("yarn", "k8s://")
"""Masters whose workers have a Python of their own, under a path that is not ours."""


class SessionError(Exception):
    """No session can be had; the text says what to do."""


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """How to reach Spark, and for how much work.

    `short_job` trades the optimising compiler for a quick start: right under about a minute of work. `tiny_job` trades generated
    code and adaptive plans too: for some thousand rows, planning and compiling is all that costs.
    """

    master: str = "local[*]"
    app_name: str = "muster"
    driver_memory: str = "1g"
    shuffle_partitions: int | None = None
    short_job: bool = True
    tiny_job: bool = False
    packages: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)
    archive_directory: Path | None = None

    @property
    def is_connect(self) -> bool:
        return self.master.startswith(_CONNECT)

    @property
    def is_local(self) -> bool:
        return self.master.startswith("local")


def require_packages() -> None:
    missing = [name for name in _REQUIRED if find_spec(name) is None]
    if missing:
        raise SessionError(f"the pipeline needs {', '.join(missing)}: pip install 'muster-kafka[pipeline]'")


@contextmanager
def open_session(settings: SessionSettings) -> Iterator[SparkSession]:
    """One session at a time per process. At its end Java has ended too, and the class archive of a first run is kept."""
    require_packages()
    if settings.is_connect:
        yield from _connect(settings)
        return
    try:
        java = find_java()
    except JavaError as error:
        raise SessionError(str(error)) from None
    import pyspark

    archive = ClassArchive(java, pyspark.__version__, Path(pyspark.__file__).parent, settings.archive_directory)
    log = cache_directory() / f"spark-{os.getpid()}.log"
    with _environment(_java_environment(java, settings)), _stderr_into(log):
        session = _start(settings, archive, log)
    try:
        if not settings.is_local:
            session.sparkContext.addPyFile(str(package_code(cache_directory())))
        yield session
    finally:
        _end(session)
        archive.keep()
        log.unlink(missing_ok=True)


def _connect(settings: SessionSettings) -> Iterator[SparkSession]:
    """A Spark Connect server does the work; no Java is needed here. Only what belongs to a session can be set from here."""
    if find_spec("grpc") is None:
        raise SessionError(f"{settings.master}: Spark Connect needs grpcio: pip install 'pyspark[connect]'")
    refused = sorted(name for name in settings.extra if not name.startswith(_OF_A_SESSION))
    if refused or settings.packages:
        raise SessionError(
            f"{settings.master}: {', '.join([*refused, *settings.packages])} has to be set where the Connect server is started;"
            f" from here only {_OF_A_SESSION}* can be"
        )
    from pyspark.sql import SparkSession

    try:
        session = SparkSession.builder.remote(settings.master).appName(settings.app_name).getOrCreate()
        for name, value in connect_settings(settings).items():
            session.conf.set(name, value)
        session.addArtifacts(str(package_code(cache_directory())), pyfile=True)
    except Exception as error:  # grpc and pyspark each have their own families of errors here
        raise SessionError(f"no Spark Connect server answers at {settings.master}: {_first_line(error)}") from error
    try:
        yield session
    finally:
        session.stop()


def connect_settings(settings: SessionSettings) -> dict[str, str]:
    """What we set of a session on somebody else's server. How many reducers is right there, the server knows."""
    return {
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.parquet.compression.codec": "zstd",
        **_ARROW,
        **settings.extra,
    }


def _start(settings: SessionSettings, archive: ClassArchive, log: Path) -> SparkSession:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(settings.master).appName(settings.app_name)
    for name, value in spark_settings(settings, archive).items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except Exception as error:  # pyspark and py4j each have their own families of errors here
        said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        reason = words_of_failure(said, str(error))
        raise SessionError(f"Spark did not start on {settings.master}: {reason} (all it said is in {log})") from error


def spark_settings(settings: SessionSettings, archive: ClassArchive) -> dict[str, str]:
    """Small data, few tasks: no web page, no progress bars, Arrow on, partitions as many as there are cores."""
    java_options = ["-XX:+UseParallelGC"]
    if settings.short_job:
        # C1 alone reserves 48 MB for code, which gold fills
        java_options = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m"]
    chosen = {
        "spark.driver.memory": settings.driver_memory,
        "spark.driver.extraJavaOptions": " ".join([*archive.java_options(), *java_options]),
        "spark.executor.extraJavaOptions": " ".join(java_options),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        **_ARROW,
        "spark.sql.shuffle.partitions": str(settings.shuffle_partitions or _cores(settings.master)),
        "spark.sql.parquet.compression.codec": "zstd",
        # The lake publishes by its manifest: marker files and summaries would only be litter in it.
        "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
        "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "2",
    }
    if settings.tiny_job:
        chosen |= _TINY
    if settings.is_local:
        chosen |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if settings.packages:
        chosen["spark.jars.packages"] = ",".join(settings.packages)
    return chosen | dict(settings.extra)


_TINY: Final = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.shuffle.compress": "false",
}


def _cores(master: str) -> int:
    """How many reducers: the cores of a local master, a moderate number where the cluster decides."""
    inside = master.removeprefix("local").strip("[]").split(",")[0]
    if not master.startswith("local"):
        return 64
    if inside == "*":
        return os.cpu_count() or 1
    return int(inside) if inside.isdigit() else 1


def _java_environment(java: Java, settings: SessionSettings) -> dict[str, str]:
    chosen = {
        "JAVA_HOME": str(java.home),
        "PYSPARK_PYTHON": _worker_python(settings),
        # spark-submit first starts a small Java only to print the command line of the real one
        "SPARK_LAUNCHER_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    if settings.is_local:
        chosen["SPARK_LOCAL_IP"] = os.environ.get("SPARK_LOCAL_IP", "127.0.0.1")
    return chosen


def _worker_python(settings: SessionSettings) -> str:
    """PySpark itself looks only at the environment variable."""
    wish = settings.extra.get("spark.pyspark.python") or os.environ.get("PYSPARK_PYTHON")
    return wish or ("python3" if settings.master.startswith(_ELSEWHERE) else sys.executable)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _stderr_into(log: Path) -> Iterator[None]:
    """Java and its Python workers inherit their stderr at the start: what they say goes to the log, not to ours."""
    log.parent.mkdir(parents=True, exist_ok=True)
    kept = os.dup(2)
    with log.open("ab") as target:
        os.dup2(target.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _end(session: Any) -> None:
    """Stop Spark and wait for its Java to end: only then is the archive written, and nothing is left behind."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    with suppress(Py4JError, ConnectionError):  # Java may be gone already
        session.stop()
    if gateway is None:
        return
    gateway.shutdown()
    process = getattr(gateway, "proc", None)
    if process is not None:
        process.stdin.close()
        process.wait()
    SparkContext._gateway = None
    SparkContext._jvm = None


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
