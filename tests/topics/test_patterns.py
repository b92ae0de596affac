"""Regular expressions of clients are RE2's (spec 14.1)."""

from __future__ import annotations

import pytest

from muster.topics.patterns import BadPattern, whole_match


def test_the_whole_text_has_to_match() -> None:
    matches = whole_match("o.*")
    assert [matches(name) for name in ("open", "o", "to")] == [True, True, False]


@pytest.mark.parametrize("text", ["[", "(?=a)", "a(?!b)", "(?<=a)b", r"(a)\1", "(?P<n>a)(?P=n)", "a++", "(?>a)", "*"])
def test_what_kafka_refuses_is_refused(text: str) -> None:
    with pytest.raises(BadPattern):
        whole_match(text)


@pytest.mark.parametrize("text", [r"\(?=a", "[(?=]+", r"a\+", "(?:a|b)+?", "(?i)A", r"\d+[+]+", "a{2,3}", r"\\1"])
def test_what_only_looks_like_that_is_not(text: str) -> None:
    whole_match(text)


def test_an_expression_made_to_take_for_ever_is_answered() -> None:
    assert not whole_match("(a+)+b")("a" * 50_000)
