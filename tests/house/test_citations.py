"""Every citation of the specification, in code, tests and pages, leads to a heading, a trap or a scenario of docs/spec."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.citations import REFUSED, ROOT, SPEC, Citation, citations, places, with_links

_FOLDERS = ("src", "tests", "docs", "bench", "demo", "examples", "tools")
_SUFFIXES = (".py", ".md", ".api", ".txt", ".js", ".css", ".toml", ".yml")
_NOT_LOOKED_AT = ("tests/house/test_citations.py", "tests/house/citations.py", "docs/spec/index.md")
"""They show what a citation looks like, and what is none."""
_FAULTY = (
    "spec 3.99",
    "Spec 99",
    "spec 4.1 row 6, 4.99",
    "traps 5 to 99",
    "trap 99",
    "T999",
    "spec 3.9 step 99",
    "spec 4.1 row 99",
    "spec 5.3 (z)",
    "T203z",
    "analytics 99.1",
    "(spec 3.4 step 12, 7.77)",
)
_SOUND = (
    "spec 3.4 step 12",
    "(spec 2.4, 13.19)",
    "spec 3.5 to 3.7",
    "Traps 5 to 7",
    "traps 4, 6, 7",
    "T203b",
    "analytics 2.4",
    "Spec 10.",
    "spec\n    # 13.5",
)


def _cited_files() -> Iterator[Path]:
    for path in (*ROOT.glob("*.md"), *(path for folder in _FOLDERS for path in (ROOT / folder).rglob("*"))):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in _SUFFIXES and path.is_file() and name not in _NOT_LOOKED_AT and ".build" not in path.parts:
            yield path


def _unresolved(text: str) -> list[tuple[int, Citation]]:
    known = places()
    return [(text.count("\n", 0, start) + 1, citation) for start, citation in citations(text) if citation not in known]


def test_every_citation_leads_somewhere() -> None:
    lost = [
        f"{path.relative_to(ROOT)}:{line}: {citation}"
        for path in _cited_files()
        for line, citation in _unresolved(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert lost == []


def test_every_citation_is_spelled_as_the_index_page_says() -> None:
    refused = []
    for path in _cited_files():
        text = path.read_text(encoding="utf-8", errors="replace")
        refused += [
            f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}: {found[0]}"
            for found in REFUSED.finditer(text)
        ]
    assert refused == []


@pytest.mark.parametrize("text", _FAULTY)
def test_a_citation_that_leads_nowhere_is_found(text: str) -> None:
    assert _unresolved(f"Does something ({text}).") != []


@pytest.mark.parametrize("text", _SOUND)
def test_a_citation_that_leads_somewhere_is_understood(text: str) -> None:
    assert list(citations(text)) != []
    assert _unresolved(text) == []
    assert not REFUSED.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "see §3.8",
        "analytics trap 3",
        "Analytics 3.18",
        "spec section 3",
        "Spec 4.1 rows 3 and 8",
        "spec 4.1 from row 6 on",
        "specification 3.1",
        "spec. 3.1",
    ],
)
def test_a_spelling_that_is_not_in_use_is_found(text: str) -> None:
    assert REFUSED.search(text)


@pytest.mark.parametrize("text", ["2026-11-15T120000", "RFC 7628 section 3.2.2", "bootstrap 9092", "T1", "respec 3.99"])
def test_other_texts_are_no_citations(text: str) -> None:
    assert list(citations(text)) == []


def test_a_range_of_traps_stands_for_all_of_them() -> None:
    assert [str(each) for _, each in citations("traps 5 to 7")] == ["trap 5", "trap 6", "trap 7"]


def test_pages_link_what_they_cite() -> None:
    assert with_links("as it is (spec 13.10).") == (
        "as it is ([spec 13.10](spec/choices.md#1310-the-parked-syncgroup-of-a-removed-member))."
    )


def test_numbers_of_scenarios_and_traps_are_without_gaps() -> None:
    """Code cites them, so none may be lost when a page is edited."""
    known = places()
    assert [n for n in range(1, 241) if Citation("scenario", f"{n:03}") not in known] == []
    assert [n for n in range(1, 36) if Citation("trap", str(n)) not in known] == []


def test_the_index_page_lists_every_page() -> None:
    index = (SPEC / "index.md").read_text(encoding="utf-8")
    assert [page.name for page in SPEC.glob("*.md") if page.name != "index.md" and f"({page.name})" not in index] == []
