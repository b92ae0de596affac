"""Bytes of log records become rows of the table `log`: `log_rows`. Commits by columns, the rest one by one. Plain Arrow, no
Spark.
"""
