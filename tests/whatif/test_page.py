"""The page: a point for what was and for every variant, the figures beside it, and nothing that a name could break."""

from __future__ import annotations

import re

from muster.whatif.answer import answer, as_row, problem_row
from muster.whatif.page import MOST_GROUPS, render
from muster.whatif.stretch import CannotReplay
from muster.whatif.variants import Variant
from tests.whatif.test_replay import random_payloads

VARIANTS = [Variant(session_timeout_ms=3_000), Variant(is_static=True), Variant(remote_assignor="uniform")]


def test_every_setting_has_a_point_and_a_line_with_the_same_figures() -> None:
    rows = [{"cluster": "c", **as_row(each)} for each in answer("g", random_payloads(6), VARIANTS)]
    page = render(rows, 0)
    tips = re.findall(r'<circle [^>]*data-tip="([^"]+)"', page)
    assert len(tips) == len(VARIANTS) + 1
    assert sum(tip.startswith("as it was:") for tip in tips) == 1
    for variant in VARIANTS:
        assert sum(tip.startswith(f"{variant}:") for tip in tips) == 1
        assert f'<th scope="row">{variant}</th>' in page
    assert "the replay gives back" in page, "the advice names its evidence"


def test_names_are_text_and_what_cannot_be_replayed_says_why() -> None:
    evil = '<script>alert("1")</script>'
    page = render([{"cluster": evil, **problem_row(evil, "static", CannotReplay("no beginning"))}], 0)
    assert "<script>alert" not in page
    assert "no beginning" in page
    assert "Nothing of this group can be replayed" in page


def test_more_groups_than_fit_are_counted() -> None:
    (found,) = answer("g", random_payloads(6), VARIANTS[:1])
    rows = [{"cluster": "c", **as_row(found), "group_id": f"g{number}"} for number in range(MOST_GROUPS + 3)]
    assert "3 more groups are not shown" in render(rows, 0)
