"""docs/compatibility.md tells what was found."""

from __future__ import annotations

from tests.conformance.page import PAGE, text


def test_the_page_is_what_the_files_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(), "run: python -m tests.conformance.page"
