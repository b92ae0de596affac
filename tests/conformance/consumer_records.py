"""The records of consumer groups (types 3 to 8 and 16) as trees that people can read, with names for what differs from run to run.

Nothing of a value is left out: the tree is written back and must give the same bytes, else the bytes themselves are shown. The
layouts are the published ones (spec 5.4), not those of the code under test. Called by `offsets_log`.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

from tests.conformance.codec import Tree, read_tree, write_tree
from tests.conformance.naming import Names
from tools.codecs.notation import parse_api
from tools.codecs.schema import Struct

_LAYOUTS: Final = {
    3: """
  Epoch         i32
  MetadataHash  i64  0+  = 0  tag 0
""",
    5: """
  InstanceId            str?
  RackId                str?
  ClientId              str
  ClientHost            str
  SubscribedTopicNames  str[]
  SubscribedTopicRegex  str?
  RebalanceTimeoutMs    i32
  ServerAssignor        str?
""",  # classic metadata of a member is shown as the bytes of its tagged field
    6: """
  AssignmentEpoch      i32
  AssignmentTimestamp  i64  0+  = 0  tag 0
""",
    7: """
  TopicPartitions  TopicPartition[]
    TopicId        uuid
    Partitions     i32[]
""",
    8: """
  MemberEpoch                  i32
  PreviousMemberEpoch          i32
  State                        i8
  AssignedPartitions           TopicPartition[]
    TopicId                    uuid
    Partitions                 i32[]
    AssignmentEpochs           i32[]  0+  tag 0
  PartitionsPendingRevocation  TopicPartition[]
""",
    16: """
  Topics     str[]
  Version    i64
  Timestamp  i64
""",
}
WORDS: Final = {
    3: "group epoch",
    4: "subscription metadata",
    5: "member",
    6: "target epoch",
    7: "target",
    8: "current",
    16: "regex",
}
CONSUMER_TYPES: Final = frozenset(WORDS)
_OF_A_TOPIC: Final = "topic_id"


def _struct(kind: int, lines: str) -> Struct:
    api = parse_api(
        f"api {kind} Value  versions 0  flexible 0+\n\nrequest{lines}\nresponse\n  Unused  i8\n", f"type {kind}"
    )
    return api.request.root


_STRUCTS: Final = {kind: _struct(kind, lines) for kind, lines in _LAYOUTS.items()}


def about_consumer_record(kind: int, key: bytes, names: Names) -> str:
    """`current A`: what it is, and of which member or regular expression."""
    at = 4 + struct.unpack_from(">h", key, 2)[0]
    rest = key[at + 2 :].decode() if at < len(key) else ""
    return names.text(f"{WORDS[kind]} {rest}".strip())


def readable_value(kind: int, value: bytes, names: Names) -> str:
    shape = _STRUCTS.get(kind)
    if shape is None:
        return value.hex()
    tree = read_tree(shape, value, 2)
    if value[:2] + write_tree(shape, tree) != value:
        return value.hex()
    return json.dumps(_named(kind, tree, names))


def _named(kind: int, tree: Tree, names: Names) -> Any:
    named: dict[str, Any] = {}
    for field, value in tree.items():
        if field == "metadata_hash":
            value = f"<hash {names.number('hash', str(value))}>"
        elif kind == 16 and field == "version":
            value = "<version>"
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            value = sorted((_named(kind, each, names) for each in value), key=lambda each: str(each[_OF_A_TOPIC]))
        else:
            value = names.tree("log", field, value)
        named[field] = value
    return named


def in_stable_order(rows: list[tuple[int, str, Any]]) -> list[Any]:
    """Records of the same type in a row, of different members, come in the order of a hash table: here by what they are about."""
    ordered: list[Any] = []
    run: list[tuple[int, str, Any]] = []
    for row in rows:
        if run and (row[0] != run[-1][0] or row[0] not in CONSUMER_TYPES or row[1] in {about for _, about, _ in run}):
            ordered += _sorted_run(run)
            run = []
        run.append(row)
    return ordered + _sorted_run(run)


def _sorted_run(run: list[tuple[int, str, Any]]) -> list[Any]:
    if run and run[0][0] in CONSUMER_TYPES:
        run = sorted(run, key=lambda row: row[1])
    return [record for _, _, record in run]
