"""Where each topic partition ended, and when: what is remembered of the samples, one row a partition.

`schema` says what is kept, `steps` how a sample changes it, `fold` runs that inside Spark. Knows samples, not who took them.
"""
