"""Tables as functions DataFrame -> DataFrame: decoded rows become finished silver, finished silver becomes gold.

Knows columns and rules, not where rows come from or go to. One file a table; each ends in `conform`, the one `select` that is the
schema contract. Frames are those of Polars: tables run inside a task, on whole groups (decision 0007). `silver` and `build` put
them together; jobs know only those two, and `commit_rows`, `log_extent` and `end_offsets` for what is too large for one frame.
"""
