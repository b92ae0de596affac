"""docs/client.md: its lists are those of the code. Its blocks are run by tests/house/test_docs_blocks.py."""

from __future__ import annotations

from pathlib import Path

from muster.client import admin
from muster.client.security import PROTOCOLS
from muster.client.security_names import FIELDS
from muster.core.assignors import choice
from muster.security.sasl import MECHANISMS

PAGE = (Path(__file__).parents[2] / "docs" / "client.md").read_text(encoding="utf-8")


def test_the_page_names_every_question_property_and_assignor() -> None:
    questions = [name for name in admin.__all__ if name.islower()]
    assignors = [name for name in vars(choice) if name.isupper() and name != "ASSIGNORS"]
    names = [*questions, *FIELDS, *PROTOCOLS, *MECHANISMS, *assignors]
    names.remove("sasl.mechanisms")  # librdkafka's other name of sasl.mechanism
    assert [name for name in names if name not in PAGE] == []
