"""`muster acls list | add | remove`: who may do what, at Muster or any Kafka, with the flags of `kafka-acls`.

Asks a running cluster; the rules of a file (`muster.rules`) are not ACLs and are not shown. What each API needs is in
docs/security.md.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Final, TypeVar

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.support.cluster_command import run_and_report, usable_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import print_json_lines
from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from muster.client.cluster import Cluster
    from muster.security.acls import Acl, AclFilter

T = TypeVar("T")

_EXAMPLES: Final = """\
examples:
  muster acls list                                                   everything
  muster acls list --topic orders --resource-pattern-type match      every ACL that applies to the topic
  muster acls add --allow-principal User:alice --consumer --topic orders --group billing
  muster acls add --allow-principal User:etl --producer --topic raw- --resource-pattern-type prefixed
  muster acls add --deny-principal 'User:*' --deny-host 10.0.0.9 --operation READ --group billing
  muster acls remove --allow-principal User:alice --operation READ --topic orders
  muster acls remove --principal User:alice                          everything that names alice
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    for name, summary in (
        ("list", "show ACLs"),
        ("add", "make ACLs"),
        ("remove", "delete ACLs"),
    ):
        action = actions.add_parser(name, help=summary, allow_abbrev=False)
        _add_resource_arguments(action, only_concrete=name == "add")
        if name != "add":
            action.add_argument("--principal", metavar="P", action="append", default=[], help="that name User:NAME")
        if name != "list":
            _add_rule_arguments(action)
            action.add_argument("--dry-run", action="store_true", help="say what would change, change nothing")
        if name == "remove":
            action.add_argument("--yes", action="store_true", help="do not ask whether to go on")
        action.add_argument("--json", action="store_true", help="a JSON object an ACL")
        add_connection_arguments(action)


def _add_resource_arguments(parser: argparse.ArgumentParser, *, only_concrete: bool) -> None:
    for flag, what in (("topic", "topics"), ("group", "groups"), ("transactional-id", "transactional ids")):
        parser.add_argument(
            f"--{flag}",
            metavar="NAME",
            action="append",
            default=[],
            help=f"on {what} of this name; * is all of them; may be repeated",
        )
    parser.add_argument("--cluster", action="store_true", help="on the cluster itself")
    parser.add_argument(
        "--resource-pattern-type",
        choices=("literal", "prefixed") if only_concrete else ("literal", "prefixed", "match", "any"),
        default="literal",
        help="how names are meant" + ("" if only_concrete else "; match: whatever applies to the name") + " (literal)",
    )


def _add_rule_arguments(parser: argparse.ArgumentParser) -> None:
    for word in ("allow", "deny"):
        parser.add_argument(
            f"--{word}-principal", metavar="P", action="append", default=[], help=f"{word} this User:NAME; User:*: all"
        )
        parser.add_argument(
            f"--{word}-host", metavar="ADDRESS", action="append", default=[], help=f"{word} from there alone (*)"
        )
    parser.add_argument("--operation", metavar="OP", action="append", default=[], help="READ, WRITE, ... (ALL)")
    parser.add_argument("--producer", action="store_true", help="what writing to --topic needs")
    parser.add_argument("--consumer", action="store_true", help="what reading --topic as --group needs")


def run(arguments: argparse.Namespace) -> int:
    return run_and_report(f"acls {arguments.action}", lambda: _ACTIONS[arguments.action](arguments))


def _list(arguments: argparse.Namespace) -> int:
    from muster.cli.acls.flags import filters_of

    _show(arguments, _found(arguments, filters_of(arguments)), "no ACLs")
    return DONE


def _add(arguments: argparse.Namespace) -> int:
    from muster.cli.acls.flags import acls_of

    acls = acls_of(arguments)
    if arguments.dry_run:
        _show(arguments, acls, "nothing", "would be made:")
        return DONE

    async def create(cluster: Cluster) -> None:
        from muster.client.acls import create_acls

        await create_acls(cluster, acls)

    _ask(arguments, create)
    _show(arguments, acls, "nothing", "made:")
    return DONE


def _remove(arguments: argparse.Namespace) -> int:
    acls = _to_remove(arguments)
    if not acls or arguments.dry_run:
        _show(arguments, acls, "no such ACLs", "would be removed:")
        return DONE
    if not arguments.yes and not _is_agreed(acls):
        print("nothing was removed", file=sys.stderr)
        return FAILED

    async def delete(cluster: Cluster) -> list[Acl]:
        from muster.client.acls import delete_acls

        return await delete_acls(cluster, acls)

    _show(arguments, _ask(arguments, delete), "no such ACLs", "removed:")
    return DONE


_ACTIONS: Final = {"list": _list, "add": _add, "remove": _remove}


def _to_remove(arguments: argparse.Namespace) -> list[Acl]:
    """Those that the flags spell out, or all that the filters find; only such as are there."""
    from muster.cli.acls.flags import acls_of, filters_of
    from muster.security.acls import AclFilter

    if arguments.allow_principal or arguments.deny_principal:
        if arguments.resource_pattern_type not in ("literal", "prefixed"):
            raise UsageError("--resource-pattern-type match and any go with --principal, or with names alone")
        wanted = acls_of(arguments)
        return [acl for acl in _found(arguments, [AclFilter()]) if acl in set(wanted)]
    filters = filters_of(arguments)
    if filters == [AclFilter()]:
        raise UsageError("say which: --principal, --topic, --group, --transactional-id, --cluster or --allow-principal")
    return _found(arguments, filters)


def _found(arguments: argparse.Namespace, filters: Sequence[AclFilter]) -> list[Acl]:
    async def find(cluster: Cluster) -> list[Acl]:
        from muster.client.acls import list_acls

        found = [acl for each in filters for acl in await list_acls(cluster, each)]
        return sorted(dict.fromkeys(found), key=lambda acl: (acl.resource_type, acl.name, acl.pattern, str(acl)))

    return _ask(arguments, find)


def _ask(arguments: argparse.Namespace, question: Callable[[Cluster], Coroutine[object, object, T]]) -> T:
    import asyncio

    async def ask() -> T:
        async with usable_cluster(arguments) as cluster:
            return await question(cluster)

    return asyncio.run(ask())


def _is_agreed(acls: Sequence[Acl]) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("removing needs --yes where nobody can be asked; --dry-run shows what would go")
    print(_text(acls), file=sys.stderr)
    return input(f"remove these {len(acls)}? (y/n) ").strip().lower() in ("y", "yes")


def _show(arguments: argparse.Namespace, acls: Sequence[Acl], if_none: str, heading: str = "") -> None:
    if arguments.json:
        from muster.security.acl_document import acl_object

        print_json_lines(map(acl_object, acls))
        return
    if heading and acls:
        print(heading)
    if acls:
        print(_text(acls))
    else:
        print(if_none, file=sys.stderr)


def _text(acls: Sequence[Acl]) -> str:
    """By resource: what may be done with it, by whom, from where."""
    from muster.security.resources import Pattern

    lines: list[str] = []
    last: object = None
    for acl in acls:
        resource = (acl.resource_type, acl.name, acl.pattern)
        if resource != last:
            kind = acl.resource_type.name.lower().replace("_", " ")
            prefix = "prefix " if acl.pattern is Pattern.PREFIXED else ""
            lines.append(f"{kind} {prefix}{acl.name}")
            last = resource
        at = "" if acl.host == "*" else f" from {acl.host}"
        lines.append(f"  {acl.permission.name:5} {acl.operation.name:16} {acl.principal}{at}")
    return "\n".join(lines)
