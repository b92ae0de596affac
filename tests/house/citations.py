"""How code, tests and pages cite the specification in docs/spec, and where each citation leads.

The one definition of the grammar; docs/spec/index.md explains it with examples. A citation is one of

    spec 3.9, 3.11      a heading. `step 2` (of a numbered list), `row 6` (of a numbered table) or `(c)` may follow its number
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
_PART: Final = r"step \d+|row \d+|\([a-z]\)"
_SPACE: Final = r"\s+(?:[#*>]+\s+)?"
"""A citation may go over the end of a line, of a comment too."""


def _several(number: str) -> str:
    return rf"{number}(?:(?:,|{_SPACE}and|{_SPACE}to){_SPACE}{number})*"


_CITATION: Final = re.compile(
    rf"\b[Ss]pec{_SPACE}(?P<spec>{_several(f'{_SECTION}(?: (?:{_PART}))?')})"
    rf"|\b[Aa]nalytics{_SPACE}(?P<analytics>{_several(_SECTION)})"
    rf"|\b[Tt]raps?{_SPACE}(?P<trap>{_several(r'[0-9]+')})"
    r"|(?<![\w/:.-])T(?P<scenario>\d{3}[a-z]?)\b"
)
_CITED: Final = re.compile(rf"(?P<to>\bto\b)|(?P<number>\d+(?:\.\d+)*[a-z]?)(?: (?P<part>{_PART}))?")
REFUSED: Final = re.compile(
    r"§|\b[Aa]nalytics (?:traps?|findings?|3\.\d)"
    r"|\b[Ss]pec(?:ification (?:section )?|\.\s*| section | rows? | steps? | §)\d|\b[Ss]pec [\d.]+ (?:rows|steps|from) "
)
_HEADING: Final = re.compile(r"^#+ (?:(?P<number>\d+(?:\.\d+)*) |Trap (?P<trap>\d+): )?.+$", re.M)
_SCENARIO: Final = re.compile(r"^- \*\*T(?P<number>\d{3}[a-z]?)\*\* ", re.M)
_STEP: Final = re.compile(r"^(?P<number>\d+)\. ", re.M)
_ROW: Final = re.compile(r"^\| (?P<number>\d+) \| ", re.M)
_LETTER: Final = re.compile(r"^- (?P<letter>\([a-z]\)) ", re.M)


@dataclass(frozen=True, slots=True)
class Citation:
    kind: str
    """spec, analytics, trap or scenario."""
    number: str
    part: str = ""
    """`step 2`, `row 6` or `(c)`."""

    def __str__(self) -> str:
        return f"T{self.number}" if self.kind == "scenario" else f"{self.kind} {self.number} {self.part}".rstrip()


def citations(text: str) -> Iterator[tuple[int, Citation]]:
    """Every single place that `text` cites, with the offset of the citation in it. A range of traps stands for all of them."""
    for found in _CITATION.finditer(text):
        for citation in _places_of(found):
            yield found.start(), citation


def _places_of(found: re.Match[str]) -> Iterator[Citation]:
    kind = found.lastgroup
    assert kind is not None
    cited = list(_CITED.finditer(found[kind]))
    for index, each in enumerate(cited):
        if not each["to"]:
            yield Citation(kind, each["number"], each["part"] or "")
        elif kind == "trap":
            between = range(int(cited[index - 1]["number"]) + 1, int(cited[index + 1]["number"]))
            yield from (Citation(kind, str(number)) for number in between)


@cache
def places() -> Mapping[Citation, str]:
    """Everything that can be cited, with its link as seen from docs/."""
    found: dict[Citation, str] = {}
    for page in sorted(SPEC.glob("*.md")):
        for citation, link in _places_on(page):
            assert citation not in found or citation.part, f"{citation} is there twice: {found[citation]} and {link}"
            found[citation] = link
    return found


def _places_on(page: Path) -> Iterator[tuple[Citation, str]]:
    text = page.read_text(encoding="utf-8")
    kind = "analytics" if page.name == "analytics.md" else "spec"
    headings = list(_HEADING.finditer(text))
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=True):
        link = f"spec/{page.name}#{_slug(heading[0])}"
        if heading["trap"]:
            yield Citation("trap", heading["trap"]), link
        if heading["number"]:
            yield Citation(kind, heading["number"]), link
            for part in _parts_of(text[heading.end() : end]):
                yield Citation(kind, heading["number"], part), link
        for entry in _SCENARIO.finditer(text, heading.end(), end):
            yield Citation("scenario", entry["number"]), link


def _parts_of(section: str) -> Iterator[str]:
    yield from (f"step {step['number']}" for step in _STEP.finditer(section))
    yield from (f"row {row['number']}" for row in _ROW.finditer(section))
    yield from (letter["letter"] for letter in _LETTER.finditer(section))


def _slug(heading: str) -> str:
    """The heading's anchor in the site and on GitHub."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def with_links(text: str) -> str:
    """`text` of a page in docs/, with each citation of one place as a link to it."""

    def link(found: re.Match[str]) -> str:
        cited = list(_places_of(found))
        return f"[{found[0]}]({places()[cited[0]]})" if len(cited) == 1 else found[0]

    return _CITATION.sub(link, text)
