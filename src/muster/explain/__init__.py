"""Explains rebalances in plain words: from the group journal, or, where there is none, from what `__consumer_offsets` shows.

    event         one journal record as a value; tolerant of what it does not know
    facts         what is known of a rebalance: rounds, waits, moves, time without an owner
    fold          journal events to facts, in the order of the log; `classic_fold` is its part for classic groups
    epochs        the part for consumer groups (KIP-848): epochs, targets, who gave up what and when
    attendance    who is there, who went, who came back; `ownership`: who owns which partition, and how long nobody did
    inferred      stored groups to facts, for a Kafka cluster that keeps no journal
    causes        why, from two neighbouring generations alone; the pipeline infers by the same function
    diagnosis     why, in the light of what followed
    summary       what a period's rebalances amount to
    advice*       what the reader could change, with the figures that say so
    names, words  how members, times and partitions are called
    told*         facts to sentences; `machine` makes the same facts JSON
    from_files    events of a data directory; `from_cluster` asks brokers
    watch         one moment of many groups, for the live view

Pure but for the last two rows. docs/explain.md says what the figures mean. Nothing is imported here.
"""
