"""Lets `spark-pipelines` of PySpark 4.3.0 run with Python data sources.

Spark reports a (here empty) profile of every Python process that plans a source. The loop that follows a pipeline's events does not
know such a report and gives up: "[UNKNOWN_RESPONSE] ... __python_accumulator__". Here it is taken out of the answers, after the
client has read it. To be deleted with the first PySpark that does this itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql.connect.client import SparkConnectClient

_original = SparkConnectClient._execute_and_fetch_as_iterator


def _without_profiles(self: SparkConnectClient, *arguments: Any, **named: Any) -> Iterator[Any]:
    for answer in _original(self, *arguments, **named):
        if getattr(answer, "name", None) != "__python_accumulator__":
            yield answer


SparkConnectClient._execute_and_fetch_as_iterator = _without_profiles
