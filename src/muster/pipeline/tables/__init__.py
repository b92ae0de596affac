"""Tables as functions DataFrame -> DataFrame: decoded rows become finished silver, finished silver becomes gold.

Knows columns and rules, not where rows come from or go to. One file a table; each ends in `conform`, the one `select` that is the
schema contract. `silver.finish_silver` and `build.build_gold` put them together; the jobs call only those two.
"""
