"""Who consumes which partition: the client-side assignors of Kafka's consumer protocol, as pure functions.

`contract` has the types, `choice` finds an assignor by its name. The same ones serve the member client, tools and what-if
questions. No I/O, no chance: members in any order give the same answer.
"""
