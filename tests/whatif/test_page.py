"""The page: a point for what was and for every variant, the figures beside it, and nothing that a name could break."""

from __future__ import annotations

import re

from muster.cli.lake.whatif import Answers
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
    assert "9,900 more groups are not shown" in render(rows, 0, count=10_000)


def test_answers_of_many_groups_are_told_one_group_after_the_other() -> None:
    """What is kept of each is a sentence, and the rows of as many as the page shows."""
    found = [as_row(each) for each in answer("g", random_payloads(6), VARIANTS)]
    alive = 0
    most = 0

    class Counted(dict[str, object]):
        def __init__(self, row: dict[str, object]) -> None:
            nonlocal alive, most
            super().__init__(row)
            alive += 1
            most = max(most, alive)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    groups = MOST_GROUPS + 50
    rows = (Counted({"cluster": "c", **each, "group_id": f"g{number}"}) for number in range(groups) for each in found)
    answers = Answers(rows, for_page=True)
    told = sum(1 for _ in answers.rows())
    assert told == groups * len(VARIANTS)
    assert (answers.groups, len(answers.advice)) == (groups, groups)
    assert most <= (MOST_GROUPS + 3) * len(VARIANTS)
    page = render(answers.page_rows, 0, answers.groups)
    assert f"{groups} groups" in page
    assert "50 more groups are not shown" in page
