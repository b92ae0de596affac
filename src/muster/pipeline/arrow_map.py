"""An Arrow kernel over the rows of a DataFrame, with the columns that go in and come out named.

On Spark Connect `mapInArrow` has to know the names of its input's columns and asks the server for them; inside a declarative
pipeline that question is refused, since tables need not be there yet. Who tells them is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from muster.pipeline.collector import imports_spared

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Kernel = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def map_arrow(rows: DataFrame, kernel: Kernel | Any, takes: pa.Schema, gives: pa.Schema) -> DataFrame:
    """`rows` have the columns `takes`; what the kernel yields has the columns `gives`."""
    from pyspark.sql.pandas.types import from_arrow_schema

    if is_connect(rows):
        # There is no public way that is not a question to the server: `DataFrame.to` and `schema` both are.
        rows._cached_schema = from_arrow_schema(takes)
    return rows.mapInArrow(_Task(kernel), from_arrow_schema(gives))


@dataclass(frozen=True, slots=True)
class _Task:
    """Runs the kernel in a Python worker."""

    kernel: Kernel | Any

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with imports_spared():
            yield from self.kernel(batches)


def is_connect(frame: Any) -> bool:
    """Whether a DataFrame, or a session, is one of Spark Connect."""
    return ".connect." in type(frame).__module__
