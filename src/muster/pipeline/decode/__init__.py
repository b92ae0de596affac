"""Bronze records become silver rows, one record at a time.

`decode_bronze(df, partition_count=None)` gives one DataFrame for each table of `ROW_TABLES`; `decode_batch` is the same over one
Arrow batch, without Spark. What depends on neighbouring records is null here (`muster.pipeline.tables` fills it in).
"""

from __future__ import annotations

from muster.pipeline.decode.batch import decode_batch
from muster.pipeline.decode.row_schemas import ROW_TABLES, row_spark_schema
from muster.pipeline.decode.spark import decode_bronze, decoder_of

__all__ = ["ROW_TABLES", "decode_batch", "decode_bronze", "decoder_of", "row_spark_schema"]
