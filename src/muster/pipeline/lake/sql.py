"""SQL over a lake for people: the tables that a statement names become views, then Spark runs it.

Only those tables, for every view costs Spark a look at its files. Called by `muster pipeline sql`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.spark_reader import SparkLake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]


def run_sql(spark: SparkSession, location: Location, statement: str) -> tuple[list[str], Iterator[Row]]:
    """The columns of the answer, and its rows as they come. LakeError: the statement cannot be run, in Spark's words."""
    from pyspark.errors import PySparkException

    # PySpark logs every error of a statement with Java's stack, beside raising it.
    logging.getLogger("SQLQueryContextLogger").disabled = True
    lake = SparkLake(spark, Lake.open(location))
    for name in named_tables(statement, lake.tables):
        lake.table(name).createOrReplaceTempView(name)
    try:
        answer = spark.sql(statement)
        return answer.columns, (row.asDict(recursive=True) for row in answer.toLocalIterator())
    except PySparkException as error:
        raise LakeError(f"Spark cannot run this: {_in_short(str(error))}") from error


def named_tables(statement: str, tables: list[str]) -> list[str]:
    """The tables whose names occur in a statement; all of them where none does, as in `show views`."""
    words = set(re.findall(r"\w+", statement.lower()))
    return [name for name in tables if name in words] or tables


def first_rows(rows: Iterator[Row], count: int) -> tuple[list[Row], bool]:
    """So many rows (0: all), and whether there are more."""
    if not count:
        return list(rows), False
    shown = list(islice(rows, count))
    return shown, next(rows, None) is not None


def _in_short(text: str) -> str:
    """Spark's errors go on with the plan or the statement; the first line says what is wrong and where."""
    return text.strip().splitlines()[0].rstrip(";") if text.strip() else "it does not say why"
