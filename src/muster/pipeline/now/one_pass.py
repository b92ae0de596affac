"""Several tables from one DataFrame in one pass: each row becomes one row of every table that it belongs to.

A union of one `select` a table would make the rows again for each of them. The same description of a table gives it alone, for
whoever wants only that one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from muster.pipeline.schemas import TABLES
from muster.pipeline.wide import PART, TABLE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Selected:
    """A documented table out of rows that know more: which rows, and which column is called otherwise there."""

    table: str
    where: str
    """A flag of the rows."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Columns of the table that have another name in the rows."""

    @property
    def columns(self) -> list[tuple[str, str, str]]:
        """Name, name in the rows, and type."""
        from pyspark.sql.pandas.types import from_arrow_type

        return [
            (each.name, self.renamed.get(each.name, each.name), from_arrow_type(each.type).simpleString())
            for each in TABLES[self.table]
        ]


def select(rows: DataFrame, selected: Selected) -> DataFrame:
    """One table alone, with exactly the columns of the contract."""
    from pyspark.sql import functions as F

    return rows.where(selected.where).select(
        *(F.col(source).cast(kind).alias(name) for name, source, kind in selected.columns)
    )


def select_all(rows: DataFrame, tables: Sequence[Selected], part: str) -> DataFrame:
    """All of them, as rows of the wide DataFrame."""
    from pyspark.sql import functions as F

    belongs = F.array_compact(F.array(*(F.when(F.col(each.where), F.lit(each.table)) for each in tables)))
    sources: dict[str, dict[tuple[str, str], list[str]]] = {}
    for each in tables:
        for name, source, kind in each.columns:
            sources.setdefault(name, {}).setdefault((source, kind), []).append(each.table)
    columns = []
    for name, by_source in sources.items():
        chosen = [
            F.when(F.col(TABLE).isin(of_tables), F.col(source).cast(kind))
            for (source, kind), of_tables in by_source.items()
        ]
        columns.append((chosen[0] if len(chosen) == 1 else F.coalesce(*chosen)).alias(name))
    return rows.withColumn(TABLE, F.explode(belongs)).select(TABLE, F.lit(part).alias(PART), *columns)
