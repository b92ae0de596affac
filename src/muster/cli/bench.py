"""`muster bench groups`: real members against a running server, and what they saw: rates, latencies, rebalances."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from muster.cli.exit_codes import DONE, FAILED, INTERRUPTED, TERMINATED, USAGE
from muster.cli.support.connection_flags import add_connection_arguments, cluster_of
from muster.cli.support.numbers import int32, seconds

if TYPE_CHECKING:
    from muster.client.load import Latencies, Plan, Seen

_EXAMPLES = """\
examples:
  muster bench groups                                     1000 members of one group for ten seconds, at 127.0.0.1:9092
  muster bench groups --members 1000 --groups 100         a hundred groups of ten
  muster bench groups --heartbeat-interval-ms 100         ten heartbeats a second of each
  muster bench groups --protocol consumer                 by the new group protocol (KIP-848)
  muster bench groups --churn 2 --seconds 60              every two seconds one leaves and another comes
"""
_FILES_BESIDE_MEMBERS = 64
_HEARTBEAT_INTERVAL_MS = 3_000
_ASSIGNORS = {"classic": "range", "consumer": "uniform"}
"""What each protocol begins with."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(title="what to measure", metavar="WHAT", dest="what", required=True)
    groups = commands.add_parser(
        "groups",
        help="members of consumer groups",
        description="Joins real members to groups of their own, lets them live, and says what they saw.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_connection_arguments(groups)
    groups.add_argument(
        "--members", type=int32, default=1000, metavar="N", help="in all groups together (default: 1000)"
    )
    groups.add_argument("--groups", type=int32, default=1, metavar="N", help="spread over so many groups (default: 1)")
    groups.add_argument("--seconds", type=seconds, default=10.0, metavar="S", help="how long they live (default: 10)")
    groups.add_argument(
        "--protocol", choices=tuple(_ASSIGNORS), default="classic", help="which group protocol (default: classic)"
    )
    groups.add_argument(
        "--assignor", metavar="NAME", help="Kafka's name of it (default: range, or uniform of the consumer protocol)"
    )
    groups.add_argument(
        "--heartbeat-interval-ms", type=int32, metavar="MS", help="default: 3000; in the consumer protocol the broker's"
    )
    groups.add_argument("--commit-interval-ms", type=int32, default=5_000, metavar="MS", help="default: 5000")
    groups.add_argument(
        "--churn",
        type=seconds,
        default=0.0,
        metavar="S",
        help="every so often one leaves and one comes (default: never)",
    )
    groups.add_argument("--json", action="store_true", help="the figures as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from muster.client.failure import ClientError
    from muster.server.reactor_loop import new_event_loop

    try:
        plan = _plan(arguments)
        _allow_files(plan.members)
    except ValueError as error:
        print(f"muster bench groups: {error}", file=sys.stderr)
        return USAGE
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            seen = runner.run(_measure(arguments, plan))
    except ClientError as failure:
        print(f"muster bench groups: {failure}", file=sys.stderr)
        return FAILED
    except (KeyboardInterrupt, asyncio.CancelledError) as stopped:
        print("\nstopped: the members have left", file=sys.stderr)
        return INTERRUPTED if isinstance(stopped, KeyboardInterrupt) else TERMINATED
    print(json.dumps(_figures(plan, seen)) if arguments.json else "\n".join(_lines(plan, seen)))
    return FAILED if seen.ended else DONE


def _plan(arguments: argparse.Namespace) -> Plan:
    from secrets import token_hex

    from muster.client.load import Plan
    from muster.core.assignors.choice import assignor_named

    for name in ("members", "groups", "seconds", "heartbeat_interval_ms", "commit_interval_ms"):
        value = getattr(arguments, name)
        if value is not None and value <= 0:
            raise ValueError(f"--{name.replace('_', '-')} must be more than 0")
    if arguments.groups > arguments.members:
        raise ValueError(f"--groups {arguments.groups} is more than --members {arguments.members}")
    assignor = arguments.assignor or _ASSIGNORS[arguments.protocol]
    if arguments.protocol == "classic":
        assignor_named(assignor)
    elif arguments.heartbeat_interval_ms is not None:
        hint = "the broker says it, group.consumer.heartbeat.interval.ms"
        raise ValueError(f"--heartbeat-interval-ms does not go with --protocol {arguments.protocol}: {hint}")
    return Plan(
        members=arguments.members,
        groups=arguments.groups,
        seconds=arguments.seconds,
        name=f"muster-bench-{token_hex(4)}",
        assignor=assignor,
        protocol=arguments.protocol,
        heartbeat_interval_ms=arguments.heartbeat_interval_ms or _HEARTBEAT_INTERVAL_MS,
        commit_interval_ms=arguments.commit_interval_ms,
        churn_seconds=arguments.churn,
    )


def _allow_files(members: int) -> None:
    """A connection each: more than the usual limit of open files."""
    import resource

    wanted = members + _FILES_BESIDE_MEMBERS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted or soft == resource.RLIM_INFINITY:
        return
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise ValueError(f"{members} members need {wanted} open files, and only {hard} are allowed: ulimit -Hn")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _measure(arguments: argparse.Namespace, plan: Plan) -> Seen:
    from muster.client.load import GroupLoad

    task = asyncio.current_task()
    assert task is not None
    if threading.current_thread() is threading.main_thread():  # a thread of a test has no signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with cluster_of(arguments) as cluster:
        return await GroupLoad(cluster, plan, _progress).run()


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _lines(plan: Plan, seen: Seen) -> Iterator[str]:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    members, groups = (
        f"{n} {what}{'' if n == 1 else 's'}" for n, what in ((plan.members, "member"), (plan.groups, "group"))
    )
    yield f"{members} in {groups}, {plan.protocol} protocol, assignor {plan.assignor}"
    yield f"joined        in {seen.join_seconds:.2f} s, {seen.joining_rebalances / plan.members:.1f} rebalances a member"
    yield f"heartbeats    {_rate(seen.heartbeats, seen)}"
    yield f"commits       {_rate(seen.commits, seen)}"
    for name, count in sorted(seen.failed_commits.items()):
        yield f"              {count} commits refused: {name}"
    yield f"rebalances    {seen.rebalances / plan.members:.1f} a member while they lived"
    if plan.churn_seconds:
        yield f"newcomers     {_rate(seen.churns, seen)}, from start to share"
    for name, count in sorted(seen.ended.items()):
        yield f"ended         {count} members: {name}"
    full = "; the generator was the limit" if seen.busy > 0.9 else ""
    yield f"measured for  {seen.seconds:.1f} s; this program used {seen.busy:.0%} of one core{full}"


def _rate(latencies: Latencies, seen: Seen) -> str:
    half, most, all_ = (latencies.percentile_ms(percent) for percent in (50, 99, 100))
    if half is None or most is None or all_ is None:
        return "none"
    return (
        f"{len(latencies)}, {len(latencies) / seen.seconds:.0f} a second; "
        f"ms: median {half:.2f}, 99 % within {most:.2f}, slowest {all_:.2f}"
    )


def _figures(plan: Plan, seen: Seen) -> dict[str, object]:
    def figures(latencies: Latencies) -> dict[str, object]:
        return {
            "count": len(latencies),
            "per_second": len(latencies) / seen.seconds,
            "p50_ms": latencies.percentile_ms(50),
            "p99_ms": latencies.percentile_ms(99),
            "max_ms": latencies.percentile_ms(100),
        }

    return {
        "members": plan.members,
        "groups": plan.groups,
        "protocol": plan.protocol,
        "assignor": plan.assignor,
        "seconds": seen.seconds,
        "join_seconds": seen.join_seconds,
        "joining_rebalances": seen.joining_rebalances,
        "rebalances": seen.rebalances,
        "heartbeats": figures(seen.heartbeats),
        "commits": figures(seen.commits),
        "newcomers": figures(seen.churns),
        "failed_commits": seen.failed_commits,
        "ended": seen.ended,
        "busy": seen.busy,
    }
