"""Bronze records become silver rows, one record at a time.

`decode_bronze(df, partition_count=None)` gives one DataFrame for each table of `row_schemas.ROW_TABLES`; `decode_batch` is the
same over one Arrow batch, without Spark. What depends on neighbouring records is null here (`muster.pipeline.tables` fills it in).
"""
