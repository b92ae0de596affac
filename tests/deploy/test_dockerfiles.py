"""Images can be built as it is said: what a Dockerfile copies is in the context that its header and the pages name."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("deploy", "examples", "demo", "docs", "tools", "tests")
_BUILD = re.compile(r"docker build ([^`\n]+)")
_MADE = re.compile(r"\buseradd (?=.*--create-home)(?=.*--home-dir)[^&\n]*--uid (\d+) [^&\n]*")


def _files(pattern: str) -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob(pattern) if path.is_file())


DOCKERFILES = [path.relative_to(ROOT).as_posix() for path in _files("Dockerfile*")]


def _documented() -> Iterator[tuple[str, str]]:
    """Dockerfile and context of every `docker build` in a page or a Dockerfile, from the root of a checkout."""
    for path in [ROOT / "README.md", *_files("*.md"), *_files("Dockerfile*")]:
        for flags in _BUILD.findall(path.read_text(encoding="utf-8")):
            words = shlex.split(flags)
            context = words[-1]
            named = words[words.index("-f") + 1] if "-f" in words else f"{context}/Dockerfile"
            yield named, context


def _sources(dockerfile: str) -> list[str]:
    """What is copied out of the context, not out of another stage."""
    lines = (ROOT / dockerfile).read_text(encoding="utf-8").splitlines()
    copies = [line.split()[1:] for line in lines if line.startswith(("COPY ", "ADD "))]
    return [
        source
        for words in copies
        if not any(word.startswith("--from=") for word in words)
        for source in [word for word in words if not word.startswith("--")][:-1]
    ]


def test_every_documented_build_is_of_a_dockerfile_and_every_dockerfile_is_documented_in_one_way() -> None:
    documented = set(_documented())
    assert sorted(dockerfile for dockerfile, _ in documented) == DOCKERFILES


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_what_is_copied_is_in_the_documented_context(dockerfile: str) -> None:
    (context,) = {ROOT / context for named, context in _documented() if named == dockerfile}
    ignored = (context / ".dockerignore").read_text(encoding="utf-8").split()
    sources = _sources(dockerfile)
    assert sources
    for source in sources:
        assert (context / source).exists(), source
        assert not any(source == name or source.startswith(f"{name}/") for name in ignored), source
    if "." in sources:
        assert (context / "pyproject.toml").is_file(), "Muster is installed from what was copied"


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_the_user_that_runs_is_one_that_was_made_with_a_home(dockerfile: str) -> None:
    """A number alone has neither: Java then knows no name for Hadoop's login, and HOME is `/`, which cannot be written to."""
    before, _, after = (ROOT / dockerfile).read_text(encoding="utf-8").rpartition("\nUSER ")
    assert before, "it would run as root"
    assert after.split()[0] in _MADE.findall(before)
