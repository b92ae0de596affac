"""A Spark session for our jobs: quick to start, ours to end, on any master.

Knows how a session is come by: started here, found where `spark-submit` started us, or on a Connect server; and that it is fit for
work before it is given out. Which settings it has is in `session_settings`. Jobs and tests call `open_session`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from muster.extras import install_command
from muster.pipeline.java import Java, JavaError, find_java
from muster.pipeline.session_archive import ClassArchive
from muster.pipeline.session_cache import cache_directory
from muster.pipeline.session_code import came_as_zip, package_code
from muster.pipeline.session_failure import words_of_failure
from muster.pipeline.session_fit import SessionError, check_fitness
from muster.pipeline.session_python import worker_environment
from muster.pipeline.session_settings import (
    OF_A_SESSION,
    JobSize,
    SessionSettings,
    java_options,
    patient_master,
    session_settings,
    spark_settings,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "JobSize",
    "SessionError",
    "SessionSettings",
    "is_submitted",
    "open_session",
    "require_packages",
    "submitted_settings",
    "web_page",
]

_REQUIRED: Final = ("pyspark", "pyarrow", "pandas", "polars")
_SUBMITTED: Final = "PYSPARK_GATEWAY_PORT"
"""Set in the environment of a Python that `spark-submit` started: Java is there already."""


def require_packages() -> None:
    missing = [name for name in _REQUIRED if find_spec(name) is None]
    if missing:
        raise SessionError(f"the pipeline needs {', '.join(missing)}: {install_command('pipeline')}")


def is_submitted() -> bool:
    """Has `spark-submit` started us? Then it has chosen the master."""
    return _SUBMITTED in os.environ


def submitted_settings() -> dict[str, str]:
    """What `spark-submit` was told, as Spark's settings; nothing where it did not start us."""
    if not is_submitted():
        return {}
    from pyspark import SparkConf, SparkContext

    SparkContext._ensure_initialized()  # Java has the settings: before it is connected to, this side knows of none
    return dict(SparkConf().getAll())


@contextmanager
def open_session(settings: SessionSettings) -> Iterator[SparkSession]:
    """One session at a time per process. At its end Java has ended too, and the class archive of a first run is kept."""
    require_packages()
    with _py4j_is_quiet():
        if settings.is_connect:
            yield from _connect(settings)
        elif is_submitted():
            yield from _use_submitted(settings)
        else:
            yield from _start(settings)


def web_page(spark: SparkSession) -> str | None:
    """The address of Spark's web page, if it has one that we can know."""
    context = getattr(spark, "sparkContext", None)
    address = None if context is None else context.uiWebUrl
    return str(address) if address else None


# -- started here


def _start(settings: SessionSettings) -> Iterator[SparkSession]:
    try:
        java = find_java()
    except JavaError as error:
        raise SessionError(str(error)) from None
    import pyspark

    archive = ClassArchive(java, pyspark.__version__, Path(pyspark.__file__).parent)
    options = java_options(settings.size, java.version)
    log = cache_directory() / f"spark-{os.getpid()}.log"
    try:
        with _environment(_java_environment(java, settings)), _stderr_into(log):
            session = _build(settings, spark_settings(settings, [*archive.java_options(), *options], options), log)
    except KeyboardInterrupt:
        log.unlink(missing_ok=True)  # it says nothing of a failure
        raise
    try:
        if settings.is_local:
            _without_checksum_files(session)
        else:
            _send_code(session)
        check_fitness(session, settings)
        yield session
    finally:
        _end(session)
        archive.keep()
        log.unlink(missing_ok=True)


def _build(settings: SessionSettings, chosen: Mapping[str, str], log: Path) -> SparkSession:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(patient_master(settings.master)).appName(settings.app_name)
    for name, value in chosen.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except Exception as error:  # pyspark and py4j each have their own families of errors here
        said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        reason = words_of_failure(said, str(error))
        raise SessionError(f"Spark did not start on {settings.master}: {reason} (all it said is in {log})") from error


def _without_checksum_files(session: Any) -> None:
    """Hadoop writes a hidden `.crc` beside every local file, which nobody would ever remove from a lake."""
    java = session.sparkContext._jvm
    configuration = session.sparkContext._jsc.hadoopConfiguration()
    java.org.apache.hadoop.fs.FileSystem.getLocal(configuration).setWriteChecksum(False)


def _send_code(session: Any) -> None:
    """Our code goes to the workers.

    The process beside the driver that plans a stream gets no such files (its directory is another): it imports our installation, or
    the zip that we came as ourselves.
    """
    context = session.sparkContext
    packed = _packed_code()
    context.addPyFile(packed)
    if came_as_zip():
        known = context.environment.get("PYTHONPATH")
        context.environment["PYTHONPATH"] = os.pathsep.join([packed, known] if known else [packed])


def _packed_code() -> str:
    directory = cache_directory()
    try:
        return str(package_code(directory))
    except OSError as error:
        raise SessionError(f"our code cannot be packed into {directory}: {error.strerror or error}") from None


# -- started by spark-submit


def _use_submitted(settings: SessionSettings) -> Iterator[SparkSession]:
    """`spark-submit` has started Java and chosen the master; what it was told wins over what we would choose."""
    from pyspark.sql import SparkSession

    told = submitted_settings()
    master = told.get("spark.master", settings.master)
    settings = replace(settings, master=master, packages=(), extra={**told, **settings.extra})
    builder = SparkSession.builder
    for name, value in spark_settings(settings, []).items():
        if value and value != told.get(name):
            builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        _send_code(session)
        check_fitness(session, settings)
        yield session
    finally:
        session.stop()


# -- on a Connect server


def _connect(settings: SessionSettings) -> Iterator[SparkSession]:
    """A Spark Connect server does the work; no Java is needed here. Only what belongs to a session can be set from here."""
    if find_spec("grpc") is None:
        raise SessionError(f"{settings.master}: Spark Connect needs grpcio: pip install 'pyspark[connect]'")
    refused = sorted(name for name in settings.extra if not name.startswith(OF_A_SESSION))
    if refused or settings.packages:
        raise SessionError(
            f"{settings.master}: {', '.join([*refused, *settings.packages])} has to be set where the Connect server is started;"
            f" from here only {OF_A_SESSION}* can be"
        )
    from pyspark.sql import SparkSession

    packed = _packed_code()
    try:
        session = SparkSession.builder.remote(settings.master).appName(settings.app_name).getOrCreate()
        for name, value in session_settings(settings).items():
            session.conf.set(name, value)
        session.addArtifacts(packed, pyfile=True)
    except Exception as error:  # grpc and pyspark each have their own families of errors here
        raise SessionError(f"no Spark Connect server answers at {settings.master}: {_first_line(error)}") from error
    try:
        check_fitness(session, settings)
        yield session
    finally:
        session.stop()


# -- the process around it


def _java_environment(java: Java, settings: SessionSettings) -> dict[str, str]:
    chosen = {
        "JAVA_HOME": str(java.home),
        # spark-submit first starts a small Java only to print the command line of the real one
        "SPARK_LAUNCHER_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        **worker_environment(settings, cache_directory()),
    }
    if settings.is_local:
        chosen["SPARK_LOCAL_IP"] = os.environ.get("SPARK_LOCAL_IP", "127.0.0.1")
    return chosen


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
    """Java and its Python workers inherit their stderr at the start: what they say goes to the log, not to ours.

    A start that failed has left its log, and in a container the next one has the same pid, so the same log: it begins anew.
    """
    kept = os.dup(2)
    with log.open("ab") as target:  # appended to by all that inherit it, from here on
        target.truncate(0)
        os.dup2(target.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


@contextmanager
def _py4j_is_quiet() -> Iterator[None]:
    """What py4j raises it also logs with a traceback, a Ctrl-C even where everybody sees it. Whoever ends by it says so in a line.

    A program that has set up logging hears it all.
    """
    root, py4j = logging.getLogger(), logging.getLogger("py4j")
    if root.handlers:
        yield
        return

    def is_another(record: logging.LogRecord) -> bool:
        return not record.getMessage().startswith("KeyboardInterrupt while")

    propagates = py4j.propagate
    root.addFilter(is_another)
    py4j.propagate = False  # for that Ctrl-C has given the root a handler
    try:
        yield
    finally:
        py4j.propagate = propagates
        root.removeFilter(is_another)


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
