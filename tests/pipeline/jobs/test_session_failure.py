"""Why Spark did not start, in one line out of the pages that its Java writes."""

from __future__ import annotations

import re

import pytest

from muster.pipeline.session_failure import words_of_failure
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
