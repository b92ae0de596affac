"""The flags that lead to a cluster, for every command that talks to one: where it is, who we are, whom we trust.

Flags win over the properties of --command-config. Secrets are read from files, variables or the terminal, never from the
command line, which others on the machine can see.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from muster.cli.support.numbers import shortened

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.security import Security

BOOTSTRAP_VARIABLE: Final = "MUSTER_BOOTSTRAP"
LAKE_VARIABLE: Final = "MUSTER_LAKE"
"""The lake of commands that read one, and of the console."""
DEFAULT_BOOTSTRAP: Final = "127.0.0.1:9092"
DEFAULT_TIMEOUT_SECONDS: Final = 15.0
DEFAULT_MECHANISM: Final = "SCRAM-SHA-512"
"""`muster users add` makes it, and Kafka's documentation recommends it."""
PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
_PLAIN_FLAGS: Final = {
    "security_protocol": "security.protocol",
    "ca": "ssl.ca.location",
    "cert": "ssl.certificate.location",
    "key": "ssl.key.location",
    "sasl_mechanism": "sasl.mechanism",
    "user": "sasl.username",
    "sasl_token_file": "muster.oauthbearer.token.file",
}
MOST_TIMEOUT_SECONDS: Final = 2_000_000
"""Requests say it in milliseconds, of 32 bits."""
_TLS_FLAGS: Final = ("ca", "cert", "key")
_SASL_FLAGS: Final = ("user", "sasl_mechanism", "sasl_token_file", "sasl_password_file", "sasl_password_env")


def add_connection_arguments(parser: argparse.ArgumentParser) -> None:
    flags = parser.add_argument_group("connection")
    flags.add_argument(
        "--bootstrap",
        metavar="HOST:PORT",
        help=f"brokers to ask, several with commas (default: {BOOTSTRAP_VARIABLE}, else {DEFAULT_BOOTSTRAP})",
    )
    flags.add_argument(
        "--command-config", metavar="FILE", help="client properties, as Kafka's tools take them: TLS, SASL"
    )
    flags.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=_seconds,
        default=DEFAULT_TIMEOUT_SECONDS,
        help=f"how long to wait for the cluster (default: {DEFAULT_TIMEOUT_SECONDS:g})",
    )
    flags.add_argument(
        "--security-protocol", type=str.upper, choices=PROTOCOLS, help="what the listener speaks (default: by the rest)"
    )
    flags.add_argument("--ca", metavar="FILE", help="PEM certificates to trust (default: the system's)")
    flags.add_argument("--cert", metavar="FILE", help="PEM certificate to show, with its chain")
    flags.add_argument("--key", metavar="FILE", help="PEM key of --cert, if it is not in the same file")
    flags.add_argument("--key-password-file", metavar="FILE", help="its first line is the password of --key")
    flags.add_argument("--user", metavar="NAME", help="log in by SASL; the password is asked for on the terminal")
    flags.add_argument("--sasl-password-file", metavar="FILE", help="its first line is the password")
    flags.add_argument("--sasl-password-env", metavar="VARIABLE", help="an environment variable has the password")
    flags.add_argument(
        "--sasl-mechanism", type=str.upper, choices=MECHANISMS, help=f"(default: {DEFAULT_MECHANISM} with --user)"
    )
    flags.add_argument("--sasl-token-file", metavar="FILE", help="a bearer token for OAUTHBEARER, read at each login")


def cluster_of(arguments: argparse.Namespace, client_id: str = "muster-cli") -> Cluster:
    """Not connected yet. ClientError if the flags cannot be used."""
    from muster.client.cluster import Cluster

    bootstrap = arguments.bootstrap or os.environ.get(BOOTSTRAP_VARIABLE) or DEFAULT_BOOTSTRAP
    return Cluster(
        bootstrap,
        security=security_of(arguments),
        client_id=client_id,
        request_timeout_seconds=arguments.timeout,
        patience_seconds=arguments.timeout,
    )


def security_of(arguments: argparse.Namespace) -> Security:
    from muster.client.properties import read_properties
    from muster.client.security import Security

    written = read_properties(arguments.command_config) if arguments.command_config else {}
    flags = {name: value for flag, name in _PLAIN_FLAGS.items() if (value := getattr(arguments, flag)) is not None}
    # What comes later in the mapping wins where two names mean the same.
    properties = {name: value for name, value in written.items() if name not in flags} | flags
    properties["security.protocol"] = _protocol(arguments, properties)
    if arguments.key_password_file is not None:
        properties["ssl.key.password"] = _first_line("--key-password-file", arguments.key_password_file)
    if properties["security.protocol"].startswith("SASL"):
        _add_login(arguments, properties)
    return Security.of(properties)


def _protocol(arguments: argparse.Namespace, properties: Mapping[str, str]) -> str:
    """What was said, else what the other flags need: never less than they promise."""
    given_tls = [flag for flag in _TLS_FLAGS if getattr(arguments, flag) is not None]
    given_sasl = [flag for flag in _SASL_FLAGS if getattr(arguments, flag) is not None]
    said = properties.get("security.protocol", "").upper()
    if not said:
        return "SASL_SSL" if given_sasl else "SSL" if given_tls else "PLAINTEXT"
    for given, word in ((given_tls, "SSL"), (given_sasl, "SASL")):
        if given and word not in said:
            flag = "--" + given[0].replace("_", "-")
            raise _unusable(f"{flag} is of no use with security.protocol {said}", f"Choose one with {word} in its name")
    return said


def _add_login(arguments: argparse.Namespace, properties: dict[str, str]) -> None:
    if arguments.sasl_token_file is not None:
        properties.setdefault("sasl.mechanism", "OAUTHBEARER")
    if "sasl.mechanisms" not in properties:
        properties.setdefault("sasl.mechanism", DEFAULT_MECHANISM)
    if arguments.sasl_password_file is not None and arguments.sasl_password_env is not None:
        raise _unusable("--sasl-password-file and --sasl-password-env", "Choose one of them")
    if arguments.sasl_password_file is not None:
        password: str | None = _first_line("--sasl-password-file", arguments.sasl_password_file)
    elif arguments.sasl_password_env is not None:
        password = os.environ.get(arguments.sasl_password_env)
        if password is None:
            raise _unusable(f"there is no variable {arguments.sasl_password_env}", "Set it, or name another")
    elif arguments.user is not None and arguments.sasl_mechanism != "OAUTHBEARER":
        password = _asked_for(arguments.user) if "sasl.password" not in properties else None
    else:
        password = None
    if password is not None:
        properties["sasl.password"] = password
        # A login line of Java's in the file would name its own.
        properties.pop("sasl.jaas.config", None)


def _asked_for(user: str) -> str:
    from getpass import getpass

    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        raise _unusable(
            f"there is no password for {user}, and no terminal to ask on",
            "Give --sasl-password-file or --sasl-password-env",
        ) from None
    return getpass(f"Password for {user}: ")


def _first_line(flag: str, path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().rstrip("\r\n")
    except OSError as error:
        raise _unusable(f"{flag} {path}: {error.strerror}", "Check the path") from None
    except UnicodeDecodeError:
        raise _unusable(f"{flag} {path}: not UTF-8 text", "Give a file with the password on its first line") from None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MOST_TIMEOUT_SECONDS:
        raise argparse.ArgumentTypeError(
            f"{shortened(text)!r} is not a number of seconds above 0, {MOST_TIMEOUT_SECONDS} at most"
        )
    return seconds


def _unusable(detail: str, hint: str) -> Exception:
    from muster.client.failure import ClientError
    from muster.wire.errors import INVALID_CONFIG

    return ClientError(INVALID_CONFIG, "set up security", detail, hint)
