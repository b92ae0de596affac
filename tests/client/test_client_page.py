"""docs/client.md: every code block runs, and its lists are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from muster.client import admin
from muster.client.security import MECHANISMS, PROTOCOLS
from muster.client.security_names import FIELDS
from muster.core.assignors import choice

PAGE = (Path(__file__).parents[2] / "docs" / "client.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("program", BLOCKS, ids=range(len(BLOCKS)))
def test_a_program_of_the_page_runs(program: str) -> None:
    exec(compile(program, "docs/client.md", "exec"), {})


def test_the_page_names_every_question_property_and_assignor() -> None:
    questions = [name for name in admin.__all__ if name.islower()]
    assignors = [name for name in vars(choice) if name.isupper() and name != "ASSIGNORS"]
    names = [*questions, *FIELDS, *PROTOCOLS, *MECHANISMS, *assignors]
    names.remove("sasl.mechanisms")  # librdkafka's other name of sasl.mechanism
    assert [name for name in names if name not in PAGE] == []
