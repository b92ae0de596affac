"""Tables of "now" and the history of the lag, from what is remembered: Spark SQL over state and ends, a file a table.

Costs what there is of groups, positions and partitions, not what there was: no row of the log is read. `build` puts them together.
"""
