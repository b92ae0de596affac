"""One table of finished facts as a DataFrame function, for who needs no lake: rebalances, members, generations and their kin.

The pipeline itself folds all of them in one go (`kernel.fold_rows`); here each call folds the log anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.pipeline.fold.kernel import FACTS, OF_TABLE, fold_rows
from muster.pipeline.schemas import TABLES
from muster.pipeline.wide import TABLE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from muster.pipeline.fold.partition import FoldSettings


def table_of_facts(name: str, log: DataFrame, state: DataFrame, settings: FoldSettings) -> DataFrame:
    """One of the tables in `FACTS` alone, with exactly its documented columns: `table_of_facts("g_rebalance", ...)`.

    `state` is what is known before the rows of `log`: with none of its rows, `log` has to be a whole one. Rows that may still
    change come as they stand, as a lake has them too.
    """
    from pyspark.sql import functions as F

    if name not in FACTS:
        raise ValueError(f"{name} is none of {', '.join(FACTS)}")
    folded = fold_rows(log, state, settings)
    is_open = (F.col(TABLE) == "open") & (F.col(OF_TABLE) == name)
    return folded.where((F.col(TABLE) == name) | is_open).select(*TABLES[name].names)
