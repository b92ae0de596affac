"""Why Spark did not start, in one line out of the pages that its Java writes."""

from __future__ import annotations

import re

import pytest

from muster.pipeline.session_failure import words_of_failure, words_of_lake_failure, words_of_probe_failure
from muster.pipeline.session_probe import look_around, words_of
from muster.pipeline.sources.connector_logs import PACKAGE, connector_is_there

_BEGIN = 'Exception in thread "main" '
UNRESOLVED = f"""\
:: loading settings :: url = jar:file:/x/ivy-2.5.2.jar!/org/apache/ivy/core/settings/ivysettings.xml
org.apache.spark#spark-sql-kafka-0-10_2.13 added as a dependency
{_BEGIN}java.lang.RuntimeException: [unresolved dependency: org.apache.spark#spark-sql-kafka-0-10_2.13;9.9.9: not found]
\tat org.apache.spark.util.MavenUtils$.resolveMavenCoordinates(MavenUtils.scala:540)
"""
HALF_THERE = f"""\
{_BEGIN}java.lang.RuntimeException: [download failed: org.slf4j#slf4j-api;2.0.16!slf4j-api.jar, download failed: a#b;1!b.jar]
"""
NO_HADOOP = f"""\
WARNING: Using incubator modules
{_BEGIN}org.apache.spark.SparkException: When running with master 'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set.
\tat org.apache.spark.deploy.SparkSubmitArguments.error(SparkSubmitArguments.scala:663)
"""


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (UNRESOLVED, r"could not be fetched: org\.apache\.spark:spark-sql-kafka-0-10_2\.13:9\.9\.9\. .*--reader own"),
        (HALF_THERE, r"could not be fetched: org\.slf4j:slf4j-api:2\.0\.16, a:b:1\. Check the names"),
        (NO_HADOOP, r"^When running with master 'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set\.$"),
    ],
)
def test_reason_is_found_in_what_java_said(said: str, words: str) -> None:
    found = words_of_failure(said, "[JAVA_GATEWAY_EXITED] Java gateway process exited")
    assert re.search(words, found), found


def test_reason_is_found_in_what_python_was_told() -> None:
    told = "An error occurred while calling None.X.\n: a.b.SomeException: An error has occurred.\n\tat a.b(c:1)\n"
    assert words_of_failure("", told) == "An error has occurred."
    assert words_of_failure("", told + "Caused by: java.io.IOException: Connection refused\n") == "Connection refused"
    assert words_of_failure("ERROR: All masters are unresponsive! Giving up.", told) == "no Spark master answers there"
    assert words_of_failure("", "plain words\nmore") == "plain words"


def test_connector_is_there_when_it_is_named() -> None:
    assert connector_is_there((f"{PACKAGE}:4.0.0",), {})
    assert connector_is_there((), {"spark.jars": "/jars/spark-sql-kafka-0-10_2.13-4.0.0.jar"})
    assert not connector_is_there(("org.example:other:1",), {"spark.jars": "/jars/other.jar"})


VERSIONS = (
    "pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.12 "
    "than that in driver: 3.11, PySpark cannot run with different minor versions."
)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (VERSIONS, r"^the workers' Python is 3\.12, this one is 3\.11, .* spark\.pyspark\.python"),
        (
            'java.io.IOException: Cannot run program "/venv/bin/python": error=2',
            r"^the workers have no /venv/bin/python: ",
        ),
        (
            "Caused by: a.B: \nError from python worker:\n  pyenv: no python3.12\nPYTHONPATH was:",
            r"did not start: pyenv: no python3\.12$",
        ),
        ("x\nModuleNotFoundError: No module named 'pyarrow'\ny", r"^the workers' Python lacks pyarrow: "),
        (
            "E\n: a.b.C: Job aborted\nCaused by: x.Y: no\nCaused by: z.Q: disk is full\n",
            r"a first task failed .*: disk is full$",
        ),
        (
            "[STREAMING_PYTHON_RUNNER_INITIALIZATION_FAILURE] Streaming Runner failed, returned -2. Cause: Traceback\n"
            "  File x\nAttributeError: Can't get attribute 'ConnectBatch'\n\nJVM stacktrace:\n\tat java",
            r"^the Connect server cannot run our code: AttributeError: Can't get attribute 'ConnectBatch' \(has it another",
        ),
    ],
)
def test_a_first_task_that_fails_is_told_in_a_line(error: str, words: str) -> None:
    found = words_of_probe_failure(error)
    assert re.search(words, found), found
    assert "\n" not in found


def test_a_file_system_that_spark_does_not_know_is_named() -> None:
    missing = "java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found"
    assert "hadoop-aws" in words_of_lake_failure(missing)
    unknown = 'org.apache.hadoop.fs.UnsupportedFileSystemException: No FileSystem for scheme "abc"'
    assert words_of_lake_failure(unknown) == "Spark has no classes for abc://"
    refused = "An error\n: java.net.ConnectException: Call failed\n\tat x\nCaused by: a.B: Connection refused\n"
    assert words_of_lake_failure(refused) == "Connection refused"


def test_workers_that_lack_something_are_named_with_what_they_lack() -> None:
    host, python, problem = look_around({"no-such-package": (1, 0), "pyarrow": (999, 0)})
    assert problem.startswith("no-such-package is missing; pyarrow is ")
    told = words_of([(host, python, ""), ("b", "3.11.7", "polars is missing"), ("a", "3.11.7", "polars is missing")])
    assert told is not None
    assert "on a, b: polars is missing (Python 3.11.7)" in told
    assert words_of([look_around()]) is None
