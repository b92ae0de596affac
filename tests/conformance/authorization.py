"""What clients may not do, said once in a script and told to either broker in its own way.

    deny group noread READ        in a script: everything is allowed with the group `noread` but READ
    deny cluster DESCRIBE

Kafka learns it through CreateAcls, Muster from a file of rules. Used by the runner in the place of the plain starters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.conformance import kafka, muster_node
from tests.conformance.connection import Connection
from tests.conformance.kafka import Node
from tools.codecs.notation import parse_api

SETTING: Final = "denied"
"""Not a setting of any broker: the denials of a script travel under this name with its settings."""
UNPREPARED: Final = "unprepared"
"""Likewise: the broker is left as it starts."""
TRANSACTIONAL: Final = "transactional"
"""Likewise: the transaction coordinator is waited for, and scenarios are played one after the other."""
_CREATE_ACLS: Final = parse_api(
    """
api 30 CreateAcls  versions 1-3  flexible 2+

request
  Creations              Creation[]
    ResourceType         i8
    ResourceName         str
    ResourcePatternType  i8
    Principal            str
    Host                 str
    Operation            i8
    PermissionType       i8

response
  ThrottleTimeMs  i32
  Results         Result[]
    ErrorCode     i16
    ErrorMessage  str?
""",
    "create_acls",
)
_RESOURCE_TYPES: Final = {"topic": 2, "group": 3, "cluster": 4, "transactional-id": 5}
_OPERATIONS: Final = {"ALL": 2, "READ": 3, "WRITE": 4, "CREATE": 5, "DELETE": 6, "ALTER": 7, "DESCRIBE": 8}
_LITERAL, _DENY, _ALLOW = 3, 2, 3
_KAFKA: Final = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}

Denial = tuple[str, str, str]


def read_denials(text: str) -> list[Denial]:
    found = []
    for line in filter(None, text.split(";")):
        kind, *names, operation = line.split()
        if kind not in _RESOURCE_TYPES or operation not in _OPERATIONS or len(names) != (kind != "cluster"):
            raise ValueError(f"{line!r} is not a denial such as `group noread READ` or `cluster DESCRIBE`")
        found.append((kind, names[0] if names else "kafka-cluster", operation))
    return found


@contextmanager
def kafka_running(settings: Mapping[str, str]) -> Iterator[Node]:
    denials = read_denials(settings.get(SETTING, ""))
    plain = _without_ours(settings)
    with kafka.running(plain | (_KAFKA if denials else {})) as node:
        if denials:
            _tell_kafka(node, denials)
        yield node


def _without_ours(settings: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in settings.items() if name not in (SETTING, UNPREPARED, TRANSACTIONAL)}


def _tell_kafka(node: Node, denials: Sequence[Denial]) -> None:
    creations = [
        _creation(kind, name, each, permission)
        for kind, name, operation in denials
        for each, permission in (("ALL", _ALLOW), (operation, _DENY))
    ]
    connection = Connection(node.host, node.port, "authorization")
    answer = connection.ask(_CREATE_ACLS, 3, {"creations": creations})
    connection.close()
    if any(each["error_code"] for each in answer["results"]):
        raise RuntimeError(f"Kafka did not take the denials: {answer}")


def _creation(kind: str, name: str, operation: str, permission: int) -> dict[str, Any]:
    return {
        "resource_type": _RESOURCE_TYPES[kind],
        "resource_name": name,
        "resource_pattern_type": _LITERAL,
        "principal": "User:ANONYMOUS",
        "host": "*",
        "operation": _OPERATIONS[operation],
        "permission_type": permission,
    }


@contextmanager
def muster_running(settings: Mapping[str, str], launcher: Sequence[str] = ("-m", "muster")) -> Iterator[Node]:
    denials = read_denials(settings.get(SETTING, ""))
    plain = _without_ours(settings)
    with TemporaryDirectory(prefix="rules-") as made:
        if denials:
            rules = Path(made) / "rules.toml"
            rules.write_text(_rules(denials))
            plain["muster.rules"] = str(rules)
        with muster_node.running(plain, launcher=launcher) as node:
            yield node


def _rules(denials: Sequence[Denial]) -> str:
    lines = ['"allow.everyone.if.no.acl.found" = true']
    for kind, name, operation in denials:
        for table, each in (("allow", "ALL"), ("deny", operation)):
            lines += [f"[[{table}]]", 'principal = "User:ANONYMOUS"', f'operation = "{each}"', f'resource = "{kind}"']
            lines += [] if kind == "cluster" else [f'name = "{name}"']
    return "\n".join(lines) + "\n"
