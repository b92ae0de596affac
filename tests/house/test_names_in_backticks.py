"""A name in backticks, in comments, docstrings and pages, is one that the code has: renamed things are renamed everywhere."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from functools import cache
from pathlib import Path

import pytest

from tests.house.source_files import ROOT, SOURCE, docstrings, name_of, parsed, python_files

pytestmark = pytest.mark.xdist_group("source")  # parsed once

_TICKED = re.compile(r"`([A-Za-z_][A-Za-z0-9_.]*?)(?:\(\))?`")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LOOKS_LIKE_CODE = re.compile(r"[a-z][A-Z]|_")
"""In pages only such words are looked at: others in backticks are commands, settings and column names."""
_MADE_PAGES = {"docs/metrics.md", "docs/cli-reference.md", "docs/configuration.md"}
"""Made from the code, and tested against it."""
ELSEWHERE = {
    "Hi": "a function of RFC 5802",
    "MUSTER_DATA": "a setting as an environment variable: any name",
    "MUSTER_LISTENER_NAME_INTERNAL_SSL_CLIENT_AUTH": "a setting as an environment variable: any name",
    "MUSTER_LISTENER_NAME_OUTSIDE_SSL_KEY_PASSWORD": "a setting as an environment variable: any name",
    "hashCode": "Java",
    "initTransactions": "Kafka's Java client",
    "_async": "the end of names",
    "_pem": "the end of names",
    "": "a dot at the end: the beginning of names",
    "WeakKeyDictionary": "Python's, tried and not used",
    "applyInArrow": "Spark's, measured and not used",
    "transformWithStateInPandas": "Spark's, measured and not used",
    "prometheus_client": "a package, considered and not used",
    "memoryOverhead": "a setting of Spark's",
}


@cache
def _known() -> frozenset[str]:
    """Every word of the code: names, and the words in its strings. Docstrings and comments are not code."""
    found = {*dir(builtins), *keyword.kwlist, *ELSEWHERE}
    for path in python_files("src", "tests", "bench", "demo", "examples", "tools"):
        found.update(path.relative_to(ROOT).with_suffix("").parts)
        found |= _words_of(parsed(path))
    generated = sorted((SOURCE / "wire" / "generated").glob("*.py"))  # longer than all the rest: read, not parsed
    found.update(path.stem for path in generated)
    for path in (
        *generated,
        *(ROOT / "tools" / "codecs" / "schemas").glob("*.api"),
        ROOT / "Makefile",
        ROOT / "pyproject.toml",
    ):
        found.update(_WORD.findall(path.read_text()))
    return frozenset(found)


def _words_of(tree: ast.Module) -> set[str]:
    told = {id(text) for text in docstrings(tree)}
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name):
                found.update(name.split("."))
            case ast.Constant(value=str(text)) if id(node) not in told:
                found.update(_WORD.findall(text))
    return found


def _unknown(path: Path, in_page: bool) -> list[str]:
    return [f"{name_of(path)}:{each}" for each in _unknown_in(path.read_text(), in_page)]


def _unknown_in(text: str, in_page: bool) -> list[str]:
    """Line numbers and names."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for match in _TICKED.finditer(line):
            word = match[1].split(".")[-1]
            if word not in _known() and (not in_page or _LOOKS_LIKE_CODE.search(word)):
                found.append(f"{number}: {match[1]}")
    return found


def test_names_in_comments_and_docstrings_exist() -> None:
    assert [each for path in python_files("src", "tools") for each in _unknown(path, in_page=False)] == []


def test_names_in_pages_exist() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
    kafkas = ROOT / "docs" / "spec"  # speaks of Kafka's own fields and classes
    asked = [page for page in sorted(pages) if name_of(page) not in _MADE_PAGES and kafkas not in page.parents]
    assert [each for page in asked for each in _unknown(page, in_page=True)] == []


def test_an_unknown_name_is_found() -> None:
    missing = "no_such" + "_name"
    text = f"`Outcome` is there,\n`core.{missing}()` is not, `{missing.replace('_', '')}` is a word"
    assert _unknown_in(text, in_page=True) == [f"2: core.{missing}"]
    assert len(_unknown_in(text, in_page=False)) == 2
