"""What would have happened with other settings: recorded groups, replayed by the real core under a virtual clock.

`recorded` reads what clients did from a journal, `replay` lets them do it again, `variants` are other settings, `answer` compares.
All of that is pure; `job` does it for many groups on Spark.
"""
