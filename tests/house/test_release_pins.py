"""The packages of a release are pinned by hash, and the pins are those of pyproject.toml; the audit tells what it knows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.dependency_audit import PINS, ROOT, Findings, report

SERVER, PIPELINE = PINS
EXTRAS = {SERVER: ("oauth", "postgres"), PIPELINE: ("pipeline",)}


def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def pinned(path: Path) -> dict[str, str]:
    """name -> version, of lines such as `name==1.2 ; marker \\` that have hashes after them."""
    found: dict[str, str] = {}
    for block in re.split(r"\n(?=\S)", path.read_text(encoding="utf-8").strip()):
        name, version = re.match(r"([\w.-]+)(?:\[[\w,-]+\])?==([\w.+!]+)", block).groups()  # type: ignore[union-attr]
        assert "--hash=sha256:" in block, f"{name} has no hash in {path.name}"
        found[canonicalize_name(name)] = version
    return found


@pytest.mark.parametrize("path", PINS, ids=lambda path: path.stem)
def test_every_package_that_a_release_needs_is_pinned_by_hash_to_a_version_that_will_do(path: Path) -> None:
    """`make release-pins` renews them."""
    needs = [*project()["dependencies"]]
    for extra in EXTRAS[path]:
        needs += project()["optional-dependencies"][extra]
    versions = pinned(path)
    for need in map(Requirement, needs):
        assert need.specifier.contains(versions[canonicalize_name(need.name)]), need


def test_no_pin_says_where_it_was_fetched() -> None:
    for path in PINS:
        assert "://" not in path.read_text(encoding="utf-8")


HOLE = {"id": "PYSEC-1", "fix_versions": ["2.1"]}


@pytest.mark.parametrize(
    ("packages", "failures", "words", "code"),
    [
        ([{"name": "a", "version": "1", "vulns": []}], [], "1 packages, no known holes", 0),
        ([{"name": "a", "version": "2", "vulns": [HOLE]}], [], "a 2: PYSEC-1, mended in 2.1", 1),
        ([{"name": "a", "version": "2", "vulns": [HOLE]}], ["later"], "PYSEC-1", 1),
        ([{"name": "a", "skip_reason": "x"}, {"name": "b", "version": "1", "vulns": []}], [], "1 of 2 packages", 0),
        ([], ["no route"], "cannot be reached from here (no route)", 0),
    ],
)
def test_the_audit_fails_for_holes_alone_and_says_what_was_not_checked(
    packages: list[dict[str, Any]], failures: list[str], words: str, code: int
) -> None:
    findings = Findings()
    findings.add({"dependencies": packages})
    text, exit_code = report(findings, failures)
    assert words in text
    assert exit_code == code
