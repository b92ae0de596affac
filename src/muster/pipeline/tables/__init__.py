"""The rules of the tables as pure functions of Polars frames: what a pause is, when an offset expires, what a status means.

One file a rule or table; what ends in `conform` has the columns of its contract. Knows columns, not where rows come from or go
to: the kernels of `fold`, `ends` and `now` call these functions on rows that Spark has brought together.
"""
