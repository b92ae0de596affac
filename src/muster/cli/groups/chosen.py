"""Which groups an action is about: those that are named, or all; and what is said of one that nobody knows."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.support.cluster_command import note, side_by_side
from muster.cli.support.usage_error import UsageError
from muster.cli.support.usage_parser import nearest

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.failure import ClientError
    from muster.client.groups import GroupDescription


def add_group_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("groups", metavar="GROUP", nargs="*", help="these groups")
    parser.add_argument(
        "--group", metavar="NAME", dest="more_groups", action="append", default=[], help="the same, as Kafka's tools"
    )
    parser.add_argument("--all-groups", action="store_true", help="every group of consumers")


async def chosen_groups(cluster: Cluster, arguments: argparse.Namespace) -> list[str]:
    """Their names, once each. UsageError if it was not said which."""
    from muster.client.admin import list_groups

    named = list(dict.fromkeys([*arguments.groups, *arguments.more_groups]))
    if named and arguments.all_groups:
        raise UsageError("name groups, or say --all-groups: not both")
    if not named and not arguments.all_groups:
        raise UsageError("which group? Name one or several, or say --all-groups; `muster groups list` shows them")
    if named:
        return named
    # As Kafka's tool: offsets without members have no protocol type; other types are Connect's and the like.
    return [each.group_id for each in await list_groups(cluster) if each.protocol_type in ("consumer", "")]


async def described(cluster: Cluster, group_id: str) -> GroupDescription:
    """One that exists. ClientError names one that is spelt nearly the same, if there is one."""
    from muster.client.admin import describe_groups

    (found,) = await describe_groups(cluster, [group_id])
    if not found.exists:
        raise await unknown_group(cluster, group_id, "describe")
    return found


async def described_as_far_as_known(
    cluster: Cluster, arguments: argparse.Namespace, command: str
) -> tuple[list[GroupDescription], int]:
    """The chosen groups that there are, and the exit code so far; the others have been named."""
    from muster.client.failure import ClientError

    names = await chosen_groups(cluster, arguments)
    found: list[GroupDescription] = []
    for each in await side_by_side([partial(described, cluster, name) for name in names]):
        if isinstance(each, ClientError):
            note(command, each)
        else:
            found.append(each)
    return found, DONE if len(found) == len(names) else FAILED


async def unknown_group(cluster: Cluster, group_id: str, verb: str) -> ClientError:
    from muster.client.admin import list_groups
    from muster.client.failure import ClientError
    from muster.wire.errors import GROUP_ID_NOT_FOUND

    known = [each.group_id for each in await list_groups(cluster)]
    near = nearest(group_id, known)
    hint = (f"Did you mean {near}? " if near else "") + "See `muster groups list`"
    return ClientError(GROUP_ID_NOT_FOUND, f"{verb} group {group_id}", "there is no such group", hint)
