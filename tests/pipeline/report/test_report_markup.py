"""Text never becomes markup, whatever it is."""

from __future__ import annotations

import pytest

from muster.pipeline.report.markup import Html, name, shared_end, tag, together, two_parts, visible


def test_a_child_and_an_attribute_are_escaped() -> None:
    made = tag("td", "<b>&", title="\"'><", data_tip=None, hidden=False)
    assert made == '<td title="&quot;&#x27;&gt;&lt;">&lt;b&gt;&amp;</td>'


def test_markup_inside_markup_stays_markup() -> None:
    assert tag("p", tag("b", "x"), " & ", None) == "<p><b>x</b> &amp; </p>"
    assert together(["<", Html("<i>")]) == "&lt;<i>"


def test_names_of_attributes_lose_their_python_clothes() -> None:
    assert (
        tag("input", class_="a", aria_label="b", type="search", required=True)
        == '<input class="a" aria-label="b" type="search" required>'
    )


def test_coordinates_are_short() -> None:
    assert tag("rect", x=1.26, y=3.0) == '<rect x="1.3" y="3"/>'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("orders", "orders"),
        ("", "(empty name)"),
        (None, "–"),
        ("a\x00b\nc", "a\\x00b\\x0ac"),
        ("\u202egnp", "\\u202egnp"),
        ("nb\u00a0sp", "nb\\xa0sp"),
        ("\ud800", "\\ud800"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("группа 消费者", "группа 消费者"),
        ("x" * 101, "x" * 74 + "…" + "x" * 25),
        ("a sentence " * 10, ("a sentence " * 10)[:99] + "…"),
    ],
)
def test_arbitrary_text_becomes_one_short_visible_line(text: str | None, shown: str) -> None:
    """Group ids are arbitrary UTF-8 (trap 17): invisible and direction-changing characters are spelled out."""
    assert visible(text) == shown


def test_a_name_keeps_its_direction_to_itself() -> None:
    assert name("<x>") == "<bdi>&lt;x&gt;</bdi>"
    assert name("") == '<bdi class="no-name">(empty name)</bdi>'


def test_a_name_in_a_narrow_place_keeps_its_end() -> None:
    assert two_parts("orders") == "<bdi>orders</bdi>"
    made = two_parts("a-topic-with-a-long-name", "-12")
    assert made.endswith('<span class="tail">ong-name-12</span></bdi>')
    assert (
        two_parts("", "-0")
        == '<bdi class="two-parts no-name"><span class="stem">(empty name)</span><span class="tail">-0</span></bdi>'
    )


def test_what_all_names_end_with_is_not_what_a_narrow_place_shows() -> None:
    names = [f"team-{n:02d}.a-service.consumer-group-{n:05d}.production-eu-central" for n in range(30)]
    shared = shared_end(names)
    assert names[7][-shared:] == ".production-eu-central"
    assert '<span class="tail">up-00007…</span>' in two_parts(names[7], shared_end=shared)
    assert shared_end(names[:1]) == 0, "alone it has nothing in common with others"
    assert shared_end([*names, "billing"]) == 0
    assert shared_end([*names, "production-eu-central"]) == 0, "something of each name is left"
