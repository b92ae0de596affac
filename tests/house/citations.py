"""How code, tests and pages cite the specification in docs/spec, and where each citation leads.

The one definition of the grammar; docs/spec/index.md explains it with examples. A citation is one of

    spec 3.9, 3.11      a heading; `step 2`, `row 6` or `(c)` may follow its number
    analytics 2.5       a heading of docs/spec/analytics.md
    trap 20             a heading `Trap 20: ...`; several with `traps`
    T103, T203b         a scenario, an entry of docs/spec/scenarios.md

Several numbers are joined by a comma, `and` or `to`. `REFUSED` are spellings that look like a citation and are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SPEC: Final = ROOT / "docs" / "spec"

_SECTION: Final = r"\d{1,2}(?:\.\d{1,2}){0,2}(?![\d.]*\d)"
_PLACE: Final = r" (?:step \d+|row \d+|\([a-z]\))"
_SPACE: Final = r"\s+(?:[#*>]+\s+)?"
"""A citation may go over the end of a line, of a comment too."""


def _several(number: str) -> str:
    return rf"{number}(?:(?:,|{_SPACE}and|{_SPACE}to){_SPACE}{number})*"


_CITATION: Final = re.compile(
    rf"\b[Ss]pec{_SPACE}(?P<spec>{_several(f'{_SECTION}(?:{_PLACE})?')})"
    rf"|\b[Aa]nalytics{_SPACE}(?P<analytics>{_several(_SECTION)})"
    rf"|\b[Tt]raps?{_SPACE}(?P<trap>{_several(r'[0-9]+')})"
    r"|(?<![\w/:.-])T(?P<scenario>\d{3}[a-z]?)\b"
)
REFUSED: Final = re.compile(
    r"§|\b[Aa]nalytics (?:traps?|findings?|3\.\d)|\b[Ss]pec(?:\.|ification)? (?:section )?\d(?<!\b[Ss]pec \d)|\b[Ss]pec section \d"
)
_HEADING: Final = re.compile(r"^#+ (?P<number>\d+(?:\.\d+)*) (?P<title>.+)$", re.M)
_TRAP: Final = re.compile(r"^#+ Trap (?P<number>\d+): (?P<title>.+)$", re.M)
_SCENARIO: Final = re.compile(r"^- \*\*T(?P<number>\d{3}[a-z]?)\*\* ", re.M)


@dataclass(frozen=True, slots=True)
class Citation:
    kind: str
    """spec, analytics, trap or scenario."""
    number: str

    def __str__(self) -> str:
        return f"T{self.number}" if self.kind == "scenario" else f"{self.kind} {self.number}"


def citations(text: str) -> Iterator[tuple[int, Citation]]:
    """Every single place that `text` cites, with the offset of the citation in it. A range of traps stands for all of them."""
    for found in _CITATION.finditer(text):
        kind = found.lastgroup
        assert kind is not None
        for number in _numbers(kind, found[kind]):
            yield found.start(), Citation(kind, number)


def _numbers(kind: str, cited: str) -> Iterator[str]:
    plain = re.sub(r"[#*>]", " ", re.sub(_PLACE, "", cited))
    parts = re.findall(r"\bto\b|\d+(?:\.\d+)*[a-z]?", plain)
    for index, part in enumerate(parts):
        if part != "to":
            yield part
        elif kind == "trap":
            yield from map(str, range(int(parts[index - 1]) + 1, int(parts[index + 1])))


@cache
def places() -> Mapping[Citation, str]:
    """Everything that can be cited, with its link as seen from docs/."""
    found: dict[Citation, str] = {}
    for page in sorted(SPEC.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        kind = "analytics" if page.name == "analytics.md" else "spec"
        for heading in _HEADING.finditer(text):
            _add(found, Citation(kind, heading["number"]), page, f"{heading['number']} {heading['title']}")
        for heading in _TRAP.finditer(text):
            _add(found, Citation("trap", heading["number"]), page, f"Trap {heading['number']}: {heading['title']}")
        for entry in _SCENARIO.finditer(text):
            above = [heading[0].lstrip("# ") for heading in _HEADING.finditer(text, 0, entry.start())]
            _add(found, Citation("scenario", entry["number"]), page, above[-1])
    return found


def _add(found: dict[Citation, str], citation: Citation, page: Path, heading: str) -> None:
    assert citation not in found, f"{citation} is there twice: {found[citation]} and {page.name}"
    slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())
    found[citation] = f"spec/{page.name}#{slug}"


def with_links(text: str) -> str:
    """`text` of a page in docs/, with each citation of one place as a link to it."""
    known = places()

    def link(found: re.Match[str]) -> str:
        kind = found.lastgroup
        assert kind is not None
        numbers = list(_numbers(kind, found[kind]))
        return f"[{found[0]}]({known[Citation(kind, numbers[0])]})" if len(numbers) == 1 else found[0]

    return _CITATION.sub(link, text)
