"""A fact of Kafka's protocol is spelled in one place: names of internal topics, and constants with one name and one value."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from muster.client import security
from muster.core import internal_topics, time_units
from muster.security import sasl
from muster.wire import special_values
from tests.house.source_files import SOURCE, name_of, parsed, python_files

pytestmark = pytest.mark.xdist_group("source")  # parsed once

_TOPICS = {value for name, value in vars(internal_topics).items() if name.isupper()}
_HOME = SOURCE / "core" / "internal_topics.py"
_OF_THE_WIRE = {"MAGIC", "LENGTH_END", "MAGIC_AT", "CHECKED_FROM", "HEADER_SIZE", "BEFORE_CHECKED", "CHECKED_HEADER"}
_HOMES = {
    name: (value, home.__name__)
    for home in (special_values, time_units, sasl)
    for name, value in vars(home).items()
    if name.isupper()
} | {"PROTOCOLS": (security.PROTOCOLS, security.__name__)}
_TO_BE_MENDED = {
    ("connection_flags.py", "MECHANISMS"): "the command line was being moved",
    ("connection_flags.py", "PROTOCOLS"): "the command line was being moved",
    ("loader.py", "COMMIT_MARKER"): "the loader was being rewritten",
}


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
        for name, value in _constants(parsed(path)):
            defined[name, ast.unparse(value)].append(name_of(path))
    again = {name: sorted(paths) for (name, _), paths in defined.items() if name in _OF_THE_WIRE and len(paths) > 1}
    assert again == {}


def test_what_has_a_home_is_not_defined_again() -> None:
    """Import it from there; a constant of the same name that means something else has another value."""
    again = [
        f"{name_of(path)}: {name} is in {_HOMES[name][1]}"
        for path in python_files("src")
        for name in _defined_again(parsed(path), name_of(path))
        if (path.name, name) not in _TO_BE_MENDED
    ]
    assert again == []


@pytest.mark.parametrize(
    "text", ["_DAY_MS = 24 * 60 * 60_000", "X, HOUR_MS = 1, 3_600_000", "LATEST: Final = -1", "NO_TOPIC_ID = bytes(16)"]
)
def test_a_second_definition_is_found(text: str) -> None:
    assert list(_defined_again(ast.parse(text), "src/muster/elsewhere.py")) != []
    assert list(_defined_again(ast.parse("_LATEST = 30 // 2"), "src/muster/elsewhere.py")) == []


def _defined_again(tree: ast.Module, file: str) -> Iterator[str]:
    module = file.removeprefix("src/").removesuffix(".py").replace("/", ".")
    for name, node in _constants(tree):
        value, home = _HOMES.get(name, (None, module))
        if home != module and _value(node) == value:
            yield name


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Names that a module gives values to, without the underscore in front."""
    for statement in tree.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name.lstrip("_"), value
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name.lstrip("_"), value
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                for each, value in zip(names, values, strict=False):
                    if isinstance(each, ast.Name):
                        yield each.id.lstrip("_"), value


def _value(node: ast.expr) -> Any:
    """Of an expression without names; None for any other."""
    try:
        return eval(ast.unparse(node), {"__builtins__": {"bytes": bytes}})
    except NameError:
        return None
