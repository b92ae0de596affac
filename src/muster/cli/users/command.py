"""`muster users add | remove | list`: who may come in through SASL listeners.

On a data directory whose server is stopped (`--data`: how the first user comes to be), or through a running server. Passwords
are read from a prompt, a file, a variable or standard input: never from the command line, which others on the machine can see.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.support.cluster_command import run_and_report
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.numbers import int32
from muster.cli.support.tables import Column, print_aligned, print_json_lines
from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from muster.cli.users.places import UserRow

MECHANISMS: Final = ("SCRAM-SHA-256", "SCRAM-SHA-512")
_FEWEST_ITERATIONS: Final = 4_096
_MOST_ITERATIONS: Final = 16_384
_LONGEST_NAME: Final = 1_000

_EXAMPLES = """\
examples:
  muster users add admin --data muster-data                 the first user, before the server is started
  muster users add alice --bootstrap kafka:9093 --command-config admin.properties
  muster users add alice --password-file alice.secret --mechanism SCRAM-SHA-512
  muster users list --data muster-data
Users of PLAIN need no other credential: their password is checked with the same one.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    add = actions.add_parser("add", help="add a user, or give it a new password", allow_abbrev=False)
    add.add_argument("name", metavar="NAME")
    add.add_argument("--password-file", metavar="FILE", help="read the password from the first line of a file")
    add.add_argument("--password-env", metavar="VARIABLE", help="read the password from an environment variable")
    add.add_argument(
        "--iterations",
        metavar="N",
        type=int32,
        default=_FEWEST_ITERATIONS,
        help=f"how slow guessing is made: {_FEWEST_ITERATIONS} to {_MOST_ITERATIONS} ({_FEWEST_ITERATIONS})",
    )
    remove = actions.add_parser("remove", help="remove a user", allow_abbrev=False)
    remove.add_argument("name", metavar="NAME")
    for action in (add, remove):
        action.add_argument(
            "--mechanism",
            action="append",
            choices=MECHANISMS,
            help="for this one alone; may be repeated (all)",
        )
    list_ = actions.add_parser("list", help="show the users and their mechanisms", allow_abbrev=False)
    for action in (add, remove, list_):
        action.add_argument("--json", action="store_true", help="a JSON object a user, with iterations by mechanism")
        action.add_argument("--data", metavar="DIR", help="the data directory of a server that is stopped")
        action.add_argument(
            "--store", metavar="URL", help="the database of a cluster, postgresql://...; its nodes may run"
        )
        add_connection_arguments(action)


def run(arguments: argparse.Namespace) -> int:
    from muster.log.contract import StorageError

    def work() -> int:
        _check(arguments)
        return _act(arguments)

    return run_and_report("users", work, also=(StorageError,))


def _check(arguments: argparse.Namespace) -> None:
    if arguments.data and (arguments.bootstrap or arguments.command_config):
        raise UsageError("--data is for a server that is stopped, --bootstrap for one that runs: choose one of them")
    if arguments.store and (arguments.data or arguments.bootstrap or arguments.command_config):
        raise UsageError("--store is the database of a cluster: choose it, or --data, or --bootstrap")
    if arguments.store:
        _refuse_password(arguments.store)
    if arguments.action == "list":
        return
    if not arguments.name.strip() or "\0" in arguments.name or len(arguments.name) > _LONGEST_NAME:
        raise UsageError(f"the user needs a name, of {_LONGEST_NAME} characters at most")
    if arguments.action == "add" and not _FEWEST_ITERATIONS <= arguments.iterations <= _MOST_ITERATIONS:
        raise UsageError(f"--iterations {arguments.iterations}: it must be {_FEWEST_ITERATIONS} to {_MOST_ITERATIONS}")


def _refuse_password(url: str) -> None:
    from muster.server.setting_sources import refuse_password
    from muster.topics.config_types import ConfigError

    try:
        refuse_password("--store", url)
    except ConfigError as error:
        raise UsageError(str(error)) from None


def _act(arguments: argparse.Namespace) -> int:
    from muster.cli.users.places import UserRow, open_place

    with open_place(arguments) as place:
        if arguments.action == "list":
            _show(place.users(), as_json=arguments.json)
            return DONE
        mechanisms = tuple(arguments.mechanism or MECHANISMS)
        if arguments.action == "add":
            from muster.cli.users.password import read_password

            password = read_password(arguments.name, arguments.password_file, arguments.password_env)
            place.add(arguments.name, password, mechanisms, arguments.iterations)
            added = UserRow(arguments.name, dict.fromkeys(mechanisms, arguments.iterations))
            _tell(added, f"{added.name} may come in with {', '.join(mechanisms)}", as_json=arguments.json)
            return DONE
        known = next((row.iterations for row in place.users() if row.name == arguments.name), {})
        going = {each: known[each] for each in mechanisms if each in known}
        if not going:
            print(f"muster users: there is no user {arguments.name} with {' or '.join(mechanisms)}", file=sys.stderr)
            return FAILED
        place.remove(arguments.name, list(going))
        said = f"{arguments.name} is removed for {', '.join(going)}; who is connected stays so until its session ends"
        _tell(UserRow(arguments.name, going), said, as_json=arguments.json)
        return DONE


def _tell(changed: UserRow, said: str, *, as_json: bool) -> None:
    """The mechanisms that were added or removed."""
    if as_json:
        print_json_lines([_facts(changed)])
    else:
        print(said)


def _facts(row: UserRow) -> dict[str, Any]:
    return {"user": row.name, "mechanisms": row.iterations}


def _show(rows: list[UserRow], *, as_json: bool) -> None:
    facts = [_facts(row) for row in rows]
    if as_json:
        print_json_lines(facts)
        return
    if not rows:
        print("no users; add one with `muster users add NAME`", file=sys.stderr)
        return

    columns = (Column("USER", "user"), Column("MECHANISMS (ITERATIONS)", "mechanisms", render=_mechanisms_text))
    print_aligned(columns, facts, sys.stdout)


def _mechanisms_text(iterations: dict[str, int]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in iterations.items())
