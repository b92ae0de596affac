"""When Spark is to generate code for a step of a round: a class of its own for the rows of every plan, which Java then compiles.

Worth it for many rows, and for a step that comes again and again. Knows which steps this process has made; nothing of what they do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_INTERPRETED_RECORDS: Final = 200_000
"""Up to here generating and compiling code for the fold's rows costs more than it saves, if they are folded once."""
_CODE: Final = "spark.sql.codegen.factoryMode"
_NONE: Final = "NO_CODEGEN"
_IF_IT_COMPILES: Final = "FALLBACK"
"""Spark's default: what does not compile is interpreted."""


class GeneratedCode:
    """Steps that this process has made, which Java has compiled code for, and with how many records the last time."""

    def __init__(self) -> None:
        self._records: dict[str, int] = {}

    def note(self, step: str, records: int) -> None:
        self._records[step] = records

    def had_many_records(self, step: str) -> bool:
        """The last time."""
        return self._records.get(step, 0) >= _INTERPRETED_RECORDS

    @contextmanager
    def only_if_worth_it(
        self, spark: SparkSession, step: str, records: int = 0, *, has_large_state: bool = False
    ) -> Iterator[None]:
        """For a step that is made inside. `records` of the log go in beside the state."""
        before = spark.conf.get(_CODE)
        if before == _NONE:
            code = _IF_IT_COMPILES if has_large_state else _NONE  # the session of a small run
        else:
            is_worth_it = has_large_state or step in self._records or records >= _INTERPRETED_RECORDS
            code = before if is_worth_it else _NONE
        self.note(step, records)
        spark.conf.set(_CODE, code)
        try:
            yield
        finally:
            spark.conf.set(_CODE, before)
