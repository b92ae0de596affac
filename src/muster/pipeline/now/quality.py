"""`g_data_quality`: what was read of each log partition, what could not be understood, and from where on nothing is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.pipeline.now.positions import of_kind
from muster.pipeline.schemas import TABLES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def data_quality(state: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    rows = of_kind(state, "extent").withColumn("open_transactions", F.size("open_producers"))
    return rows.select(TABLES["g_data_quality"].names)
