"""Every limit of the server that is not an operator's setting, named once (design law 6).

What operators may change (`socket.request.max.bytes`, `max.connections`, `connections.max.idle.ms`) is in `settings.py`.
"""

from __future__ import annotations

from typing import Final

FRAME_SIZE_BYTES: Final = 4
"""The length prefix of a frame."""

WAITING_BYTES_PER_CONNECTION: Final = 64 * 1024
"""Bytes kept behind a request in work before reading from that connection pauses."""

UNCOUNTED_BYTES_PER_CONNECTION: Final = 64 * 1024
"""Requests of this size do not count for `queued.max.request.bytes`, and never wait for it."""

UNAUTHENTICATED_BYTES: Final = 16 * 1024 * 1024
"""Bytes of requests held for all connections that have not authenticated yet."""

UNCOUNTED_BYTES_BEFORE_AUTHENTICATION: Final = 4 * 1024
"""Of one of these connections, beside that: handshakes and passwords are shorter."""

UNCONFIRMED_BYTES_PER_CONNECTION: Final = 4 * 1024 * 1024
"""What a producer with acks=0 may have on its way to the disk before its next request waits for some of it."""

WRITE_HIGH_WATER_BYTES: Final = 256 * 1024
"""Unsent reply bytes at which a connection takes no further requests until the client has read some."""

MOST_REPLY_BYTES: Final = 100 * 1024 * 1024
"""What a reply may have; as much as a request by default. Fetch has `fetch.max.bytes`, which is less."""

MOST_ENTRIES: Final = 50_000
"""What `muster.request.max.entries` can be set to: entries in all arrays of one request together, of structs and of names. Decoders
refuse a single array that is longer."""

MOST_REPEATS: Final = 1_000
"""What a reply repeats because the request lists it again, in things of up to `REPEATED_BYTES`: so 4 MiB in all."""

REPEATED_BYTES: Final = 4 * 1024

LARGE_FRAME_BYTES: Final = 1024 * 1024
"""Frames above this size are collected so that they can be taken without copying them."""

LARGE_REQUEST_BYTES: Final = 64 * 1024
"""Requests up to this size cannot list enough to be counted."""

TOPICS_CREATED_AT_ONCE: Final = 20
"""Topics that one Metadata request makes by naming them; for the others the client asks again, as it does anyway."""

LISTEN_BACKLOG: Final = 1024
"""Connections that the kernel keeps waiting to be accepted."""

ACCEPTED_AT_ONCE: Final = 100
"""Connections that are accepted before others are served again."""

ACCEPT_PAUSE_SECONDS: Final = 0.2
"""How long nobody is accepted when the process has no descriptor left."""

RECEIVED_AT_ONCE_BYTES: Final = 64 * 1024
"""Of one connection, before others are served."""

SMALL_REQUEST_BYTES: Final = 440
"""What most requests need at most: received into an object that Python's own allocator gives (up to 512 bytes with its head)."""

REPEATED_REQUEST_BYTES: Final = 8 * 1024
"""The largest request that a connection learns, one for each API whose requests repeat."""

REPEAT_PAUSES: Final = (0, 0, 1, 2, 4, 8, 16, 32, 64)
"""How many requests are left out after a try to learn one that was of no use, and after each further one."""

SENT_WITHOUT_DELAY_BYTES: Final = 64 * 1024
"""So much of one connection is sent at once; less waits for the end of the turn."""

EVENTS_AT_ONCE: Final = 256
"""Connections that are served before the loop looks at anything else."""

FEW_EVENTS: Final = 40
"""As many are asked for when there were few the last time: room for them comes from Python's own allocator, 12 bytes each."""

ROUNDS_WITHOUT_ASYNCIO: Final = 256
"""How often the reactor waits and serves before it returns to asyncio without a reason: signals that came meanwhile are
seen then at the latest."""

LONGEST_FETCH_WAIT_MS: Final = 300_000
"""The most that a Fetch waits, whatever its max_wait_ms says; librdkafka allows no more either. Kafka has no such limit."""

IDLE_SWEEPS_PER_LIMIT: Final = 4
"""How often idle connections are looked for within one `connections.max.idle.ms`; one sweep is cheap but not free."""

IDLE_SWEEP_MAX_SECONDS: Final = 30.0
"""The longest pause between two looks for idle connections."""

IDLE_SWEEP_MIN_SECONDS: Final = 0.05

FAREWELL_SECONDS: Final = 0.1
"""How long a connection that failed to authenticate stays open after it was told: some clients (kafka-python) see only the end
of the connection if it comes together with the answer."""

STOP_FLUSH_SECONDS: Final = 5.0
"""How long a stopping server waits for clients to take their last replies before it cuts them off."""

LOGGED_TEXT_CHARS: Final = 120
"""Text that a peer chose is cut to this length in log lines."""

COLLECT_AFTER_OBJECTS: Final = 20_000
"""New objects that may be cyclic garbage before the collector looks; Python's own is 700."""
