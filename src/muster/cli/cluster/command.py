"""`muster cluster status | check | drain | rebalance`: who is there, leads how much, what is wrong. They ask the database alone."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from typing import Any, Final

from muster.cli.cluster.check import print_findings
from muster.cli.cluster.workers import endpoints_text, print_workers
from muster.cli.exit_codes import DONE, FAILED
from muster.cli.support.numbers import int32
from muster.cli.support.store_connection import add_store_argument, with_store
from muster.cli.support.tables import Column, print_aligned, print_json_lines

_EXAMPLES = """\
examples:
  muster cluster status postgresql://muster@db.example/muster
  muster cluster status muster-data          the workers of `muster serve --workers` on this data directory
  muster cluster check                       what is right and wrong with the cluster and its database, with advice
  muster cluster drain 2                     node 2 leads nothing any more, until it is started again ($MUSTER_STORE)
  muster cluster rebalance                   spread what is led unevenly; nodes do this by themselves when one comes or goes
"""

_COLUMNS: Final = (
    Column("node", "node", right=True, min_width=5),
    Column("state", "state", min_width=7),
    Column("lease", "lease_s", right=True, render="{:.1f} s".format, min_width=7),
    Column("partitions", "partitions_led", right=True),
    Column("coordinating", "coordinator_partitions_led", right=True),
    Column("release", "release"),
    Column("schema", "schema", render=lambda versions: "-".join(map(str, sorted(set(versions))))),
    Column("endpoints", "endpoints", render=endpoints_text),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    status = actions.add_parser("status", help="live nodes, their leases and what they lead", allow_abbrev=False)
    status.add_argument("--json", action="store_true", help="one JSON object a node")
    check = actions.add_parser(
        "check", help="what is right and wrong with nodes and database, with advice", allow_abbrev=False
    )
    check.add_argument("--json", action="store_true", help="one JSON object a finding")
    drain = actions.add_parser("drain", help="move everything away from a node", allow_abbrev=False)
    drain.add_argument("node", metavar="NODE", type=int32, help="the node id")
    rebalance = actions.add_parser("rebalance", help="spread partitions evenly now", allow_abbrev=False)
    for action in (drain, rebalance):
        action.add_argument("--json", action="store_true", help="a JSON object that says how many partitions moved")
    for action in (status, check, drain, rebalance):
        add_store_argument(action)


def run(arguments: argparse.Namespace) -> int:
    command = f"muster cluster {arguments.action}"
    if arguments.action == "status" and arguments.url and os.path.isdir(arguments.url):
        return print_workers(arguments.url, as_json=arguments.json)
    if arguments.action == "status":
        return with_store(command, arguments.url, lambda connection: _status(connection, as_json=arguments.json))
    if arguments.action == "check":
        return with_store(command, arguments.url, lambda connection: print_findings(connection, as_json=arguments.json))
    if arguments.action == "drain":
        return with_store(command, arguments.url, lambda connection: _drain(connection, arguments))
    return with_store(command, arguments.url, lambda connection: _rebalance(connection, as_json=arguments.json))


def _status(connection: Any, *, as_json: bool) -> int:
    from muster.cluster.node_leases import leases_of_nodes
    from muster.cluster.ownership import look
    from muster.cluster.plan import COORDINATING
    from muster.log.postgres.node_versions import live_versions
    from muster.log.postgres.schema import check

    versions = {node.node_id: node for node in live_versions(connection, check(connection))}
    view = look(connection)
    leases = {lease.node_id: lease.seconds for lease in leases_of_nodes(connection)}
    led = Counter(leader.node_id for leader in view.leaders.values())
    coordinated = Counter(leader.node_id for slot, leader in view.leaders.items() if slot.topic == COORDINATING)
    rows = [
        {
            "node": node.node_id,
            "endpoints": {name: f"{host}:{port}" for name, (host, port) in node.endpoints.items()},
            "state": "drained" if node.is_draining else "live",
            "lease_s": round(leases.get(node.node_id, 0.0), 2),
            "partitions_led": led[node.node_id],
            "coordinator_partitions_led": coordinated[node.node_id],
            "release": versions[node.node_id].release,
            "schema": [versions[node.node_id].oldest, versions[node.node_id].newest],
        }
        for node in view.nodes.values()
        if node.node_id in versions
    ]
    without = sum(count for node_id, count in led.items() if node_id not in view.nodes)
    if as_json:
        for row in rows:
            print(json.dumps(row))
    else:
        _print_table(rows)
    if without:
        print(f"{without} partitions are led by nobody", file=sys.stderr)
    return DONE if rows and not without else FAILED


def _print_table(rows: list[dict[str, Any]]) -> None:
    if not rows:
        print("no live nodes")
        return
    print_aligned(_COLUMNS, rows, sys.stdout)


def _drain(connection: Any, arguments: argparse.Namespace) -> int:
    from muster.cluster.ownership import carry_out_plan, set_draining

    node_id: int = arguments.node
    if not set_draining(connection, node_id):
        print(
            f"muster cluster drain: there is no live node {node_id}; `muster cluster status` lists them",
            file=sys.stderr,
        )
        return FAILED
    moved = carry_out_plan(connection)
    if arguments.json:
        print_json_lines([{"node": node_id, "partitions_moved": moved}])
    else:
        print(f"node {node_id} is drained: {moved} partitions moved; it may lead again when restarted")
    return DONE


def _rebalance(connection: Any, *, as_json: bool) -> int:
    from muster.cluster.ownership import carry_out_plan

    moved = carry_out_plan(connection)
    if as_json:
        print_json_lines([{"partitions_moved": moved}])
    else:
        print(f"{moved} partitions moved")
    return DONE
