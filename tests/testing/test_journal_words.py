"""Every kind of event has words, and a line says when, who, what and why."""

from __future__ import annotations

from typing import get_args

import pytest

from muster.core.journal import JournalEvent, Kind
from muster.testing.journal_words import line


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_of_event_becomes_one_line(kind: Kind) -> None:
    text = line(JournalEvent(kind, 1_700_000_000_123, "g", 4, "forced", member_id="m"))
    assert text.startswith("22:13:20.123 g4 ")
    assert "\n" not in text


def test_a_line_names_the_client_the_cause_and_what_the_client_said() -> None:
    member_id = "worker-0b7a8a3c-5a0e-4b7e-9d4e-3f0a1c2d3e4f"
    event = JournalEvent("member_left", 0, "g", 2, "member_left", member_id, None, "worker", "/1", "shutting down")
    assert line(event) == '00:00:00.000 g2 worker [..2d3e4f] left (the client says "shutting down")'
