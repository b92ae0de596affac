"""The part of `checks` that is about the database under the cluster: what it promises, and whether it keeps up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from muster.cluster.findings import Finding, Level, ask, setting

if TYPE_CHECKING:
    from muster.cluster.findings import Database

LAG_WARN_BYTES: Final = 64 * 1024 * 1024
LAG_FAIL_BYTES: Final = 1024 * 1024 * 1024
DEAD_WARN_ROWS: Final = 100_000
LONG_TRANSACTION_S: Final = 3_600
OLD_WARN_AGE: Final = 500_000_000
OLD_FAIL_AGE: Final = 1_500_000_000
"""Transactions since the oldest row was frozen; PostgreSQL refuses to write at two thousand million."""
CONNECTIONS_A_NODE: Final = 7
WARN_SHARE: Final = 0.8


def durability(connection: Database) -> Iterator[Finding]:
    names = ("fsync", "full_page_writes", "synchronous_commit")
    settings = {name: setting(connection, name) for name in names}
    told = ", ".join(f"{name} = {value}" for name, value in settings.items())
    if ask(connection, "SELECT pg_is_in_recovery()"):
        yield Finding(
            "durability", Level.FAIL, "this is a standby, which takes no writes", "name the primary in the URL, or all of"
            " them with target_session_attrs=read-write"
        )  # fmt: skip
    elif "off" in settings.values():
        off = next(name for name in names if settings[name] == "off")
        yield Finding(
            "durability", Level.FAIL, f"{off} is off: what was acknowledged can be lost", f"set {off} = on and reload"
        )
    else:
        yield Finding("durability", Level.OK, told)


def replication(connection: Database) -> Iterator[Finding]:
    if ask(connection, "SELECT pg_is_in_recovery()"):
        return
    names, commit = setting(connection, "synchronous_standby_names"), setting(connection, "synchronous_commit")
    rows = connection.execute(
        "SELECT coalesce(application_name, ''), sync_state, pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint"
        " FROM pg_stat_replication"
    ).fetchall()
    in_step = [name for name, state, _ in rows if state in ("sync", "quorum")]
    if names and commit in ("off", "local"):
        yield Finding(
            "replication",
            Level.WARN,
            f"synchronous_standby_names = '{names}' counts for nothing: synchronous_commit = {commit}",
            "set synchronous_commit = on",
        )
    elif names and rows and not in_step and all(state is not None for _, state, _ in rows):
        yield Finding(
            "replication",
            Level.FAIL,
            f"synchronous_standby_names = '{names}' and no standby is in step: every commit waits",
            "bring a standby of that name back, or take the name out for now",
        )
    elif names and not rows:
        yield Finding(
            "replication",
            Level.FAIL,
            f"synchronous_standby_names = '{names}' and no standby is connected: every commit waits",
            "bring a standby back, or take the name out for now",
        )
    elif not rows:
        yield Finding(
            "replication",
            Level.WARN,
            "no standby is connected, or this role may not see them (it needs pg_monitor)",
            "the cluster is as durable as this one database: add a standby, or make sure that your provider has one",
        )
    elif not names:
        yield Finding(
            "replication",
            Level.WARN,
            f"{len(rows)} standbys, all asynchronous: a promotion loses what they did not have yet, acknowledged or not",
            "set synchronous_standby_names",
        )
    else:
        yield Finding("replication", Level.OK, f"in step: {', '.join(sorted(in_step)) or 'not visible for this role'}")
    for name, _, lag in rows:
        if lag is not None and lag > LAG_WARN_BYTES:
            level = Level.FAIL if lag > LAG_FAIL_BYTES else Level.WARN
            found = f"standby {name} is {lag / 1_000_000:,.0f} MB of write-ahead log behind"
            yield Finding(
                "replication", level, found, "look at its disk and network, and at queries that block its replay"
            )


def vacuum(connection: Database) -> Iterator[Finding]:
    off = [name for name in ("autovacuum", "track_counts") if setting(connection, name) == "off"]
    tables = connection.execute(
        "SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace"
        " WHERE nspname = 'muster' AND 'autovacuum_enabled=false' = ANY(reloptions) ORDER BY relname"
    ).fetchall()
    age = ask(connection, "SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database()")
    if off:
        advice = f"set {off[0]} = on and reload: each append updates a row of muster.partitions"
        yield Finding("autovacuum", Level.FAIL, f"{off[0]} is off", advice)
    elif tables:
        names = ", ".join(f"muster.{name}" for (name,) in tables)
        yield Finding("autovacuum", Level.FAIL, f"it is off for {names}", "ALTER TABLE ... RESET (autovacuum_enabled)")
    elif age > OLD_WARN_AGE:
        level = Level.FAIL if age > OLD_FAIL_AGE else Level.WARN
        advice = "VACUUM FREEZE the oldest tables, and look for what keeps autovacuum from it (old transactions, slots)"
        yield Finding("autovacuum", level, f"the oldest row was frozen {age:,} transactions ago", advice)
    else:
        yield Finding("autovacuum", Level.OK, f"on; the oldest row was frozen {age:,} transactions ago")
    held = connection.execute(
        "SELECT pid, coalesce(application_name, ''), extract(epoch FROM now() - xact_start)::float FROM pg_stat_activity"
        " WHERE backend_xmin IS NOT NULL AND xact_start < now() - make_interval(secs => %s) ORDER BY xact_start",
        (LONG_TRANSACTION_S,),
    ).fetchall()
    for pid, name, age_s in held:
        found = f"a transaction is open for {age_s / 3_600:.1f} h (process {pid}, '{name}'): nothing since is vacuumed"
        yield Finding("autovacuum", Level.WARN, found, f"end it: SELECT pg_terminate_backend({pid})")


def bloat(connection: Database) -> Iterator[Finding]:
    rows = connection.execute(
        "SELECT relname, n_live_tup, n_dead_tup FROM pg_stat_user_tables WHERE schemaname = 'muster' ORDER BY relname"
    ).fetchall()
    worst = [(name, dead, live) for name, live, dead in rows if dead > max(DEAD_WARN_ROWS, live)]
    for name, dead, live in worst:
        yield Finding(
            "bloat",
            Level.WARN,
            f"muster.{name} has {dead:,} dead rows and {live:,} live ones",
            f"VACUUM muster.{name}; if it comes back, let autovacuum run more often (autovacuum_vacuum_cost_limit)",
        )
    if not worst:
        yield Finding("bloat", Level.OK, f"{sum(dead for _, _, dead in rows):,} dead rows in all tables")


def connections(connection: Database) -> Iterator[Finding]:
    allowed = int(setting(connection, "max_connections")) - int(setting(connection, "superuser_reserved_connections"))
    used = ask(connection, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
    nodes = ask(connection, "SELECT count(*) FROM muster.nodes WHERE lease_until >= now()")
    found = f"{used} of {allowed} connections are used; {nodes} nodes want up to {nodes * CONNECTIONS_A_NODE}"
    advice = "raise max_connections (seven for each node and some), or find out who else uses them: pg_stat_activity"
    if used >= allowed or nodes * CONNECTIONS_A_NODE > allowed:
        yield Finding("connections", Level.FAIL, found, advice)
    elif used > allowed * WARN_SHARE:
        yield Finding("connections", Level.WARN, found, advice)
    else:
        yield Finding("connections", Level.OK, found)
