"""`muster completion bash | zsh | fish`: a script for the shell; `muster completion groups | topics`: names for it.

The scripts are made from the parsers, so that they know what this version knows. Names of groups and topics are asked of
the cluster that MUSTER_BOOTSTRAP names, for a second at most; without one there are none, and nothing is said.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from typing import Final

from muster.cli.exit_codes import DONE
from muster.cli.support.connection_flags import BOOTSTRAP_VARIABLE, DEFAULT_BOOTSTRAP

SHELLS: Final = ("bash", "zsh", "fish")
NAMES: Final = ("groups", "topics")
_PATIENCE_SECONDS: Final = 1.0

_EXAMPLES = """\
examples:
  source <(muster completion bash)                            in ~/.bashrc
  source <(muster completion zsh)                             in ~/.zshrc, after compinit
  muster completion fish > ~/.config/fish/completions/muster.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("what", metavar="SHELL", choices=(*SHELLS, *NAMES), help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    if arguments.what in NAMES:
        for name in _names(arguments.what):
            print(name)
        return DONE
    from muster.cli.completion.scripts import script
    from muster.cli.main import COMMANDS

    sys.stdout.write(script(arguments.what, COMMANDS))
    return DONE


def _names(what: str) -> list[str]:
    from muster.client.admin import list_groups, list_topics
    from muster.client.cluster import Cluster
    from muster.client.failure import ClientError

    async def ask() -> list[str]:
        bootstrap = os.environ.get(BOOTSTRAP_VARIABLE) or DEFAULT_BOOTSTRAP
        patience = _PATIENCE_SECONDS
        async with Cluster(bootstrap, request_timeout_seconds=patience, patience_seconds=patience) as cluster:
            if what == "groups":
                return [each.group_id for each in await list_groups(cluster)]
            return [each.name for each in await list_topics(cluster)]

    try:
        names = asyncio.run(ask())
    except ClientError:
        return []
    # Shells part words at spaces; what is stranger than that would be run or drawn by some.
    return [name for name in names if name.isprintable() and not set(name) & set(" \\\"'`$&|;<>(){}*?!")]
