"""What src/muster defines is used by a program or shown to users, and not by tests alone. `unused` says how that is found out."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from textwrap import dedent

import pytest

from tests.house.doc_blocks import blocks_of, pages
from tests.house.source_files import ROOT, SOURCE, name_of, parsed, python_files
from tests.house.unused import unused

pytestmark = pytest.mark.xdist_group("source")  # parsed once

_TICKED = re.compile(r"`([^`\n]+)`")
_IMPORTED = re.compile(r"^from muster\.\S+ import (\([^)]*\)|.*)$", re.M)
_WORD = re.compile(r"\w+")
_PAGES_OF_LIBRARIES = ("client.md", "testing.md")
"""They list what users import: a name in backticks there is used, whether one of our programs does it or not."""
ALLOWED = {
    "src/muster/wire/errors.py": "all error codes that Kafka may send, found by number",
    "src/muster/wire/native.py": "what the code generator may call; the schemas decide what it does call",
    "src/muster/server/reactor.py: Reactor.get_map": "asyncio calls it, since Python 3.13",
    "src/muster/sim/cluster_loop.py: NodeLoop.get_debug": "asyncio's futures call it",
}
"""Files, or names in them, and who uses them."""


def test_everything_is_used_by_a_program() -> None:
    source = {name_of(path): parsed(path) for path in python_files("src")}
    named = {*_entry_points(), *_called_by_codecs(), *_documented()}
    found = [re.sub(r":\d+:", ":", each) for each in unused(source, _programs(), named)]
    allowed = {each for each in found if each in ALLOWED or each.split(":")[0] in ALLOWED}
    assert sorted(set(found) - allowed) == [], "remove it, or move it to the tests that need it"
    assert {each for each in ALLOWED if not any(one.startswith(each) for one in allowed)} == set(), "needed no more"


def _programs() -> Iterator[ast.Module]:
    yield from map(parsed, [ROOT / "setup.py", *python_files("demo", "examples", "bench", "tools")])
    yield from (ast.parse(block.text) for page in pages() for block in blocks_of(page) if block.language == "python")


def _entry_points() -> Iterator[str]:
    """Functions that pyproject.toml names, and all functions of a module that it names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = (project["scripts"], *project["entry-points"].values())
    for module, _, function in (place.partition(":") for group in groups for place in group.values()):
        tree = parsed(ROOT / "src" / (module.replace(".", "/") + ".py"))
        yield from [function] if function else (each.name for each in tree.body if isinstance(each, ast.FunctionDef))


def _called_by_codecs() -> Iterator[str]:
    """What generated code imports it uses: it is not parsed here, since it is longer than all the rest."""
    for path in (SOURCE / "wire" / "generated").glob("*.py"):
        for names in _IMPORTED.findall(path.read_text()):
            yield from _WORD.findall(names)


def _documented() -> Iterator[str]:
    for page in _PAGES_OF_LIBRARIES:
        for ticked in _TICKED.findall((ROOT / "docs" / page).read_text()):
            yield from _WORD.findall(ticked)


def _unused_in(text: str, program: str = "", named: tuple[str, ...] = ()) -> list[str]:
    return unused({"a.py": ast.parse(dedent(text))}, [ast.parse(dedent(program))], named)


def test_what_only_tests_use_is_found() -> None:
    text = """
        LIMIT, MOST = 1, 2
        def handle(group): return group.state == LIMIT
        def only_tests_call_it(): return helper_of_it() + MOST
        def helper_of_it(): return only_tests_call_it()
        class Group:
            def state(self): ...
            def is_simple(self): return self.state()
        class Forgotten:
            def method(self): ...
    """
    assert _unused_in(text, "from a import Group, handle\nhandle(Group())") == [
        "a.py:2: MOST",
        "a.py:4: only_tests_call_it",
        "a.py:5: helper_of_it",
        "a.py:8: Group.is_simple",
        "a.py:9: Forgotten",
    ]


def test_a_variable_of_the_same_name_is_no_use() -> None:
    text = "def queued(): ..."
    assert _unused_in(text, "def report(queued): print(queued)") == ["a.py:1: queued"]
    assert _unused_in(text, "def report(): print(queued())") == []
    assert _unused_in(text, "from a import queued") == ["a.py:1: queued"]


def test_what_libraries_and_python_call_is_used() -> None:
    text = """
        import asyncio
        from ast import NodeVisitor
        class Base(asyncio.Protocol):
            def __init__(self): ...
            def data_received(self, data): ...
        class Peer(Base):
            def eof_received(self): ...
            def eof_forgotten(self): ...
        class Visitor(NodeVisitor):
            def generic_visit(self, node): ...
    """
    assert _unused_in(text, "print(Peer, Visitor)") == ["a.py:9: Peer.eof_forgotten"]


def test_names_that_are_looked_up_as_text_are_used() -> None:
    text = """
        class Connection:
            def pause(self): ...
            def limit(self): ...
            def shown(self): ...
    """
    lookups = """
        def tell(protocol: Connection, name: str): getattr(protocol, name)()
        tell(object(), "pause")
        getattr(object(), "limit")
    """
    assert _unused_in(text + lookups, named=("shown", "tell")) == []
    assert len(_unused_in(text, "print(Connection)")) == 3
