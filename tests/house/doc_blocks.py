"""The code blocks of the docs' pages, and what a page says about running them.

Every `python`, `bash` and `console` block of a page is run, from top to bottom, unless a line above its fence says otherwise:

    <!-- not run: why -->       only looked at: Python must compile, `muster` commands must be possible
    <!-- own terminal -->       it stays running, as in a terminal of its own, until the page ends
    <!-- file: name.py -->      it is not run but written to that file, for later blocks
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
RUN: Final = ("python", "bash", "console")
GENERATED: Final = ("cli-reference.md",)

_FENCE: Final = re.compile(r"^(?P<indent> *)```(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^(?P=indent)```$", re.M | re.S)
_MARK: Final = re.compile(r"<!-- (?P<kind>not run|own terminal|file)(?:: (?P<word>.+?))? -->\s*\Z")


@dataclass(frozen=True, slots=True)
class Block:
    page: str
    line: int
    """Of its first line of code."""
    language: str
    text: str
    mark: str = ""
    word: str = ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def is_run(self) -> bool:
        return self.language in RUN and self.mark != "not run"


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for fence in _FENCE.finditer(text):
        line = text.count("\n", 0, fence.start("text")) + 1
        mark = _MARK.search(text, 0, fence.start())
        kind, word = (mark["kind"], mark["word"] or "") if mark else ("", "")
        code = re.sub(f"^{fence['indent']}", "", fence["text"], flags=re.M)
        yield Block(name_of(page), line, fence["language"], code, kind, word)


def shown_commands(block: Block) -> Iterator[tuple[int, str]]:
    """Lines that call `muster`, each with its number in the page; remarks and what a pipe does with it are left out."""
    for number, line in enumerate(block.text.replace("\\\n", "  ").splitlines(), block.line):
        if block.language == "console" and not line.startswith("$ "):
            continue  # what a command printed
        called = re.match(r"(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?(muster .*)", line)
        if called:
            yield number, re.split(r"\s{2,}\S|\s#|[|;&<>]|\$\(", called[1])[0].strip()
