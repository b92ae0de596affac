"""What new log rows mean, given what is known already: `fold(fold(s, a), b) == fold(s, a + b)`.

One Arrow kernel runs inside Spark on whole log partitions: the state that they had and their new rows go in; the new state and the
facts that are finished now come out. Knows rows and state, not where they are kept.
"""
