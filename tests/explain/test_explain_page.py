"""docs/explain.md: its table of causes, its table of rules and its shown answer are those of the code.

Its Python block is run by tests/house/test_docs_blocks.py.
"""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

from muster.cli.groups.explain_page import print_page
from muster.explain.advice_rules import RULES
from muster.explain.cause_words import PHRASES
from muster.explain.page import page
from tests.explain.stories import Story

PAGE = (Path(__file__).parents[2] / "docs" / "explain.md").read_text(encoding="utf-8")


def listed_in(title: str) -> list[str]:
    section = PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE)


def test_page_lists_every_cause_in_its_order() -> None:
    assert listed_in("Causes") == list(PHRASES)


def test_page_lists_every_rule_of_advice_in_its_order() -> None:
    assert listed_in("Advice, and what it takes") == [rule.__name__ for rule in RULES]


def test_shown_answer_is_what_the_command_would_print() -> None:
    """From this journal, but for the middle."""
    story = Story()
    story.at = 1_794_711_731_000  # 2026-11-15 03:02:11 UTC
    story.hosts = {"worker-1": "/10.0.0.5", "worker-2": "/10.0.0.7"}
    story.created()
    story.joins("worker-1")
    story.after(3_000).stable({"worker-1": [0, 1, 2, 3]}, "initial_delay_over", sync_ms=15)
    story.after(40_000).joins("worker-2")
    story.after(2_100).rejoins("worker-1")
    story.stable({"worker-1": [0, 1], "worker-2": [2, 3]}, sync_ms=12)
    story.after(558_893).dies("worker-2")
    story.after(1_000).rejoins("worker-1")
    story.stable({"worker-1": [0, 1, 2, 3]}, sync_ms=20)
    out = StringIO()
    print_page(page(story.explanation), out)
    printed = out.getvalue().replace("Group g:", "Group billing:")
    (shown,) = re.findall(r"```console\n\$ [^\n]*\n(.*?)```", PAGE, flags=re.DOTALL)
    above, below = shown.split("...\n")
    assert printed.startswith(above)
    assert below in printed
