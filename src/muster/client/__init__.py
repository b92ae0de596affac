"""The other side of the protocol: connections, a cluster's brokers, admin questions, and members of groups.

Works against Muster and Apache Kafka alike, in the newest versions that both sides know. docs/client.md shows how to use
it. Nothing is imported here: take what you need from the module that has it.

    security     who we are and whom we trust, from Kafka's client properties
    connection   one TCP connection: versions, TLS, SASL, calls
    cluster      many brokers: who leads, who coordinates, and asking again
    admin        groups, offsets, topics and records, one function a question
    member       a member of a consumer group; membership is the same for any protocol type
"""
