"""docs/journal.md is the published schema: it names exactly the kinds and causes that the core writes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from muster.core.journal import Cause, Kind

PAGE = (Path(__file__).parents[2] / "docs" / "journal.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_the_page_lists_every_kind_and_no_other() -> None:
    assert re.findall(r"^\| `(\w+)` \|", section("Kinds"), flags=re.MULTILINE) == list(get_args(Kind))


def test_the_page_lists_every_cause_and_no_other() -> None:
    assert re.findall(r"^\| `(\w+)` \|", section("Causes"), flags=re.MULTILINE) == list(get_args(Cause))
