"""The tables as numbered steps, and which of them this release works with (decision 0021).

What each column means is written in docs/cluster.md. How a database gets the tables is in `migration`, who may use it
in `schema`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Step:
    """Brings a database from one schema version to the next."""

    statements: str
    is_contract: bool
    """False: an expand step, which nodes that do not know it neither notice nor disturb. True: it takes away or changes
    what such nodes need, so it has to wait until none of them is left."""


_FIRST: Final = """
CREATE TABLE muster.cluster (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    cluster_id text NOT NULL,
    changes bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE muster.documents (
    name text PRIMARY KEY,
    version bigint NOT NULL,
    content bytea NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE muster.nodes (
    node_id integer PRIMARY KEY,
    incarnation uuid NOT NULL,
    rack text,
    endpoints jsonb NOT NULL,
    release text NOT NULL,
    lease_until timestamptz NOT NULL,
    is_draining boolean NOT NULL DEFAULT false,
    started_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE muster.partitions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text NOT NULL,
    partition integer NOT NULL,
    topic_id uuid NOT NULL,
    owner integer,
    epoch integer NOT NULL DEFAULT -1,
    start_offset bigint NOT NULL DEFAULT 0,
    end_offset bigint NOT NULL DEFAULT 0,
    clean_offset bigint NOT NULL DEFAULT 0,
    UNIQUE (topic, partition)
);
CREATE TABLE muster.batches (
    partition_id bigint NOT NULL REFERENCES muster.partitions ON DELETE CASCADE,
    base_offset bigint NOT NULL,
    next_offset bigint NOT NULL,
    segment_base bigint NOT NULL,
    max_timestamp bigint NOT NULL,
    appended_at_ms bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (partition_id, base_offset)
);
ALTER TABLE muster.batches ALTER content SET STORAGE EXTERNAL;
"""

_TRANSACTIONS: Final = """
ALTER TABLE muster.partitions ADD COLUMN has_transactions boolean NOT NULL DEFAULT false;
"""

_WHO_SPEAKS_WHAT: Final = """
ALTER TABLE muster.nodes
    ADD COLUMN schema_oldest integer,
    ADD COLUMN schema_newest integer,
    ADD COLUMN schema_said_by uuid;
ALTER TABLE muster.schema_version ADD COLUMN expanded integer;
"""

MIGRATIONS: Final = (
    Step(_FIRST, is_contract=True),
    Step(_TRANSACTIONS, is_contract=True),
    Step(_WHO_SPEAKS_WHAT, is_contract=False),
)
"""Step n brings a database from version n to n + 1. Steps that a release has shipped never change."""

NEWEST: Final = len(MIGRATIONS)
"""The last version that this release knows."""
OLDEST: Final = 2
"""The first version with which this release works: that of the release before. What came later it uses only where it is."""

SPEAKERS: Final = 3
"""The version with which nodes say which versions they speak."""
