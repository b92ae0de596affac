"""A fact of Kafka's protocol is spelled in one place: names of internal topics, and constants with one name and one value."""

from __future__ import annotations

import ast
from collections import defaultdict

from muster.core import internal_topics
from tests.house.source_files import SOURCE, name_of, parsed, python_files

_TOPICS = {value for name, value in vars(internal_topics).items() if name.isupper()}
_HOME = SOURCE / "core" / "internal_topics.py"


def test_internal_topics_are_named_by_their_constants() -> None:
    spelled = [
        f"{name_of(path)}:{node.lineno}"
        for path in python_files("src")
        if path != _HOME
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Constant) and node.value in _TOPICS
    ]
    assert spelled == []


def test_constants_of_the_wire_are_not_defined_again() -> None:
    """What a batch's header looks like is known to `wire` alone."""
    defined: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in python_files("src"):
        for statement in parsed(path).body:
            target = statement.target if isinstance(statement, ast.AnnAssign) else None
            if isinstance(target, ast.Name) and isinstance(statement, ast.AnnAssign) and statement.value is not None:
                defined[target.id.lstrip("_"), ast.unparse(statement.value)].append(name_of(path))
    again = {name: sorted(paths) for (name, _), paths in defined.items() if name in _OF_THE_WIRE and len(paths) > 1}
    assert again == {}


_OF_THE_WIRE = {"MAGIC", "LENGTH_END", "MAGIC_AT", "CHECKED_FROM", "HEADER_SIZE"}
