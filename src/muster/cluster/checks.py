"""Is the cluster fit to be run for years? One finding a question, each with what to do: `muster cluster check`.

Asks the database alone, and changes nothing. What a role without `pg_monitor` may not see is said to be unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from muster.cluster.database_checks import bloat, connections, durability, replication, vacuum
from muster.cluster.findings import Finding, Level, ask
from muster.log.contract import StorageError
from muster.log.postgres.deletion import OF_TOPICS
from muster.log.postgres.schema import check as check_schema

if TYPE_CHECKING:
    from muster.cluster.findings import Database

CLOCK_WARN_S: Final = 1.0
CLOCK_FAIL_S: Final = 60.0
"""Records of one topic would be stamped a minute apart, and retention and expiry go by those stamps."""


def all_findings(connection: Database, release: str, clock_s: Callable[[], float]) -> Iterator[Finding]:
    """`release`: of whoever asks. `clock_s`: this machine's wall clock."""
    try:
        check_schema(connection)
    except StorageError as error:
        yield Finding("schema", Level.FAIL, str(error), "nothing else can be looked at before")
        return
    yield Finding("schema", Level.OK, "the database has the tables of this release")
    yield from leases(connection)
    yield from versions(connection, release)
    yield from topic_ids(connection)
    yield from clocks(connection, clock_s)
    yield from durability(connection)
    yield from replication(connection)
    yield from vacuum(connection)
    yield from bloat(connection)
    yield from connections(connection)


def leases(connection: Database) -> Iterator[Finding]:
    rows = connection.execute(
        "SELECT node_id, is_draining, extract(epoch FROM lease_until - now())::float FROM muster.nodes ORDER BY node_id"
    ).fetchall()
    live = [node_id for node_id, _, left_s in rows if left_s >= 0]
    gone = [node_id for node_id, _, left_s in rows if left_s < 0]
    drained = [node_id for node_id, is_draining, left_s in rows if is_draining and left_s >= 0]
    unled = ask(
        connection,
        f"SELECT count(*) FROM muster.partitions WHERE {OF_TOPICS} AND (owner IS NULL OR owner NOT IN"  # noqa: S608
        " (SELECT node_id FROM muster.nodes WHERE lease_until >= now()))",
    )
    if not live:
        yield Finding("leases", Level.FAIL, "no node has a lease", "start nodes: `muster serve --store URL`")
        return
    if unled:
        yield Finding(
            "leases",
            Level.FAIL,
            f"{unled} partitions are led by no live node",
            "ask again in a few seconds; if it stays, look into the nodes' logs, then `muster cluster rebalance`",
        )
    elif gone:
        yield Finding(
            "leases",
            Level.WARN,
            f"the lease of {_nodes(gone)} is over and nobody has taken the row away yet",
            "ask again in a few seconds; if it stays, no node plans: look into their logs",
        )
    else:
        yield Finding("leases", Level.OK, f"{_nodes(live)} live, every partition is led")
    if drained:
        yield Finding(
            "leases", Level.WARN, f"{_nodes(drained)} drained: leads nothing", "start it again, or stop it for good"
        )
    if len(live) == 1:
        yield Finding("leases", Level.WARN, "one node alone: nobody takes over when it goes", "start a second one")


def versions(connection: Database, release: str) -> Iterator[Finding]:
    rows = connection.execute("SELECT node_id, release FROM muster.nodes WHERE lease_until >= now() ORDER BY node_id")
    by_release: dict[str, list[int]] = {}
    for node_id, said in rows:
        by_release.setdefault(said, []).append(node_id)
    told = "; ".join(f"{said}: {_nodes(nodes)}" for said, nodes in sorted(by_release.items()))
    if len(by_release) > 1:
        yield Finding(
            "versions",
            Level.WARN,
            f"nodes of different releases ({told})",
            "finish the upgrade: restart the older ones",
        )
    elif by_release and release not in by_release:
        yield Finding(
            "versions", Level.WARN, f"nodes run {told}, this command is of {release}", "use the same release for both"
        )
    elif by_release:
        yield Finding("versions", Level.OK, f"all nodes run {release}")


def topic_ids(connection: Database) -> Iterator[Finding]:
    """Until release 0.2 logs were found by the names of their topics, whatever ids they had."""
    rows = connection.execute(_STRANGERS).fetchall()
    for topic, partitions, theirs, its_own in rows:
        names = ", ".join(f"{topic}-{partition}" for partition in partitions)
        yield Finding(
            "topics",
            Level.FAIL,
            f"{names}: the records are of topic id {theirs}, the topic has {its_own}: nobody leads or deletes them",
            _STRANGERS_ADVICE.format(topic=topic, theirs=theirs, its_own=its_own),
        )
    if not rows:
        yield Finding("topics", Level.OK, "all records under a topic's name are of that topic")


_STRANGERS: Final = """
WITH topics AS (
    SELECT topic ->> 'name' AS name,
        encode(decode(translate(topic ->> 'id', '-_', '+/') || '==', 'base64'), 'hex')::uuid AS id
    FROM muster.documents, jsonb_array_elements(convert_from(content, 'UTF8')::jsonb -> 'topics') AS topic
    WHERE documents.name = 'topics.json'
)
SELECT topic, array_agg(partition ORDER BY partition), topic_id, topics.id
FROM muster.partitions JOIN topics ON topic = topics.name
WHERE topic_id <> topics.id AND EXISTS (SELECT FROM muster.batches WHERE partition_id = partitions.id)
GROUP BY topic, topic_id, topics.id ORDER BY topic, topic_id
"""
"""Topic, partitions, the id of the rows, the id that the catalog says."""
_STRANGERS_ADVICE: Final = (
    "if they are this topic's: UPDATE muster.partitions SET topic_id = '{its_own}' WHERE topic = '{topic}' AND topic_id ="
    " '{theirs}'; if they are of one that was deleted: DELETE FROM muster.partitions WHERE topic = '{topic}' AND topic_id ="
    " '{theirs}'; the nodes notice it by themselves"
)


def clocks(connection: Database, clock_s: Callable[[], float]) -> Iterator[Finding]:
    before_s = clock_s()
    there_s = ask(connection, "SELECT extract(epoch FROM clock_timestamp())::float")
    after_s = clock_s()
    offset_s, unsure_s = there_s - (before_s + after_s) / 2, (after_s - before_s) / 2
    found = f"the database's clock differs from this machine's by {offset_s:+.2f} s (give or take {unsure_s:.2f} s)"
    yield Finding("clocks", _clock_level(abs(offset_s) - unsure_s), found, _CLOCK_ADVICE)
    ahead = connection.execute(_NODE_CLOCKS).fetchall()
    for node_id, ahead_s in ahead:
        if ahead_s > CLOCK_WARN_S:
            found = f"node {node_id} stamped its last records {ahead_s:.1f} s ahead of the database's clock"
            yield Finding("clocks", _clock_level(ahead_s), found, _CLOCK_ADVICE)


_NODE_CLOCKS: Final = """
SELECT owner, max(newest.appended_at_ms / 1000.0 - extract(epoch FROM clock_timestamp()))::float
FROM muster.partitions CROSS JOIN LATERAL (
    SELECT appended_at_ms FROM muster.batches WHERE partition_id = partitions.id ORDER BY base_offset DESC LIMIT 1
) AS newest WHERE owner IS NOT NULL GROUP BY owner ORDER BY owner
"""
"""A clock that is behind cannot be told from a node that has nothing to write."""
_CLOCK_ADVICE: Final = (
    "keep clocks together (chrony, NTP): retention and the expiry of offsets go by them, leases do not"
)


def _clock_level(off_s: float) -> Level:
    return Level.FAIL if off_s > CLOCK_FAIL_S else Level.WARN if off_s > CLOCK_WARN_S else Level.OK


def _nodes(node_ids: Sequence[int]) -> str:
    return f"{'node' if len(node_ids) == 1 else 'nodes'} {', '.join(map(str, node_ids))}"
